#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "brain/engine/policy.h"
#include "foundation/base/event_loop.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/loadline/policy.h"

namespace loadline::scheduler {

/// The policy that the scheduler works by: the host's, if its user named one; else that of the cluster's Policy, as it
/// comes, changes and goes; else the recommended one. Whether a Policy counts, and what is wrong with it, is told by
/// events about it; of one that only a part of can be understood, that part counts.
class PolicyInForce {
 public:
  /// `put` is called in a task of its own, each time with another policy than before; it begins with policy().
  /// Everything that is named outlives it. Listens to Policies; to be made before the first change.
  PolicyInForce(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator::Say say,
                std::optional<engine::Policy> host, std::function<void(const engine::Policy&)> put);
  PolicyInForce(const PolicyInForce&) = delete;
  PolicyInForce& operator=(const PolicyInForce&) = delete;

  [[nodiscard]] const engine::Policy& policy() const { return policy_; }
  /// Does now what is to be done about a Policy that has changed.
  void settle();

 private:
  using ObjectPtr = watching::ObjectPtr<kube::Policy>;

  void on_change(const watching::Change<kube::Policy>& change);
  engine::Policy read();
  void tell(const ObjectPtr& object, watching::Event::Type type, const char* reason, std::string text) const;

  EventLoop& loop_;
  watching::Actuator::Say say_;
  std::function<void(const engine::Policy&)> put_;
  std::optional<engine::Policy> host_;
  engine::Policy policy_;
  ObjectPtr object_;                                       // null: the cluster has none
  bool has_changed_ = false;                               // and settle() is to come
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler
