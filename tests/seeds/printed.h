#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::seeds {

/// A manifest or a command that a document prints.
struct Printed {
  enum class Kind { kBlock, kCommand };

  std::size_t line = 0;  ///< where it begins, from 1
  Kind kind = Kind::kBlock;
  /// A block's lines; a command on one line, without what continued it and without a prompt.
  std::string text;
};

/// The manifests and commands of a document that is plain text, in its order.
///
/// Code fences do not count, since not every document has them. A *block* begins at a line without indentation that is
/// a field of a Kubernetes object or of a pod's spec with its colon (`apiVersion:`, `spec:`, `tolerations:`); it goes
/// on over lines that are indented, blank, comments, list items, `---`, or further fields, and ends before the first
/// line that is none of that. Blank lines, comments and `---` at its end are not part of it. A *command* is a line,
/// indented or not, outside of blocks, whose first word is a program of the trade (kubectl, helm, eksctl, kind) with a
/// lower-case word behind it, or that begins with `./`; a backslash at the end of a line continues it.
/// O(text).
std::vector<Printed> find_printed(std::string_view text);

/// The YAML documents of a block, as `---` separates them.
std::vector<std::string> documents_of(std::string_view block);

/// What a reader calls it: "Pod gpu-pod", "spec", "tolerations".
std::string title_of(std::string_view document);

}  // namespace loadline::seeds
