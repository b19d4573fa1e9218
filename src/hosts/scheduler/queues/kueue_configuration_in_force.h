#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "foundation/base/event_loop.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::scheduler::queues {

/// Kueue's configuration as the cluster has it: in a ConfigMap of the namespace kueue-system, where its manifests put
/// it; of several, the first by name that has a valid one. Without any, what Kueue has without a file. Unlike its
/// manager, which reads it when it starts, this one follows it. What is wrong with one is told by events about it.
class KueueConfigurationInForce {
 public:
  /// `put` is called in a task of its own when it is another one. Everything that is named outlives it.
  KueueConfigurationInForce(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator::Say say,
                            std::function<void()> put);
  KueueConfigurationInForce(const KueueConfigurationInForce&) = delete;
  KueueConfigurationInForce& operator=(const KueueConfigurationInForce&) = delete;

  /// Reads what has changed. True: it is another one than before.
  bool settle();
  [[nodiscard]] const kube::KueueConfiguration& configuration() const { return configuration_; }

 private:
  using ObjectPtr = watching::ObjectPtr<kube::ConfigMap>;
  struct Found {
    ObjectPtr source;
    std::optional<kube::KueueConfiguration> configuration;  // nothing: it is not valid
  };
  void on_change(const watching::Change<kube::ConfigMap>& change);
  [[nodiscard]] Found read(const ObjectPtr& config_map) const;

  EventLoop& loop_;
  watching::Actuator::Say say_;
  std::function<void()> put_;
  std::map<std::string, ObjectPtr> sources_;  // ConfigMaps that may have one, by name
  std::map<std::string, Found> found_;
  std::string from_;  // the one that counts: its uid and version; empty: none does
  kube::KueueConfiguration configuration_;
  bool has_changed_ = false;                               // and settle() is to come
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler::queues
