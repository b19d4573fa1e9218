#include "objects/kube/codec.h"

#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/json_list.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/object_reader.h"
#include "objects/kube/scheduling/workload_reference.h"

namespace loadline::kube {

namespace {

/// Nothing if a list's text must be read whole.
std::optional<Decoding> decode_all(const std::vector<SourceDocument>& documents, const ReadingRules& rules,
                                   CustomKinds& custom_kinds) {
  Decoding decoding;
  ObjectReader reader(decoding.objects, decoding.diagnostics, rules, custom_kinds);
  for (const SourceDocument& source : documents) {
    if (source.list.empty()) {
      reader.read(source.value, source.file);
    } else {
      document::JsonList list(source.list);
      reader.read(list, source.file);
    }
    if (reader.must_read_whole()) return std::nullopt;
  }
  make_groups_of_references(decoding.objects);
  return decoding;
}

}  // namespace

Decoding decode(const std::vector<SourceDocument>& documents, const ReadingRules& rules) {
  CustomKinds custom_kinds(documents);
  return decode(documents, rules, custom_kinds);
}

Decoding decode(const std::vector<SourceDocument>& documents, const ReadingRules& rules, CustomKinds& custom_kinds) {
  std::optional<Decoding> decoding = decode_all(documents, rules, custom_kinds);
  REQUIRES(decoding.has_value());
  return *std::move(decoding);
}

std::optional<Decoding> decode_item_by_item(const std::vector<SourceDocument>& documents, const ReadingRules& rules) {
  CustomKinds custom_kinds(documents);
  return decode_all(documents, rules, custom_kinds);
}

}  // namespace loadline::kube
