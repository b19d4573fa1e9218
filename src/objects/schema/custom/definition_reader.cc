#include "objects/schema/custom/definition_reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/text.h"
#include "objects/schema/custom/schema_members.h"
#include "objects/schema/custom/structural_schema.h"
#include "objects/schema/custom/type_maker.h"

namespace loadline::schema {
namespace {

using document::Value;

void add_subresources(const Value& version, Resource& resource) {
  const Value* subresources = version.find("subresources");
  if (subresources == nullptr) return;
  if (subresources->find("status") != nullptr) {
    resource.subresources.push_back({"status", resource.kind, {"get", "patch", "update"}});
  }
  if (const Value* scale = subresources->find("scale"); scale != nullptr) {
    resource.subresources.push_back({"scale", {"autoscaling", "v1", "Scale"}, {"get", "patch", "update"}});
    resource.scale = {text_of(*scale, "specReplicasPath"), text_of(*scale, "statusReplicasPath"),
                      text_of(*scale, "labelSelectorPath")};
  }
}

void add_columns(const Value& version, Resource& resource) {
  if (const Value* columns = version.find("additionalPrinterColumns"); columns != nullptr && columns->is_array()) {
    for (const Value& source : columns->array()) {
      const auto priority = static_cast<std::int32_t>(integer_of(source, "priority").value_or(0));
      resource.columns.push_back({text_of(source, "name"), text_of(source, "type"), text_of(source, "format"),
                                  text_of(source, "description"), priority, text_of(source, "jsonPath")});
    }
  }
  if (const Value* fields = version.find("selectableFields"); fields != nullptr && fields->is_array()) {
    for (const Value& field : fields->array()) resource.selectable_fields.push_back(text_of(field, "jsonPath"));
  }
}

/// As OpenAPI documents call it: "com.example.v1.Widget".
std::string type_name(const GroupVersionKind& kind) {
  std::string name;
  for (const std::string_view part : split(kind.group, ".")) name = fmt::format("{}.{}", part, name);
  return name + kind.version + '.' + kind.kind;
}

std::string storage_version(const Value& spec) {
  for (const Value& version : list_of(spec, "versions")) {
    if (is_true(version, "storage")) return text_of(version, "name");
  }
  return {};
}

/// Upstream's text, unless the definition has its own; empty: not deprecated.
std::string deprecation_warning(const Value& spec, const Value& version, const GroupVersionKind& kind) {
  if (!is_true(version, "deprecated")) return {};
  if (std::string own = text_of(version, "deprecationWarning"); !own.empty()) return own;
  std::string warning = fmt::format("{} {} is deprecated", kind.api_version(), kind.kind);
  // The newest version after this one, if there is one to go to.
  std::string best = kind.version;
  for (const Value& other : list_of(spec, "versions")) {
    const std::string name = text_of(other, "name");
    if (is_true(other, "served") && !is_true(other, "deprecated") && is_preferred(name, best)) best = name;
  }
  return best == kind.version ? warning : fmt::format("{}; use {}/{} {}", warning, kind.group, best, kind.kind);
}

std::shared_ptr<Resource> make_resource(const Value& spec, const Value& version) {
  const Value& names = member_or_empty(spec, "names");
  auto resource = std::make_shared<Resource>();
  resource->kind = {text_of(spec, "group"), text_of(version, "name"), text_of(names, "kind")};
  resource->plural = text_of(names, "plural");
  resource->singular = text_of(names, "singular");
  resource->list_kind = text_of(names, "listKind");
  resource->is_namespaced = text_of(spec, "scope") == "Namespaced";
  resource->is_custom = true;
  resource->verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  resource->short_names = texts_of(names, "shortNames");
  resource->categories = texts_of(names, "categories");
  resource->storage_version = storage_version(spec);
  resource->deprecation_warning = deprecation_warning(spec, version, resource->kind);
  add_subresources(version, *resource);
  add_columns(version, *resource);
  resource->schema = schema_of_version(version);
  return resource;
}

}  // namespace

struct DefinitionReader::Parts {
  RulesReader rules;
  TypeMaker types;
};

DefinitionReader::DefinitionReader(const Type& object_meta)
    : parts_(std::make_unique<Parts>(Parts{{}, TypeMaker(object_meta)})) {}
DefinitionReader::~DefinitionReader() = default;

std::vector<std::shared_ptr<const Resource>> DefinitionReader::read(const Value& definition) {
  std::vector<std::shared_ptr<const Resource>> resources;
  const Value& spec = member_or_empty(definition, "spec");
  for (const Value& version : list_of(spec, "versions")) {
    if (!is_true(version, "served")) continue;
    std::shared_ptr<Resource> resource = make_resource(spec, version);
    resource->type = parts_->types.make_root(parts_->rules.read(resource->schema), type_name(resource->kind));
    resource->types = parts_->types.types();
    resources.push_back(std::move(resource));
  }
  return resources;
}

std::vector<std::shared_ptr<const Resource>> read_definition(const Value& definition, const Type& object_meta) {
  return DefinitionReader(object_meta).read(definition);
}

}  // namespace loadline::schema
