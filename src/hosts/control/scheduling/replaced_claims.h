#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/event_loop.h"
#include "hosts/control/actuator.h"
#include "hosts/control/scheduling/status_writer.h"
#include "hosts/controllers/caches.h"
#include "hosts/controllers/controller.h"

namespace loadline::control {

/// Claims that took the place of those with which a pod was placed. From the decision until the API server has the
/// binding, nothing protects the claims of a pod: one may go, and a StatefulSet makes another, which waits for its
/// first consumer. But that was the pod, which has had its turn. Upstream the claim waits for ever, and so does the pod
/// at its kubelet, until a user deletes it. Here the claim is told of the pod's node, as VolumeBinder would have told
/// it.
///
/// That holds for pods whose binding this process has sent, since a pod that was given its node by hand is no consumer;
/// and once for each of them, so that a claim for which nothing can be made there waits, as it does upstream. A claim
/// whose class makes no volumes waits, too.
class ReplacedClaims {
 public:
  /// Everything that is named outlives it.
  ReplacedClaims(EventLoop& loop, controllers::Subscriptions& subscriptions, Actuator& actuator);
  ReplacedClaims(const ReplacedClaims&) = delete;
  ReplacedClaims& operator=(const ReplacedClaims&) = delete;

  /// The pod is about to be bound to the node.
  void placed(const controllers::Observed<kube::Pod>& pod, std::string_view node);

 private:
  /// A pod that uses a claim.
  struct User {
    std::string uid;
    std::string node;
  };
  struct Wanted {
    std::string uid;  // of the claim
    std::string node;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  void on_pod(const controllers::Change<kube::Pod>& change);
  void look(const controllers::ObjectKey& claim);
  [[nodiscard]] bool is_there(const controllers::ObjectKey& pod, const User& user) const;
  [[nodiscard]] bool waits_for_consumer(const controllers::Observed<kube::PersistentVolumeClaim>& claim) const;
  [[nodiscard]] std::vector<controllers::Action> select(const controllers::ObjectKey& key, const Wanted& wanted) const;

  controllers::Caches& caches_;
  std::map<controllers::ObjectKey, std::map<controllers::ObjectKey, User>> users_;  // by claim and by pod
  StatusWriter<Wanted> writer_;
};

}  // namespace loadline::control
