#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/ids.h"

namespace loadline::cluster {

/// The nodes that changed, in order, so that a reader that keeps something derived from nodes can catch up: it
/// remembers end(), and later asks for since() it. A change is forgotten after a while, or when everything changed at
/// once; a reader that is that far behind starts anew, which costs no more than catching up would.
class ChangeLog {
 public:
  /// A point in the sequence of changes.
  using Mark = std::uint64_t;

  [[nodiscard]] Mark end() const { return forgotten_ + nodes_.size(); }

  /// The changes from `mark` on; a node may stand there several times. nullopt: forgotten.
  [[nodiscard]] std::optional<std::span<const NodeId>> since(Mark mark) const {
    if (mark < forgotten_) return std::nullopt;
    return std::span(nodes_).subspan(static_cast<std::size_t>(mark - forgotten_));
  }

  /// Amortised O(1). `kept`: changes that are remembered at least.
  void note(NodeId node, std::size_t kept) {
    if (nodes_.size() >= 2 * kept) forget(nodes_.size() - kept);
    nodes_.push_back(node);
  }
  /// Any node may have changed, in any way.
  void note_all() {
    forget(nodes_.size());
    ++forgotten_;
  }

 private:
  void forget(std::size_t count) {
    nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(count));
    forgotten_ += count;
  }

  std::vector<NodeId> nodes_;
  Mark forgotten_ = 1;  // so that mark 0 is behind everything
};

}  // namespace loadline::cluster
