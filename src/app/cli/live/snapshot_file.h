#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// A cluster out of a file: a snapshot that was saved, or a dump, of loadline dump or kubectl get -o yaml.
struct SnapshotFile {
  std::vector<document::Value> objects;  ///< namespaces and definitions first; ready to be put back
  std::size_t nodes = 0;
  Diagnostics diagnostics;  ///< with an error among them, nothing may be put back
};

/// Reads snapshots, and makes of real machines virtual ones: their Nodes keep what they have and whether they are
/// ready, and pods on them that would end by themselves run until an annotation says otherwise, for it is
/// unknown how long the real ones take (docs/virtual-nodes.md: loadline.dev/run-time).
SnapshotFile read_snapshot(const std::vector<std::string>& paths, std::istream& standard_input, Instant now);

}  // namespace loadline::cli
