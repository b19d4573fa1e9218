#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/simulator/plan.h"

namespace loadline::report {

/// Why the free GPUs of a node help none of the pods that are pending and ask for such GPUs.
enum class Unusable : std::uint8_t {
  kCordoned,       ///< the node is unschedulable
  kTooFew,         ///< each of those pods asks for more GPUs than are free here
  kOtherResource,  ///< those pods whose GPUs would fit lack another resource here
  kPodLimit,       ///< the node holds as many pods as it may
  kPlannedStart,   ///< there is room: of those pods for which there is, some would move a planned start, and all others
                   ///< wait with their pod groups
  kPodGroup,       ///< there is room: those pods for which there is wait with their pod groups
  kRules,          ///< there is room: taints, affinity, spreading, ports or volumes keep them away
};

struct UnusableGpus {
  std::string node;
  std::int64_t gpus = 0;
  Unusable why = Unusable::kRules;
  std::string
      detail;  ///< kTooFew: the smallest request; kOtherResource: the resource; kRules: the node's taints, if any
};

/// How the free devices of one GPU resource are spread, and whom they serve.
struct GpuFragmentation {
  std::string resource;
  std::int64_t allocatable = 0;
  std::int64_t requested = 0;
  std::int64_t free = 0;              ///< Σ over nodes of max(0, allocatable − requested)
  std::int64_t largest_free = 0;      ///< most free devices on one node
  std::int64_t wanted = 0;            ///< Σ of the requests of pending pods
  std::size_t pending_pods = 0;       ///< pending pods that ask for any
  std::int64_t unusable = 0;          ///< Σ of `because`
  std::vector<UnusableGpus> because;  ///< by node, in the plan's order
};

/// Free GPUs that nothing pending can use, a resource at a time, by name.
///
/// A node's free GPUs count as unusable if some pod is pending for that resource: were one of them usable, the plan
/// would have used it. `why` is the first of these that holds, seen from the pods P pending for the resource: the node
/// is cordoned; every request in P exceeds what is free on the node; every pod of P whose GPUs fit lacks another
/// resource on the node (named is the one that stops the smallest of them); the node's pod limit is reached; all pods
/// of P that have room there would move a planned start, or wait with their pod groups; else rules other than room.
/// With nothing pending for a resource, none of its free GPUs is called unusable: no pod waits for it. O(nodes ×
/// distinct pending requests).
std::vector<GpuFragmentation> gpu_fragmentation(const simulator::Plan& plan);

/// "cordoned", "fewer free than the smallest pending request, 4", "cpu is used up", …
std::string unusable_text(const UnusableGpus& unusable);
/// "Cordoned", "TooFew", …: for machine formats.
std::string_view unusable_word(Unusable why);

}  // namespace loadline::report
