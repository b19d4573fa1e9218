#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "hosts/trace/work.h"
#include "objects/kube/core/node.h"

namespace loadline::recording {

/// The pods of a recording as work that arrives again: each when it could first be scheduled, with the run time that it
/// had from its start (or, if none was seen, its binding) to its end, and deleted when it was deleted, be it by its
/// owner or by an eviction. Pods of a PodGroup that were there before any of them had a node are one work, a gang,
/// which arrives with its last one; those that came later are works of their own. What runs at the beginning arrives at
/// 0, with the time that it still ran. What has ended by then is left out, and what a gate held to the end.
///
/// Claims of volumes, ResourceClaims and owners are left out: they are no part of a trace.
class RecordedWork final : public trace::WorkSource {
 public:
  /// Reads all of the recording, since what arrives first may end last. Memory: of the pods, those alike sharing one.
  /// Errors, with places: it cannot be read.
  static tl::expected<std::unique_ptr<RecordedWork>, Diagnostics> read(std::istream& text, const std::string& file);

  Result<std::optional<trace::Work>> next() override;

  /// The nodes that were there at the beginning, by name.
  [[nodiscard]] const std::vector<kube::Node>& nodes() const { return nodes_; }
  /// The last line is cut off: what it said is not known.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  RecordedWork() = default;

  std::vector<trace::Work> works_;  // by arrival
  std::vector<kube::Node> nodes_;
  std::size_t next_ = 0;
  bool is_cut_ = false;
};

}  // namespace loadline::recording
