#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hosts/advice/edit.h"
#include "hosts/simulator/plan.h"

namespace loadline::advice {

/// Pods of another workload that would be worse off.
struct Harm {
  simulator::WorkloadName workload;
  std::size_t pods = 0;
  friend bool operator==(const Harm&, const Harm&) = default;
};

/// How a suggestion was tried.
enum class Proof : std::uint8_t {
  kPlanned,  ///< the plan was made anew with the edits
  kProbed,   ///< the scheduler was asked in the cluster as the plan left it, where all other pods stay
  kUntried,  ///< fewer replicas, where plans are too large to be made anew: pods that are not wanted do not wait
};

/// A remedy that works, and all that comes of it.
struct Suggestion {
  Remedy remedy;
  Proof proof = Proof::kPlanned;
  std::string node;                  ///< where the pod goes; empty: its pods are others then
  std::size_t siblings = 0;          ///< pods of its workload then
  std::size_t placed = 0;            ///< of them, those with a node
  std::vector<std::string> victims;  ///< pods that are preempted, as "namespace/name"
  std::vector<Harm> harm;            ///< workloads that have fewer pods on nodes than before
};

}  // namespace loadline::advice
