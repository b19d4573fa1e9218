#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/ids.h"
#include "objects/kube/core/node.h"

namespace loadline::cluster {

/// Size and spread of an image: `bytes` as the oldest node that has it reports them: kube-scheduler's cache keeps the
/// size that the first node reported.
struct ImageState {
  std::int64_t bytes = 0;
  std::int32_t nodes = 0;
  NodeId reporter;  ///< the node that reports `bytes`
};

/// The images of a node by name: of names that come twice, the first.
std::vector<std::pair<std::string_view, std::int64_t>> images_of(const kube::Node& node);

/// Which images are how large, and on how many nodes.
class Images {
 public:
  /// null: no node has it.
  [[nodiscard]] const ImageState* find(Symbol name) const {
    const auto found = states_.find(name);
    return found == states_.end() ? nullptr : &found->second;
  }

  /// The node has the image. `older(a, b)`: whether node a is the older.
  template <class Older>
  void add(NodeId node, Symbol name, std::int64_t bytes, Older&& older) {
    ImageState& state = states_[name];
    if (++state.nodes > 1 && !older(node, state.reporter)) return;
    state.bytes = bytes;
    state.reporter = node;
  }
  /// The node no longer has it. `next_oldest()` finds the node that reports its size from now on, and that size.
  template <class NextOldest>
  void remove(NodeId node, Symbol name, NextOldest&& next_oldest) {
    const auto found = states_.find(name);
    if (--found->second.nodes == 0) {
      states_.erase(found);
    } else if (found->second.reporter == node) {
      std::tie(found->second.reporter, found->second.bytes) = next_oldest();
    }
  }

 private:
  std::map<Symbol, ImageState> states_;
};

}  // namespace loadline::cluster
