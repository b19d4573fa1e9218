#include "objects/kube/custom_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/conform.h"
#include "objects/schema/custom/custom_object.h"
#include "objects/schema/custom/definition_defaults.h"
#include "objects/schema/custom/definition_reader.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/definitions.h"
#include "objects/schema/published.h"

namespace loadline::kube {

using document::find_at;
using document::text_at;
using document::Value;

namespace {

constexpr std::string_view kDefinitionVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kDefinitionKind = "CustomResourceDefinition";
constexpr std::string_view kNoField = "<nil>";  // the path of errors about a whole object

std::string key_of(std::string_view group, std::string_view kind) { return fmt::format("{}/{}", group, kind); }

std::string key_of(const Value& definition) {
  return key_of(text_at(definition, {"spec", "group"}), text_at(definition, {"spec", "names", "kind"}));
}

/// A definition, and the module that it is from if it is built in and another project's.
struct Definition {
  Value document;
  std::string source;
};

/// The built-in definition of a kind; null if there is none.
Definition built_in_definition(const std::string& key) {
  static auto& mutex = *new std::mutex;  // schemas that definitions share are made on demand
  static auto& definitions = *new schema::BuiltInDefinitions;
  const std::lock_guard lock(mutex);
  const auto& entries = definitions.entries();
  const auto found = std::ranges::find(entries, key, [](const auto& entry) { return key_of(entry.outline); });
  if (found == entries.end()) return {};
  return {definitions.definition(found->name), found->source};
}

const schema::Type& object_meta() {
  static const schema::Type& type = *schema::find_built_in("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  return type;
}

}  // namespace

CustomKinds::CustomKinds(const std::vector<SourceDocument>& documents) {
  for (const SourceDocument& document : documents) note(document.value);
}

void CustomKinds::note(const Value& document) {
  if (const Value* items = find_at(document, {"items"}); items != nullptr && items->is_array()) {
    for (const Value& item : items->array()) note(item);
    return;
  }
  if (text_at(document, {"kind"}) != kDefinitionKind) return;
  if (text_at(document, {"apiVersion"}) != kDefinitionVersion) return;
  const Value definition = schema::with_defaults(document);
  const schema::Type& type = *schema::find_published(kDefinitionVersion, kDefinitionKind)->type;
  schema::Conformed conformed = schema::conform(definition, type);
  if (!conformed.error.empty() || !schema::validate_definition(conformed.value, nullptr).empty()) return;
  definitions_.insert_or_assign(key_of(conformed.value), std::move(conformed.value));
}

const CustomKind* CustomKinds::find(std::string_view api_version, std::string_view kind) {
  const auto [place, is_new] = found_.try_emplace(fmt::format("{} {}", api_version, kind));
  if (is_new) place->second = read(api_version, kind);
  return place->second.resource == nullptr ? nullptr : &place->second;
}

CustomKind CustomKinds::read(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string key = key_of(api_version.substr(0, slash), kind);
  const auto own = definitions_.find(key);
  const Definition definition = own != definitions_.end() ? Definition{own->second, {}} : built_in_definition(key);
  if (definition.document.is_null()) return {};
  for (const auto& resource : schema::read_definition(definition.document, object_meta())) {
    if (resource->kind.version != api_version.substr(slash + 1)) continue;
    return {resource, &schemas_.schema_of(*resource->type), definition.source};
  }
  return {};
}

Value with_definition_defaults(const Value& object, const schema::Resource& resource) {
  schema::Conformed conformed = schema::conform_custom(object, *resource.type->rules, object_meta());
  if (!conformed.error.empty()) return object;
  return std::move(conformed.value);
}

FieldErrors validate_custom_object(const Value& object, const schema::Resource& resource) {
  const schema::ValueRules& rules = *resource.type->rules;
  const schema::Conformed conformed = schema::conform_custom(object, rules, object_meta());
  if (!conformed.error.empty()) return {};  // mistyped metadata, which decoding reports with its place
  FieldErrors errors = schema::validate_custom(conformed.value, nullptr, rules);
  // That expressions were not evaluated because of the other errors helps no author.
  std::erase_if(errors, [](const FieldError& error) {
    return error.path == kNoField && error.message.find("some validation rules were not checked") != std::string::npos;
  });
  for (FieldError& error : errors) {
    if (error.path == kNoField) error.path.clear();
  }
  return errors;
}

}  // namespace loadline::kube
