#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hosts/controllers/controller.h"
#include "hosts/kubelet/stage.h"

namespace loadline::kubelet {

/// KWOK's Stages at work. As long as there is one about pods, Stages alone say what becomes of pods on virtual nodes,
/// as under KWOK, and the kubelet's own model rests.
class Stages {
 public:
  /// What a pod's templates may ask for.
  struct Surroundings {
    std::string host_ip;
    std::function<std::string()> pod_ip;
  };

  void on_stage(const watching::Change<watching::Stage>& change);
  [[nodiscard]] bool rule_pods() const { return !stages_.empty(); }
  /// What there is to say about Stages that are not understood; once.
  std::vector<watching::Event> take_complaints() { return std::exchange(complaints_, {}); }

  /// What is to be done with the pod now, and when to ask again. A stage that is waited for stays the one as long as it
  /// matches. One that changed nothing is not repeated before the pod changes; with `has_failed`, the last one is.
  watching::Reconciliation advance(const watching::Observed<kube::Pod>& pod, const Surroundings& surroundings,
                                   Instant now, bool has_failed);
  void forget(const watching::ObjectKey& pod) { waiting_.erase(pod); }

 private:
  struct Waiting {
    std::string uid;
    std::string stage;
    Instant due;
    std::string done;           ///< the stage that was carried out last
    std::uint64_t done_at = 0;  ///< the pod's revision then
  };
  const Stage* choose(const watching::Observed<kube::Pod>& pod, const Waiting& waiting) const;
  static void carry_out(const Stage& stage, const watching::Observed<kube::Pod>& pod, const Surroundings& surroundings,
                        Instant now, watching::Reconciliation& result);

  std::map<std::string, Stage> stages_;  // by name
  std::map<watching::ObjectKey, Waiting> waiting_;
  std::vector<watching::Event> complaints_;
};

}  // namespace loadline::kubelet
