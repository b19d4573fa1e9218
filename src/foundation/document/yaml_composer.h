#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/equal_keys.h"
#include "foundation/document/field_path.h"
#include "foundation/document/reader.h"
#include "foundation/document/unique_members.h"
#include "foundation/document/value.h"
#include "foundation/document/yaml_parser.h"
#include "foundation/document/yaml_scalar.h"

namespace loadline::document {

/// Makes a Value from the events of one YAML document: aliases resolved, merge keys merged, keys made strings.
///
/// Bounds: 1,000 levels of nesting; aliases may make up 99 % of the expanded document up to 400,000 nodes, falling to
/// 10 % from 4,000,000 on, which is go-yaml's rule; 50,000,000 nodes in all. Beyond go-yaml, the texts that come out of
/// aliases may be 16 MiB together: a long one that is named a thousand times is a thousand nodes only. Expansion itself
/// costs nothing, since Values share, but a caller that walks the result, copies or writes it, pays for it.
class YamlComposer {
 public:
  YamlComposer(YamlParser& parser, std::shared_ptr<const std::string> file, Diagnostics& problems, EqualKeys equal_keys,
               Scalars scalars)
      : parser_(parser), file_(std::move(file)), problems_(problems), later_(equal_keys), scalars_(scalars) {}

  /// REQUIRES: the parser has just reported the start of a document; if all is well it will next report its end.
  /// Nothing if the document cannot be represented; then problems were added. Problems may be added anyway.
  std::optional<Value> compose();

 private:
  struct Anchor {
    std::optional<Value> value;  // nothing while its node is still being composed
    std::uint64_t nodes = 0;     // with aliases expanded
    std::uint64_t text_bytes = 0;
  };

  // Each returns false if the document must be given up, which was then reported.
  bool compose_node(const YamlEvent& event, const FieldPath& path, Value& value);
  bool compose_alias(const YamlEvent& event, Value& value);
  bool compose_scalar(const YamlEvent& event, Value& value);
  bool compose_sequence(Mark mark, const FieldPath& path, Value& value);
  bool compose_mapping(Mark mark, const FieldPath& path, Value& value);
  bool compose_member(const YamlEvent& event, const FieldPath& path, UniqueMembers& members, Object& merged);
  bool compose_key(const YamlEvent& event, std::optional<std::string>& key);
  bool compose_merge(const FieldPath& path, UniqueMembers& members, Object& merged);

  bool count(std::uint64_t nodes, std::uint64_t by_alias, Mark mark);
  bool count_text_by_alias(std::uint64_t bytes, Mark mark);
  Value scalar_value(const YamlScalar& scalar, Mark mark);
  std::optional<std::string> key_text(const YamlScalar& scalar, Mark mark);

  bool give_up();
  bool give_up(Mark mark, std::string message, std::string hint = {});
  /// The document is lost, but reading goes on, to find what else is wrong with it.
  void spoil(Mark mark, std::string message, std::string hint = {});
  void report(Mark mark, std::string message, std::string hint, Severity severity = Severity::kError);

  YamlParser& parser_;
  std::shared_ptr<const std::string> file_;
  Diagnostics& problems_;
  LaterValues later_;
  Scalars scalars_;
  std::unordered_map<std::string, Anchor> anchors_;
  MemberStack members_;
  std::vector<Value> elements_;  // of the sequences being composed, the innermost's last
  std::uint64_t nodes_ = 0;
  std::uint64_t nodes_by_alias_ = 0;
  std::uint64_t text_bytes_ = 0;  // of keys and scalars, with aliases expanded
  std::uint64_t text_bytes_by_alias_ = 0;
  std::size_t depth_ = 0;
  bool spoiled_ = false;
};

}  // namespace loadline::document
