#include "server/api/openapi/openapi_schemas.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "objects/schema/custom/schema_members.h"
#include "objects/schema/go_type.h"
#include "server/api/object_builder.h"
#include "server/api/openapi/openapi_paths.h"

namespace loadline::api {

using schema::Catalog;
using schema::Field;
using schema::Form;
using schema::GroupVersionKind;
using schema::is_true;
using schema::ListKind;
using schema::openapi_zero;
using schema::Resource;
using schema::Type;
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

constexpr const char* kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr const char* kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

Value typed(std::string_view type, std::string_view format = {}) {
  ObjectBuilder out;
  out.set("type", type);
  if (!format.empty()) out.set("format", format);
  return out.take();
}

/// A value that is a number or a string.
Value either(const char* first, const char* second, const char* format) {
  Array alternatives;
  alternatives.push_back(typed(first));
  alternatives.push_back(typed(second));
  ObjectBuilder out;
  if (format != nullptr) out.set("format", format);
  return out.set("oneOf", Value(std::move(alternatives))).take();
}

Value scalar_schema(Form form, OpenApiVersion version) {
  const bool is_v2 = version == OpenApiVersion::kV2;
  switch (form) {
    case Form::kString:
    case Form::kDuration:
      return typed("string");
    case Form::kBytes:
      return typed("string", "byte");
    case Form::kInt32:
      return typed("integer", "int32");
    case Form::kInt64:
      return typed("integer", "int64");
    case Form::kNumber:
      return typed("number", "double");
    case Form::kBoolean:
      return typed("boolean");
    case Form::kQuantity:
      return is_v2 ? typed("string") : either("string", "number", nullptr);
    case Form::kIntOrString:
      return is_v2 ? typed("string", "int-or-string") : either("integer", "string", "int-or-string");
    case Form::kTime:
    case Form::kMicroTime:
      return typed("string", "date-time");
    case Form::kRawObject:
    case Form::kFieldsV1:
    case Form::kObject:
      return typed("object");
    default:
      return Value(Object{});
  }
}

Value kind_entry(const GroupVersionKind& kind) {
  return ObjectBuilder().set("group", kind.group).set("kind", kind.kind).set("version", kind.version).take();
}

Value kind_list(const GroupVersionKind& kind) {
  Array kinds;
  kinds.push_back(kind_entry(kind));
  return Value(std::move(kinds));
}

void add_merge_strategy(const Field& field, ObjectBuilder& out) {
  if (!field.merge_key.empty()) out.set("x-kubernetes-patch-merge-key", field.merge_key);
  if (field.replaces) out.set("x-kubernetes-patch-strategy", "replace");
  if (!field.merges && !field.retains_keys) return;
  const char* both = field.merges ? "merge,retainKeys" : "retainKeys";
  out.set("x-kubernetes-patch-strategy", field.retains_keys ? both : "merge");
}

std::string_view type_name(const Value& schema) {
  const Value* type = schema.find("type");
  return type != nullptr && type->is_string() ? std::string_view(type->string()) : std::string_view();
}

/// `change` applied to every schema right below this one.
template <class Change>
Value map_children(const Value& schema, Change change) {
  Value out = schema;
  if (const Value* properties = schema.find("properties"); properties != nullptr && properties->is_object()) {
    Object changed;
    for (const Member& member : properties->object()) changed.push_back({member.key, change(member.value), {}});
    out = out.with("properties", Value(std::move(changed)));
  }
  for (const std::string_view key : {"items", "additionalProperties"}) {
    if (const Value* inner = schema.find(key); inner != nullptr && inner->is_object())
      out = out.with(key, change(*inner));
  }
  return out;
}

/// Fields that may be null cannot be required in version 2, which has no null.
Value without_nullable_required(const Value& schema) {
  const Value* required = schema.find("required");
  const Value* properties = schema.find("properties");
  if (required == nullptr || !required->is_array() || properties == nullptr) return schema;
  Array kept;
  for (const Value& name : required->array()) {
    const Value* property = properties->find(name.string());
    if (property == nullptr || !is_true(*property, "nullable")) kept.push_back(name);
  }
  return kept.empty() ? schema.without("required") : schema.with("required", Value(std::move(kept)));
}

/// A custom schema in version 2, which knows less, and in the shape that kubectl can read. Source: apiextensions'
/// ToStructuralOpenAPIV2.
Value to_version_2(const Value& schema) {
  if (!schema.is_object()) return schema;
  Value out = without_nullable_required(schema);
  for (const std::string_view key : {"allOf", "anyOf", "oneOf", "not"}) out = out.without(key);
  if (const bool may_be_null = is_true(schema, "nullable"); may_be_null) {
    for (const std::string_view key : {"type", "nullable", "items", "properties"}) out = out.without(key);
  }
  if (is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
    out = out.without("items").without("properties");
    if (type_name(out) == "object") out = out.without("type");
  }
  if (type_name(out) == "array" && out.find("items") == nullptr) out = out.without("type");
  return map_children(out, to_version_2);
}

}  // namespace

OpenApiSchemas::OpenApiSchemas(const Catalog& catalog, OpenApiVersion version) : catalog_(catalog), version_(version) {
  for (const auto& resource : catalog.all()) {
    if (!resource->is_custom) continue;
    const GroupVersionKind& kind = resource->kind;
    customs_.emplace(openapi_name(catalog, kind), Custom{resource, false});
    customs_.emplace(openapi_name(catalog, {kind.group, kind.version, resource->list_kind}), Custom{resource, true});
  }
  for (const auto& [words, name] : catalog.kinds()) {
    const std::size_t space = words.find(' ');
    const std::size_t slash = words.rfind('/', space);
    const bool has_group = slash != std::string::npos;
    const std::size_t version_begin = has_group ? slash + 1 : 0;
    named_kinds_[name].push_back({has_group ? words.substr(0, slash) : std::string(),
                                  words.substr(version_begin, space - version_begin), words.substr(space + 1)});
  }
}

void OpenApiSchemas::need(const std::string& name) {
  if (asked_.insert(name).second) waiting_.push_back(name);
}

Value OpenApiSchemas::take() {
  std::map<std::string, Value> schemas;
  while (!waiting_.empty()) {
    const std::string name = std::move(waiting_.back());
    waiting_.pop_back();
    schemas.emplace(name, schema_of(name));
  }
  Object members;
  for (auto& [name, schema] : schemas) members.push_back({name, std::move(schema), {}});
  return Value(std::move(members));
}

Value OpenApiSchemas::reference(const std::string& name) const {
  const char* root = version_ == OpenApiVersion::kV2 ? "#/definitions/" : "#/components/schemas/";
  return ObjectBuilder().set("$ref", root + name).take();
}

/// A reference that has something beside it, which version 3 does not allow for `$ref` itself.
Value OpenApiSchemas::referring(const std::string& name) {
  need(name);
  if (version_ == OpenApiVersion::kV2) return reference(name);
  Array all;
  all.push_back(reference(name));
  return ObjectBuilder().set("allOf", Value(std::move(all))).take();
}

Value OpenApiSchemas::schema_of(const std::string& name) {
  if (const Type* type = catalog_.find_type(name)) return object_schema(*type);
  const auto custom = customs_.find(name);
  if (custom == customs_.end()) return Value(Object{});
  return custom->second.is_list ? custom_list_schema(*custom->second.resource)
                                : custom_schema(*custom->second.resource);
}

Value OpenApiSchemas::object_schema(const Type& type) {
  if (type.form != Form::kObject) return scalar_schema(type.form, version_);
  ObjectBuilder out;
  out.set("type", "object");
  std::vector<std::string> required;
  Object properties;
  for (const Field& field : type.fields) {
    if (field.is_required) required.push_back(field.name);
    properties.push_back({field.name, field_schema(field), {}});
  }
  std::ranges::sort(required);
  std::ranges::sort(properties, {}, &Member::key);
  out.set_unless_empty("required", required);
  if (!properties.empty()) out.set("properties", Value(std::move(properties)));
  const auto named = named_kinds_.find(type.name);
  if (named != named_kinds_.end()) {
    Array kinds;
    for (const GroupVersionKind& kind : named->second) kinds.push_back(kind_entry(kind));
    out.set("x-kubernetes-group-version-kind", Value(std::move(kinds)));
  }
  if (type.is_atomic) out.set("x-kubernetes-map-type", "atomic");
  return out.take();
}

Value OpenApiSchemas::field_schema(const Field& field) {
  const Type& type = *field.type;
  Value schema = type.name.empty() ? type_schema(type) : referring(type.name);
  if (version_ == OpenApiVersion::kV3 && !field.initial.is_null()) schema = schema.with("default", field.initial);
  ObjectBuilder merge;
  add_merge_strategy(field, merge);
  const Value strategy = merge.take();
  for (const Member& member : strategy.object()) schema = schema.with(member.key, member.value);
  return schema;
}

/// Of a type without a name.
Value OpenApiSchemas::type_schema(const Type& type) {
  ObjectBuilder out;
  if (type.form == Form::kList) {
    out.set("type", "array").set("items", element_schema(*type.element));
    if (type.list == ListKind::kMap) out.set("x-kubernetes-list-map-keys", type.keys);
    constexpr std::array<const char*, 3> kWords = {"atomic", "set", "map"};
    if (type.states_list) out.set("x-kubernetes-list-type", kWords[static_cast<std::size_t>(type.list)]);
    return out.take();
  }
  if (type.form == Form::kMap) {
    out.set("type", "object").set("additionalProperties", element_schema(*type.element));
    if (type.is_atomic) out.set("x-kubernetes-map-type", "atomic");
    return out.take();
  }
  return scalar_schema(type.form, version_);
}

Value OpenApiSchemas::element_schema(const Type& element) {
  const Value initial = version_ == OpenApiVersion::kV3 ? openapi_zero(element) : Value();
  if (element.name.empty()) {
    const Value schema = type_schema(element);
    return initial.is_null() ? schema : schema.with("default", initial);
  }
  need(element.name);
  return initial.is_null() ? reference(element.name) : referring(element.name).with("default", initial);
}

/// apiVersion, kind and metadata, as every object has them, in place of whatever the schema says of them.
Value OpenApiSchemas::with_object_properties(const Value& schema) {
  const Value* properties = schema.find("properties");
  Value all = properties == nullptr ? Value(Object{}) : *properties;
  all = all.with("apiVersion", typed("string")).with("kind", typed("string")).with("metadata", referring(kObjectMeta));
  return schema.with("properties", std::move(all));
}

/// The same for objects inside of objects.
Value OpenApiSchemas::embedded_properties(const Value& schema) {
  if (!schema.is_object()) return schema;
  Value out = map_children(schema, [this](const Value& inner) { return embedded_properties(inner); });
  if (!is_true(schema, "x-kubernetes-embedded-resource")) return out;
  // In version 2, properties would make kubectl refuse all others.
  if (version_ == OpenApiVersion::kV2 && is_true(schema, "x-kubernetes-preserve-unknown-fields")) return out;
  return with_object_properties(out);
}

Value OpenApiSchemas::custom_schema(const Resource& resource) {
  Value schema = resource.schema.is_object() ? resource.schema : typed("object");
  const bool is_v2 = version_ == OpenApiVersion::kV2;
  if (is_v2) schema = to_version_2(schema);
  schema = embedded_properties(schema);
  // Version 2 says nothing at all of an object that may hold anything.
  const bool is_open = is_v2 && is_true(schema, "x-kubernetes-preserve-unknown-fields");
  if (!is_open) schema = with_object_properties(schema);
  schema = schema.with("x-kubernetes-group-version-kind", kind_list(resource.kind));
  if (resource.selectable_fields.empty() || is_v2) return schema;
  Array fields;
  for (const std::string& path : resource.selectable_fields) {
    // Without the leading dot, as field selectors name them.
    fields.push_back(ObjectBuilder().set("fieldPath", path.starts_with('.') ? path.substr(1) : path).take());
  }
  return schema.with("x-kubernetes-selectable-fields", Value(std::move(fields)));
}

Value OpenApiSchemas::custom_list_schema(const Resource& resource) {
  const std::string name = openapi_name(catalog_, resource.kind);
  need(name);
  const Value items = ObjectBuilder().set("type", "array").set("items", reference(name)).take();
  const Value properties = ObjectBuilder()
                               .set("apiVersion", typed("string"))
                               .set("items", items)
                               .set("kind", typed("string"))
                               .set("metadata", referring(kListMeta))
                               .take();
  return ObjectBuilder()
      .set("type", "object")
      .set("required", std::vector<std::string>{"items"})
      .set("properties", properties)
      .set("x-kubernetes-group-version-kind",
           kind_list({resource.kind.group, resource.kind.version, resource.list_kind}))
      .take();
}

}  // namespace loadline::api
