#include "objects/schema/custom/structural_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/cel/program.h"
#include "objects/schema/custom/schema_complaints.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::Value;

std::string text_of(const Value& parent, std::string_view name) {
  const Value* value = parent.find(name);
  return value != nullptr && value->is_string() ? value->string() : "";
}

std::optional<double> number_of(const Value& parent, std::string_view name) {
  const Value* value = parent.find(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->number();
}

std::optional<std::int64_t> integer_of(const Value& parent, std::string_view name) {
  const Value* value = parent.find(name);
  if (value == nullptr || !value->is_integer()) return std::nullopt;
  return value->integer();
}

std::vector<std::string> texts_of(const Value& parent, std::string_view name) {
  std::vector<std::string> texts;
  const Value* list = parent.find(name);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Value& text : list->array()) {
    if (text.is_string()) texts.push_back(text.string());
  }
  return texts;
}

void read_numbers(const Value& schema, ValueRules& rules) {
  rules.minimum = number_of(schema, "minimum");
  rules.maximum = number_of(schema, "maximum");
  rules.excludes_minimum = is_true(schema, "exclusiveMinimum");
  rules.excludes_maximum = is_true(schema, "exclusiveMaximum");
  rules.multiple_of = number_of(schema, "multipleOf");
  rules.min_length = integer_of(schema, "minLength");
  rules.max_length = integer_of(schema, "maxLength");
  rules.min_items = integer_of(schema, "minItems");
  rules.max_items = integer_of(schema, "maxItems");
  rules.min_properties = integer_of(schema, "minProperties");
  rules.max_properties = integer_of(schema, "maxProperties");
  rules.wants_unique_items = is_true(schema, "uniqueItems");
}

ExpressionRule read_expression(const Value& source) {
  ExpressionRule rule;
  rule.rule = text_of(source, "rule");
  rule.message = text_of(source, "message");
  rule.message_expression = text_of(source, "messageExpression");
  rule.reason = text_of(source, "reason");
  rule.field_path = text_of(source, "fieldPath");
  rule.optional_old_self = is_true(source, "optionalOldSelf");
  if (auto program = cel::compile(rule.rule)) rule.program = std::move(*program);
  if (!rule.message_expression.empty()) {
    if (auto program = cel::compile(rule.message_expression)) rule.message_program = std::move(*program);
  }
  return rule;
}

void read_constraints(const Value& schema, ValueRules& rules) {
  read_numbers(schema, rules);
  if (const std::string pattern = text_of(schema, "pattern"); !pattern.empty()) {
    if (auto compiled = Pattern::compile(pattern)) rules.pattern = std::move(*compiled);
  }
  if (const Value* allowed = schema.find("enum"); allowed != nullptr && allowed->is_array()) {
    rules.enumeration = allowed->array();
  }
  rules.required = texts_of(schema, "required");
  if (const Value* list = schema.find("x-kubernetes-validations"); list != nullptr && list->is_array()) {
    for (const Value& source : list->array()) rules.expressions.push_back(read_expression(source));
  }
}

/// Whether there are any here, or schema_below, where it is known.
bool holds_expressions(const ValueRules& rules) {
  const auto holds = [](const ValueRules::Child& child) { return child != nullptr && child->holds_expressions; };
  return !rules.expressions.empty() || holds(rules.items) || holds(rules.additional) ||
         std::any_of(rules.all_of.begin(), rules.all_of.end(), holds) ||
         std::any_of(rules.properties.begin(), rules.properties.end(),
                     [&](const auto& property) { return holds(property.second); });
}

/// All but the children.
void read_own(const Value& schema, ValueRules& rules) {
  rules.type = text_of(schema, "type");
  rules.is_int_or_string = is_true(schema, "x-kubernetes-int-or-string");
  if (std::string format = text_of(schema, "format");
      is_known_format(format, rules.is_int_or_string ? "integer" : rules.type) && !rules.is_int_or_string) {
    rules.format = std::move(format);
  }
  rules.is_nullable = is_true(schema, "nullable");
  rules.preserves_unknown = is_true(schema, "x-kubernetes-preserve-unknown-fields");
  rules.is_embedded_object = is_true(schema, "x-kubernetes-embedded-resource");
  if (const Value* initial = schema.find("default"); initial != nullptr) rules.initial = *initial;
  rules.list_type = text_of(schema, "x-kubernetes-list-type");
  rules.list_keys = texts_of(schema, "x-kubernetes-list-map-keys");
  rules.is_atomic_map = text_of(schema, "x-kubernetes-map-type") == "atomic";
  read_constraints(schema, rules);
  rules.holds_expressions = holds_expressions(rules);
}

// ---- Rules ----------------------------------------------------------------------------------------------------------

/// Reads schemas from their leaves up, each that is like another only once.
class RulesReader {
 public:
  ValueRules::Child read(const Value& schema) {
    auto rules = std::make_shared<ValueRules>();
    read_children(schema, *rules);
    const auto [place, is_new] = known_.try_emplace(key_of(schema, *rules));
    if (is_new) {
      read_own(schema, *rules);
      place->second = std::move(rules);
    }
    return place->second;
  }

 private:
  void read_children(const Value& schema, ValueRules& rules) {
    if (const Value* properties = schema.find("properties"); properties != nullptr && properties->is_object()) {
      for (const Member& property : properties->object()) {
        rules.properties.emplace_back(property.key, read(property.value));
      }
      std::sort(rules.properties.begin(), rules.properties.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    if (const Value* additional = schema.find("additionalProperties"); additional != nullptr) {
      if (additional->is_object()) rules.additional = read(*additional);
      rules.has_additional = additional->is_object() || (additional->is_boolean() && additional->boolean());
      rules.forbids_additional = additional->is_boolean() && !additional->boolean();
    }
    if (const Value* items = schema.find("items"); items != nullptr && items->is_object()) rules.items = read(*items);
    rules.all_of = read_all(schema, "allOf");
    rules.any_of = read_all(schema, "anyOf");
    rules.one_of = read_all(schema, "oneOf");
    if (const Value* negated = schema.find("not"); negated != nullptr && negated->is_object()) {
      rules.negated = read(*negated);
    }
  }

  std::vector<ValueRules::Child> read_all(const Value& parent, std::string_view name) {
    std::vector<ValueRules::Child> children;
    const Value* list = parent.find(name);
    if (list == nullptr || !list->is_array()) return children;
    for (const Value& child : list->array()) children.push_back(read(child));
    return children;
  }

  /// Equal for two schemas if and only if they say the same of values: with equal children, which are the same object
  /// by now, and equal members otherwise. What people read does not count.
  static std::string key_of(const Value& schema, const ValueRules& rules) {
    std::string key;
    const auto add = [&](std::string_view text) {
      fmt::format_to(std::back_inserter(key), "{}:{}", text.size(), text);
    };
    const auto add_child = [&](const ValueRules::Child& child) {
      fmt::format_to(std::back_inserter(key), "{},", fmt::ptr(child.get()));
    };
    const auto add_children = [&](const std::vector<ValueRules::Child>& children) {
      fmt::format_to(std::back_inserter(key), "{}:", children.size());
      for (const ValueRules::Child& child : children) add_child(child);
    };
    fmt::format_to(std::back_inserter(key), "{}:", rules.properties.size());
    for (const auto& [name, property] : rules.properties) {
      add(name);
      add_child(property);
    }
    add_child(rules.additional);
    key += rules.has_additional ? 'a' : rules.forbids_additional ? 'f' : 'n';
    add_child(rules.items);
    add_children(rules.all_of);
    add_children(rules.any_of);
    add_children(rules.one_of);
    add_child(rules.negated);
    if (!schema.is_object()) return key;
    constexpr std::string_view kElsewhere[] = {"properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf",
                                               "not",        "description",          "title"};
    for (const Member& member : schema.object()) {
      if (std::ranges::find(kElsewhere, member.key) != std::end(kElsewhere)) continue;
      add(member.key);
      add(document::write_json(member.value));
    }
    return key;
  }

  std::unordered_map<std::string, ValueRules::Child> known_;
};

// ---- Types ----------------------------------------------------------------------------------------------------------

/// Makes types of schemas, one of each: they are equal if their rules are the same object. Each keeps its rules alive.
class TypeMaker {
 public:
  explicit TypeMaker(const Type& object_meta) : object_meta_(object_meta) {}

  const Type* make_root(const ValueRules::Child& rules, std::string name) {
    Type& type = types_->add();
    fill(type, rules);
    type.name = std::move(name);
    add_meta_fields(type);
    return &type;
  }

  [[nodiscard]] std::shared_ptr<const TypeSet> types() const { return types_; }

 private:
  const Type* type_of(const ValueRules::Child& rules) {
    if (const auto known = known_.find(rules.get()); known != known_.end()) return known->second;
    Type& type = types_->add();
    fill(type, rules);
    known_.emplace(rules.get(), &type);
    return &type;
  }

  void fill(Type& type, const ValueRules::Child& rules) {
    type.rules = rules;
    type.is_nullable = rules->is_nullable;
    type.preserves_unknown = rules->preserves_unknown;
    type.is_embedded_object = rules->is_embedded_object;
    type.form = form_of(*rules);
    if (type.form == Form::kObject) fill_object(type, *rules);
    if (type.form == Form::kMap) fill_map(type, *rules);
    if (type.form == Form::kList) fill_list(type, *rules);
  }

  static Form form_of(const ValueRules& rules) {
    if (rules.is_int_or_string) return Form::kIntOrString;
    if (rules.type == "string") return Form::kString;
    if (rules.type == "integer") return Form::kInt64;
    if (rules.type == "number") return Form::kNumber;
    if (rules.type == "boolean") return Form::kBoolean;
    if (rules.type == "array") return Form::kList;
    if (rules.type != "object") return Form::kAny;
    return rules.has_additional && rules.properties.empty() ? Form::kMap : Form::kObject;
  }

  void fill_object(Type& type, const ValueRules& rules) {
    type.is_atomic = rules.is_atomic_map;
    type.fields.reserve(rules.properties.size());
    for (const auto& [name, property] : rules.properties) {
      Field field = field_of(name, type_of(property));
      field.is_required = std::find(rules.required.begin(), rules.required.end(), name) != rules.required.end();
      if (property->initial) field.initial = *property->initial;
      type.fields.push_back(std::move(field));
    }
    if (rules.is_embedded_object) add_meta_fields(type);
  }

  void fill_map(Type& type, const ValueRules& rules) {
    type.is_atomic = rules.is_atomic_map;
    type.element = rules.additional != nullptr ? type_of(rules.additional) : scalar(Form::kAny);
  }

  void fill_list(Type& type, const ValueRules& rules) {
    type.element = rules.items != nullptr ? type_of(rules.items) : scalar(Form::kAny);
    type.keys = rules.list_keys;
    type.states_list = !rules.list_type.empty();
    type.list = rules.list_type == "set"   ? ListKind::kSet
                : rules.list_type == "map" ? ListKind::kMap
                                           : ListKind::kAtomic;
  }

  /// apiVersion, kind and metadata, which every object has whatever its schema says of them.
  void add_meta_fields(Type& type) {
    const std::vector<std::pair<std::string, const Type*>> fields{
        {"apiVersion", scalar(Form::kString)}, {"kind", scalar(Form::kString)}, {"metadata", &object_meta_}};
    for (const auto& [name, of] : fields) {
      const auto same = [&](const Field& field) { return field.name == name; };
      const auto found = std::find_if(type.fields.begin(), type.fields.end(), same);
      if (found == type.fields.end()) {
        type.fields.push_back(field_of(name, of));
      } else {
        found->type = of;
      }
    }
    std::sort(type.fields.begin(), type.fields.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
  }

  const Type* scalar(Form form) {
    const Type*& known = scalars_[form];
    if (known == nullptr) {
      Type& type = types_->add();
      type.form = form;
      known = &type;
    }
    return known;
  }

  /// Custom objects are kept as written: no zero value is left out or added.
  static Field field_of(std::string name, const Type* type) {
    Field field;
    field.name = std::move(name);
    field.type = type;
    field.omits_empty = true;
    field.is_pointer = true;
    return field;
  }

  const Type& object_meta_;
  std::shared_ptr<TypeSet> types_ = std::make_shared<TypeSet>();
  std::unordered_map<const ValueRules*, const Type*> known_;
  std::map<Form, const Type*> scalars_;
};

// ---- Resources ------------------------------------------------------------------------------------------------------

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

const Value& empty_object() {
  static const auto& empty = *new Value(document::Object{});
  return empty;
}

const Value& schema_below(const Value& parent, std::string_view name) {
  const Value* value = parent.find(name);
  return value == nullptr ? empty_object() : *value;
}

const document::Array& versions_of(const Value& spec) {
  static const auto& none = *new document::Array();
  const Value* versions = spec.find("versions");
  return versions != nullptr && versions->is_array() ? versions->array() : none;
}

std::string storage_version(const Value& spec) {
  for (const Value& version : versions_of(spec)) {
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
  for (const Value& other : versions_of(spec)) {
    const std::string name = text_of(other, "name");
    if (is_true(other, "served") && !is_true(other, "deprecated") && is_preferred(name, best)) best = name;
  }
  return best == kind.version ? warning : fmt::format("{}; use {}/{} {}", warning, kind.group, best, kind.kind);
}

std::shared_ptr<Resource> make_resource(const Value& spec, const Value& version) {
  const Value& names = schema_below(spec, "names");
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
  resource->schema = schema_below(schema_below(version, "schema"), "openAPIV3Schema");
  return resource;
}

// ---- Warnings -------------------------------------------------------------------------------------------------------

class WarningCollector {
 public:
  void visit(const Value& schema, const std::string& path) {
    warn_of_expressions(schema, path);
    warn_of_format(schema);
    for (const std::string_view name : {"properties", "additionalProperties", "items", "not"}) {
      const Value* child = schema.find(name);
      if (child == nullptr || !child->is_object()) continue;
      const std::string at = path + '.' + std::string(name);
      if (name != "properties") {
        visit(*child, at);
        continue;
      }
      for (const Member& property : child->object()) visit(property.value, at + '[' + property.key + ']');
    }
    for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
      const Value* list = schema.find(name);
      if (list == nullptr || !list->is_array()) continue;
      for (std::size_t i = 0; i < list->array().size(); ++i) {
        visit(list->array()[i], fmt::format("{}.{}[{}]", path, name, i));
      }
    }
  }

  std::vector<std::string> warnings;

 private:
  void warn_of_expressions(const Value& schema, const std::string& path) {
    const Value* list = schema.find("x-kubernetes-validations");
    if (list == nullptr || !list->is_array()) return;
    for (std::size_t i = 0; i < list->array().size(); ++i) {
      for (const std::string_view part : {"rule", "messageExpression"}) {
        const std::string source = text_of(list->array()[i], part);
        if (source.empty()) continue;
        const auto program = cel::compile(source);
        if (program) continue;
        warnings.push_back(fmt::format("{}.x-kubernetes-validations[{}].{}: {} is not evaluated: {}", path, i, part,
                                       quoted(source), program.error().message));
      }
    }
  }

  void warn_of_format(const Value& schema) {
    const std::string format = text_of(schema, "format");
    if (format.empty() || is_known_format(format, text_of(schema, "type"))) return;
    std::string warning = "unrecognized format " + quoted(format);
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
  }
};

}  // namespace

std::shared_ptr<const ValueRules> read_schema(const Value& schema) { return RulesReader().read(schema); }

struct DefinitionReader::Parts {
  RulesReader rules;
  TypeMaker types;
};

DefinitionReader::DefinitionReader(const Type& object_meta)
    : parts_(std::make_unique<Parts>(Parts{{}, TypeMaker(object_meta)})) {}
DefinitionReader::~DefinitionReader() = default;

std::vector<std::shared_ptr<const Resource>> DefinitionReader::read(const Value& definition) {
  std::vector<std::shared_ptr<const Resource>> resources;
  const Value& spec = schema_below(definition, "spec");
  for (const Value& version : versions_of(spec)) {
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

std::vector<std::string> definition_warnings(const Value& definition) {
  WarningCollector collector;
  const document::Array& versions = versions_of(schema_below(definition, "spec"));
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Value& schema = schema_below(schema_below(versions[i], "schema"), "openAPIV3Schema");
    collector.visit(schema, fmt::format("spec.versions[{}].schema.openAPIV3Schema", i));
  }
  return std::move(collector.warnings);
}

}  // namespace loadline::schema
