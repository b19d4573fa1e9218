// Whatever document and patch are given (a line each): merging strategically never crashes nor hangs, and to merge
// nothing changes nothing.

#include "server/api/patch/strategic_merge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foundation/document/reader.h"

namespace {

using loadline::document::Value;
using loadline::schema::Field;
using loadline::schema::Form;
using loadline::schema::Type;
using loadline::schema::TypeSet;

Field field(const char* name, const Type& type) {
  Field field;
  field.name = name;
  field.type = &type;
  return field;
}

Field merging(const char* name, const Type& type, const char* key) {
  Field merged = field(name, type);
  merged.merges = true;
  merged.merge_key = key;
  return merged;
}

Type& add(TypeSet& types, Form form, const Type* element) {
  Type& type = types.add();
  type.form = form;
  type.element = element;
  return type;
}

/// An object of every kind of field, which contains itself.
const Type& node_type() {
  static TypeSet& types = *new TypeSet();
  static const Type& node = [&]() -> const Type& {
    Type& text = add(types, Form::kString, nullptr);
    Type& self = add(types, Form::kObject, nullptr);
    self.name = "Node";
    self.fields = {field("name", text),
                   field("self", self),
                   field("map", add(types, Form::kMap, &self)),
                   field("labels", add(types, Form::kMap, &text)),
                   field("atomic", add(types, Form::kList, &self)),
                   merging("list", add(types, Form::kList, &self), "name"),
                   merging("set", add(types, Form::kList, &text), "")};
    return self;
  }();
  return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto original = loadline::document::read_json(text.substr(0, end), "document");
  const auto patch = loadline::document::read_json(text.substr(std::min(end + 1, text.size())), "patch");
  if (original.documents.size() != 1 || patch.documents.size() != 1) return 0;
  // What is patched is an object of an API.
  if (!original.documents[0].is_object()) return 0;
  const Value& document = original.documents[0];
  (void)loadline::api::strategic_merge(document, patch.documents[0], node_type());
  const auto same = loadline::api::strategic_merge(document, Value(loadline::document::Object{}), node_type());
  if (!same || *same != document) std::abort();
  return 0;
}
