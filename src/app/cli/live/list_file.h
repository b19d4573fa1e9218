#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// Writes a List of objects as a text, object after object, so that the whole never stands in memory: JSON with one
/// object a line, or YAML; and gzip around it. The name of the file says which: ".json", ".json.gz", ".yaml.gz"; any
/// other is YAML. Equal objects make equal bytes.
class ListWriter {
 public:
  /// Takes the bytes in their order.
  using Sink = std::function<Result<void>(std::string_view bytes)>;
  ListWriter(std::string_view file_name, Sink sink);

  Result<void> add(const document::Value& object);
  /// What stands behind the objects. `is_whole_cluster`: see kube/whole_cluster.h.
  Result<void> end(bool is_whole_cluster);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }  ///< that the sink has got

 private:
  Result<void> hand_over();

  Sink sink_;
  bool is_json_;
  bool is_compressed_;
  bool is_empty_ = true;  // no object was written yet
  std::string text_;      // not yet handed over
  std::size_t bytes_ = 0;
};

/// A file that appears under its name when it is whole: until then it stands beside its place under another name, and
/// is gone if writing fails, or SIGINT, SIGTERM or SIGHUP ends the process. Only its owner may read it. A name that is
/// there already and no regular file (/dev/null, a FIFO) is written to as it is. There may be one at a time.
class WholeFile {
 public:
  WholeFile() = default;
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  /// REQUIRES: called first, and once.
  Result<void> open(const std::string& path);
  Result<void> write(std::string_view bytes);
  /// Puts it in its place, on the disk.
  Result<void> finish();

 private:
  [[nodiscard]] Result<void> fail(int error) const;
  void forget();

  std::string path_;
  std::string beside_;  // empty: it is written to directly
  int descriptor_ = -1;
};

}  // namespace loadline::cli
