#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/event_loop.h"
#include "hosts/scheduler/status_writer.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

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
  ReplacedClaims(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator);
  ReplacedClaims(const ReplacedClaims&) = delete;
  ReplacedClaims& operator=(const ReplacedClaims&) = delete;

  /// The pod is about to be bound to the node.
  void placed(const watching::Observed<kube::Pod>& pod, std::string_view node);

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
  void on_pod(const watching::Change<kube::Pod>& change);
  void look(const watching::ObjectKey& claim);
  [[nodiscard]] bool is_there(const watching::ObjectKey& pod, const User& user) const;
  [[nodiscard]] bool waits_for_consumer(const watching::Observed<kube::PersistentVolumeClaim>& claim) const;
  [[nodiscard]] std::vector<watching::Action> select(const watching::ObjectKey& key, const Wanted& wanted) const;

  watching::Caches& caches_;
  std::map<watching::ObjectKey, std::map<watching::ObjectKey, User>> users_;  // by claim and by pod
  StatusWriter<Wanted> writer_;
};

}  // namespace loadline::scheduler
