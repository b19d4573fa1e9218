#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/extensions.h"
#include "hosts/extension/frame.h"

namespace loadline::extension {

/// Writes a pod down for a PodCopy to read. Without `objects` its annotations are unknown, hence none.
void write_pod(FrameWriter& frame, const cluster::Cluster& cluster, cluster::PodId pod,
               const placement::PodObjects* objects);

/// Tells the other side about nodes, and of those it knows only what is new to it: facts once, then pods as they come
/// and go.
///
/// What is new is found by looking at the pods on the node, not in the change log, for that knows nothing of tentative
/// changes, in the midst of which a decision may be asked for: O(pods on the node), a comparison of numbers.
class NodeFrames {
 public:
  /// Writes what the other side needs to see the node as it is. False: nothing, it sees it so already.
  bool write(FrameWriter& frame, const cluster::Cluster& cluster, cluster::NodeId node,
             const placement::PodObjects* objects);

 private:
  /// A pod as it was written down. The numbers are never another's, as ids are in a cluster that lives.
  struct PodState {
    std::uint64_t uid;
    std::uint32_t revision;
    friend bool operator==(const PodState&, const PodState&) = default;
  };
  struct Known {
    std::optional<std::uint64_t> facts_version;  ///< of the node when its facts were written; nullopt: never
    std::vector<PodState> pods;
    std::uint64_t version = 0;
  };
  std::vector<Known> known_;  // by node
};

}  // namespace loadline::extension
