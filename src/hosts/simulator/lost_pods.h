#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/replacement.h"
#include "foundation/base/diagnostic.h"
#include "hosts/simulator/intake.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The pods that controllers make in a plan in the place of those that left. Keeps references to what it is given.
class LostPods {
 public:
  /// `made`: what controllers made on the way to pods. `replacements`: how many have been given names before.
  LostPods(const kube::Objects& objects, const kube::Objects& made, SimulatedPods& pods, std::uint64_t seed,
           std::uint64_t replacements);

  /// See workloads::Replacements.
  [[nodiscard]] bool follows_at_once(const kube::Pod& leaving);

  /// The pod that follows a pod of the plan which has left; nothing: there is none. `waiting`: pods that controllers
  /// have tried to create, and that are no pods of the plan yet. O(pods of the workload).
  [[nodiscard]] std::optional<workloads::Replacement> replacement_of(std::size_t lost,
                                                                     std::vector<const kube::Pod*> waiting);

  /// Counts the loss of a pod for its Job. Says, once for each Job, that the Job has lost more than its backoffLimit
  /// allows, so that a cluster would end it.
  [[nodiscard]] std::optional<Diagnostic> exceeded_backoff(std::size_t lost);

  [[nodiscard]] std::uint64_t replacements() const { return replacements_; }
  /// The objects, or what controllers made, are others now.
  void objects_changed() { controllers_.reset(); }

 private:
  [[nodiscard]] const workloads::Replacements& controllers();
  [[nodiscard]] std::vector<const kube::Pod*> siblings_of(std::size_t lost);

  const kube::Objects& objects_;
  const kube::Objects& made_;
  SimulatedPods& pods_;
  std::uint64_t seed_;
  std::uint64_t replacements_;
  std::optional<workloads::Replacements> controllers_;  // made on first use
  CreatedPodDefaults defaults_;
  std::map<std::pair<std::string, std::string>, std::int64_t> losses_;  // by namespace and Job
};

}  // namespace loadline::simulator
