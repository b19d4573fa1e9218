#include "objects/kube/custom_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "objects/schema/conform.h"
#include "objects/schema/custom/custom_object.h"
#include "objects/schema/custom/definition_defaults.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/definitions.h"
#include "objects/schema/custom/structural_schema.h"
#include "objects/schema/published.h"

namespace loadline::kube {

using document::Value;

namespace {

constexpr std::string_view kDefinitionVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kDefinitionKind = "CustomResourceDefinition";

const Value* below(const Value& object, std::initializer_list<std::string_view> names) {
  const Value* place = &object;
  for (const std::string_view name : names) {
    if (!place->is_object()) return nullptr;
    place = place->find(name);
    if (place == nullptr) return nullptr;
  }
  return place;
}

std::string text_below(const Value& object, std::initializer_list<std::string_view> names) {
  const Value* text = below(object, names);
  return text != nullptr && text->is_string() ? text->string() : std::string();
}

std::string key_of(std::string_view group, std::string_view kind) { return fmt::format("{}/{}", group, kind); }

std::string key_of(const Value& definition) {
  return key_of(text_below(definition, {"spec", "group"}), text_below(definition, {"spec", "names", "kind"}));
}

/// Reading the schemas that built-in definitions share changes what is kept of them.
std::mutex& built_in_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

schema::BuiltInDefinitions& built_in() {
  static auto& definitions = *new schema::BuiltInDefinitions;
  return definitions;
}

const schema::BuiltInDefinitions::Entry* find_built_in(const std::string& key) {
  const auto& entries = built_in().entries();
  const auto found = std::ranges::find(entries, key, [](const auto& entry) { return key_of(entry.outline); });
  return found == entries.end() ? nullptr : &*found;
}

/// The built-in definition of a kind; null if there is none.
Value built_in_definition(const std::string& key) {
  const std::lock_guard lock(built_in_mutex());
  const auto* entry = find_built_in(key);
  return entry == nullptr ? Value() : built_in().definition(entry->name);
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
  if (const Value* items = below(document, {"items"}); items != nullptr && items->is_array()) {
    for (const Value& item : items->array()) note(item);
    return;
  }
  if (text_below(document, {"kind"}) != kDefinitionKind) return;
  if (text_below(document, {"apiVersion"}) != kDefinitionVersion) return;
  const Value definition = schema::with_defaults(document);
  const schema::Type& type = *schema::find_published(kDefinitionVersion, kDefinitionKind)->type;
  schema::Conformed conformed = schema::conform(definition, type);
  if (!conformed.error.empty() || !schema::validate_definition(conformed.value, nullptr).empty()) return;
  definitions_.insert_or_assign(key_of(conformed.value), std::move(conformed.value));
}

const schema::Resource* CustomKinds::find(std::string_view api_version, std::string_view kind) {
  const std::string name = fmt::format("{} {}", api_version, kind);
  if (const auto known = found_.find(name); known != found_.end()) return known->second.get();
  auto& found = found_[name];
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const std::string key = key_of(api_version.substr(0, slash), kind);
  const auto own = definitions_.find(key);
  const Value definition = own != definitions_.end() ? own->second : built_in_definition(key);
  if (definition.is_null()) return nullptr;
  for (std::shared_ptr<const schema::Resource>& resource : schema::read_definition(definition, object_meta())) {
    if (resource->kind.version == api_version.substr(slash + 1)) found = std::move(resource);
  }
  return found.get();
}

std::string CustomKinds::built_in_source(const schema::Resource& resource) const {
  const std::string key = key_of(resource.kind.group, resource.kind.kind);
  if (definitions_.contains(key)) return {};
  const std::lock_guard lock(built_in_mutex());
  const auto* entry = find_built_in(key);
  return entry == nullptr ? std::string() : entry->source;
}

FieldErrors validate_custom_object(const Value& object, const schema::Resource& resource) {
  const schema::ValueRules& rules = *resource.type->rules;
  const schema::Conformed conformed = schema::conform_custom(object, rules, object_meta());
  if (!conformed.error.empty()) return {};  // mistyped metadata, which decoding reports with its place
  FieldErrors errors = schema::validate_custom(conformed.value, nullptr, rules);
  // That expressions were not evaluated because of the other errors helps no author.
  std::erase_if(errors, [](const FieldError& error) { return error.path == "<nil>"; });
  return errors;
}

}  // namespace loadline::kube
