#include "server/apiserver/resources/built_in_kinds.h"

#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "server/apiserver/resources/storage_hash.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// The definition with schemas that take anything.
Value without_schemas(const Value& definition) {
  const Value anything(
      Object{{"openAPIV3Schema",
              Value(Object{{"type", Value("object"), {}}, {"x-kubernetes-preserve-unknown-fields", Value(true), {}}}),
              {}}});
  Array versions;
  if (const Value* given = document::find_at(definition, {"spec", "versions"}); given != nullptr) {
    for (const Value& version : given->array()) versions.push_back(version.with("schema", anything));
  }
  return document::with_at(definition, {"spec", "versions"}, Value(std::move(versions)));
}

}  // namespace

BuiltInKinds::BuiltInKinds(schema::Catalog& catalog)
    : catalog_(catalog), reader_(*catalog.find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")) {
  for (const schema::BuiltInDefinitions::Entry& entry : definitions_.entries()) {
    outlines_.emplace(entry.name, &entry.outline);
    add(entry.name);
  }
}

void BuiltInKinds::add(std::string_view name) {
  const auto outline = outlines_.find(name);
  if (outline == outlines_.end()) return;
  put(without_schemas(*outline->second));
  unmade_.emplace(name);
}

void BuiltInKinds::make(std::string_view group, std::string_view plural) {
  if (unmade_.empty() || group.empty()) return;
  const auto found = unmade_.find(std::string(plural) + "." + std::string(group));
  if (found == unmade_.end()) return;
  put(definitions_.definition(unmade_.extract(found).value()));
}

void BuiltInKinds::make_group(std::string_view group) {
  std::vector<std::string> plurals;
  for (const std::string& name : unmade_) {
    const std::size_t dot = name.find('.');
    if (std::string_view(name).substr(dot + 1) == group) plurals.push_back(name.substr(0, dot));
  }
  for (const std::string& plural : plurals) make(group, plural);
}

void BuiltInKinds::put(const Value& definition) {
  for (const auto& resource : reader_.read(definition)) {
    auto own = std::make_shared<schema::Resource>(*resource);
    own->storage_hash = storage_hash({own->kind.group, own->storage_version, own->kind.kind});
    catalog_.add(std::move(own));
  }
}

}  // namespace loadline::apiserver
