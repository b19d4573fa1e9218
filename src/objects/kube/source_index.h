#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/kube/codec.h"

namespace loadline::kube {

/// The documents that objects were decoded from, found again by where each object begins (`metadata.source`), so that a
/// check of a typed object can point at the very field in question. Keeps the documents alive.
class SourceIndex {
 public:
  SourceIndex() = default;
  /// Lists are flattened as `decode` does; the profiles of scheduler configurations are found too. O(objects).
  explicit SourceIndex(const std::vector<SourceDocument>& documents);

  /// Where the field at `path` of the object that begins at `object` stands, as kube::locate finds it; `object` itself
  /// if no document of the index begins there. O(log objects + length of the path × members).
  [[nodiscard]] SourcePosition locate(const SourcePosition& object, std::string_view path) const;

  /// The document of the object that begins there, or null.
  [[nodiscard]] const document::Value* find(const SourcePosition& object) const;

 private:
  void add(const document::Value& value, const std::string& file);
  void keep(const document::Value& value, const std::string& file);

  using Place = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // file, line, column
  std::map<Place, document::Value> entries_;
};

}  // namespace loadline::kube
