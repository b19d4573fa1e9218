#include "objects/schema/custom/definition_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/utf8.h"
#include "objects/schema/custom/schema_members.h"
#include "objects/schema/custom/schema_validation.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/names.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::find_at;
using document::text_at;
using document::Value;

constexpr std::string_view kColumnTypes = "boolean,date,integer,number,string";
constexpr std::string_view kColumnFormats = "byte,date,date-time,double,float,int32,int64,password";
constexpr std::size_t kMaxSelectableFields = 8;

bool is_one_of(std::string_view word, std::string_view words) {
  const auto all = split(words, ",");
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// Whether all versions have the same there: upstream then keeps it once, for all.
bool is_shared(const document::Array& versions, std::string_view name) {
  return std::all_of(versions.begin(), versions.end(), [&](const Value& version) {
    const Value* first = versions.front().find(name);
    const Value* other = version.find(name);
    return first == nullptr || other == nullptr ? first == other : *first == *other;
  });
}

class DefinitionCheck {
 public:
  explicit DefinitionCheck(const Value& definition) : definition_(definition) {
    if (const Value* spec = definition.find("spec"); spec != nullptr) spec_ = *spec;
  }

  FieldErrors run(const Value* old) {
    check_name();
    check_group_and_scope();
    check_versions();
    check_names();
    check_shared();
    check_conversion();
    if (old != nullptr) check_unchanged(*old);
    check_approval(old);
    return std::move(errors_);
  }

 private:
  void add(std::string path, std::string message) { errors_.push_back({std::move(path), std::move(message), {}}); }
  void required(std::string path, std::string_view detail = {}) {
    add(std::move(path), "Required value" + (detail.empty() ? "" : ": " + std::string(detail)));
  }
  void invalid(std::string path, const Value& value, std::string_view detail) {
    add(std::move(path), fmt::format("Invalid value: {}: {}", shown_value(value), detail));
  }
  void forbidden(std::string path, std::string_view detail) {
    add(std::move(path), fmt::format("Forbidden: {}", detail));
  }
  void problems(const std::string& path, std::string_view value, const NameProblems& found,
                std::string_view before = {}) {
    if (!found.empty()) invalid(path, Value(value), std::string(before) + joined(found, ","));
  }

  void check_name() {
    const std::string_view name = text_at(definition_, {"metadata", "name"});
    for (const std::string& problem : dns_subdomain_problems(name)) {
      invalid("metadata.name", Value(name), problem);
    }
    const std::string wanted = fmt::format("{}.{}", text_at(spec_, {"names", "plural"}), text_at(spec_, {"group"}));
    if (name != wanted) invalid("metadata.name", Value(name), "must be spec.names.plural+\".\"+spec.group");
  }

  void check_group_and_scope() {
    const std::string_view group = text_at(spec_, {"group"});
    const NameProblems found = dns_subdomain_problems(group);
    if (group.empty()) {
      required("spec.group");
    } else if (!found.empty()) {
      problems("spec.group", group, found);
    } else if (group.find('.') == std::string_view::npos) {
      invalid("spec.group", Value(group), "should be a domain with at least one dot");
    }
    choice("spec.scope", text_at(spec_, {"scope"}), "Cluster", "Namespaced");
  }

  void choice(std::string path, std::string_view value, std::string_view one, std::string_view other) {
    if (value.empty()) return required(std::move(path));
    if (value == one || value == other) return;
    add(std::move(path),
        fmt::format("Unsupported value: {}: supported values: \"{}\", \"{}\"", quoted(value), one, other));
  }

  void check_versions() {
    const document::Array& versions = list_of(spec_, "versions");
    const bool has_shared_schema = !versions.empty() && is_shared(versions, "schema") &&
                                   find_at(versions.front(), {"schema", "openAPIV3Schema"}) != nullptr;
    for (std::size_t i = 0; i < versions.size() && !has_shared_schema; ++i) {
      if (find_at(versions[i], {"schema", "openAPIV3Schema"}) != nullptr) continue;
      required(fmt::format("spec.versions[{}].schema.openAPIV3Schema", i));
    }
    std::vector<std::string_view> names;
    int stored = 0;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      check_version(versions[i], fmt::format("spec.versions[{}]", i));
      names.push_back(text_at(versions[i], {"name"}));
      if (is_true(versions[i], "storage")) ++stored;
    }
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      about_versions(versions, "must contain unique version names");
    }
    if (stored != 1) about_versions(versions, "must have exactly one version marked as storage version");
    if (!versions.empty()) {
      const std::string_view first = text_at(versions.front(), {"name"});
      if (!first.empty()) problems("spec.version", first, dns_1035_label_problems(first));
    }
  }

  /// Upstream shows its internal structs, in which what all versions share has moved elsewhere.
  void about_versions(const document::Array& versions, std::string_view detail) {
    std::string shown;
    for (const Value& version : versions) {
      const Value* warning = version.find("deprecationWarning");
      shown += fmt::format(
          "{}{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":null,"
          "\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}}",
          shown.empty() ? "" : ",", quoted(text_at(version, {"name"})), is_true(version, "served"),
          is_true(version, "storage"), is_true(version, "deprecated"),
          warning == nullptr ? "null" : shown_value(*warning));
    }
    add("spec.versions", fmt::format("Invalid value: [{}]: {}", shown, detail));
  }

  void check_version(const Value& version, const std::string& path) {
    const std::string_view name = text_at(version, {"name"});
    problems(path + ".name", name, dns_1035_label_problems(name));
    if (const Value* warning = version.find("deprecationWarning"); warning != nullptr && warning->is_string()) {
      check_deprecation(version, warning->string(), path + ".deprecationWarning");
    }
    const document::Array& versions = list_of(spec_, "versions");
    if (!is_shared(versions, "schema")) check_schema(version, path + ".schema");
    if (!is_shared(versions, "subresources")) check_subresources(version, path + ".subresources");
    if (!is_shared(versions, "additionalPrinterColumns")) check_columns(version, path + ".additionalPrinterColumns");
    if (!is_shared(versions, "selectableFields")) check_selectable(version, path + ".selectableFields");
  }

  /// What all versions share, which upstream keeps in the specification itself.
  void check_shared() {
    const document::Array& versions = list_of(spec_, "versions");
    if (versions.empty()) return;
    const Value& first = versions.front();
    if (is_shared(versions, "schema")) check_schema(first, "spec.validation");
    if (is_shared(versions, "subresources")) check_subresources(first, "spec.subresources");
    if (is_shared(versions, "additionalPrinterColumns")) check_columns(first, "spec.additionalPrinterColumns");
    if (is_shared(versions, "selectableFields")) check_selectable(first, "spec.selectableFields");
  }

  void check_deprecation(const Value& version, const std::string& warning, const std::string& path) {
    if (!is_true(version, "deprecated")) {
      return invalid(path, Value(warning), "can only be set for deprecated versions");
    }
    if (warning.size() > 256) invalid(path, Value(warning), "must be <= 256 characters long");
    if (warning.empty()) invalid(path, Value(warning), "must not be an empty string");
    const auto control = std::find_if(warning.begin(), warning.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (control == warning.end()) return;
    invalid(path, Value(warning),
            fmt::format("must only contain printable UTF-8 characters; non-printable character found at index {}",
                        control - warning.begin()));
  }

  void check_schema(const Value& version, const std::string& path) {
    const Value* schema = find_at(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) return;
    if (find_at(version, {"subresources", "status"}) != nullptr) check_root_with_status(*schema, path);
    if (is_true(*schema, "nullable"))
      forbidden(path + ".openAPIV3Schema.nullable", "nullable cannot be true at the root");
    for (FieldError& error : validate_schema(*schema, path + ".openAPIV3Schema")) {
      errors_.push_back(std::move(error));
    }
  }

  /// With a status subresource, the schema of status is taken out of the whole: what would be lost is not allowed.
  void check_root_with_status(const Value& schema, const std::string& path) {
    const std::string_view type = text_at(schema, {"type"});
    if (!type.empty() && type != "object") {
      invalid(path + ".openAPIV3Schema.type", Value(type),
              "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
    }
    constexpr std::string_view kAllowed =
        "description,type,format,title,maximum,exclusiveMaximum,minimum,exclusiveMinimum,maxLength,minLength,pattern,"
        "maxItems,minItems,uniqueItems,multipleOf,required,items,properties,externalDocs,example,"
        "x-kubernetes-preserve-unknown-fields,x-kubernetes-validations";
    if (!schema.is_object()) return;
    for (const document::Member& member : schema.object()) {
      if (is_one_of(member.key, kAllowed)) continue;
      return invalid(
          path + ".openAPIV3Schema", schema,
          "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
          "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs "
          "Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the "
          "status subresource is enabled");
    }
  }

  void check_subresources(const Value& version, const std::string& path) {
    const Value* scale = find_at(version, {"subresources", "scale"});
    if (scale == nullptr) return;
    const std::string at = path + ".scale.";
    check_scale_path(text_at(*scale, {"specReplicasPath"}), at + "specReplicasPath", {".spec."},
                     "should be a json path under .spec");
    check_scale_path(text_at(*scale, {"statusReplicasPath"}), at + "statusReplicasPath", {".status."},
                     "should be a json path under .status");
    if (const std::string_view selector = text_at(*scale, {"labelSelectorPath"}); !selector.empty()) {
      check_scale_path(selector, at + "labelSelectorPath", {".spec.", ".status."},
                       "should be a json path under either .spec or .status");
    }
  }

  void check_scale_path(std::string_view value, const std::string& path,
                        std::initializer_list<std::string_view> beginnings, std::string_view detail) {
    if (value.empty()) return required(path);
    if (value.front() != '.') return invalid(path, Value(value), "must be a simple json path starting with .");
    const auto begins = [&](std::string_view beginning) { return value.starts_with(beginning); };
    if (std::none_of(beginnings.begin(), beginnings.end(), begins)) invalid(path, Value(value), detail);
  }

  void check_columns(const Value& version, const std::string& path) {
    const document::Array& columns = list_of(version, "additionalPrinterColumns");
    for (std::size_t i = 0; i < columns.size(); ++i) check_column(columns[i], fmt::format("{}[{}]", path, i));
  }

  void check_column(const Value& column, const std::string& path) {
    const std::string_view type = text_at(column, {"type"});
    const std::string_view format = text_at(column, {"format"});
    const std::string_view json_path = text_at(column, {"jsonPath"});
    const std::string types = fmt::format("must be one of {}", kColumnTypes);
    if (text_at(column, {"name"}).empty()) required(path + ".name");
    if (type.empty()) {
      required(path + ".type", types);
    } else if (!is_one_of(type, kColumnTypes)) {
      invalid(path + ".type", Value(type), types);
    }
    if (!format.empty() && !is_one_of(format, kColumnFormats)) {
      invalid(path + ".format", Value(format), fmt::format("must be one of {}", kColumnFormats));
    }
    if (json_path.empty()) {
      required(path + ".JSONPath");
    } else if (json_path.front() != '.') {
      invalid(path + ".JSONPath", Value(json_path), "must be a simple json path starting with .");
    }
  }

  void check_selectable(const Value& version, const std::string& path) {
    const document::Array& fields = list_of(version, "selectableFields");
    const Value* schema = find_at(version, {"schema", "openAPIV3Schema"});
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string at = fmt::format("{}[{}].jsonPath", path, i);
      const std::string json_path(text_at(fields[i], {"jsonPath"}));
      if (json_path.empty()) {
        required(at);
        continue;
      }
      if (!check_selectable_path(json_path, schema, at)) continue;
      if (std::find(seen.begin(), seen.end(), json_path) != seen.end()) {
        add(at, "Duplicate value: " + quoted(json_path));
      } else {
        seen.push_back(json_path);
      }
    }
    if (seen.size() > kMaxSelectableFields) {
      add(path, fmt::format("Too many: {}: must have at most {} items", seen.size(), kMaxSelectableFields));
    }
  }

  /// Whether the path leads anywhere.
  bool check_selectable_path(const std::string& json_path, const Value* schema, const std::string& at) {
    const auto reject = [&](std::string_view why) {
      invalid(at, Value(json_path), fmt::format("is an invalid path: {}", why));
      return false;
    };
    if (json_path.front() != '.') return reject("expected [ or . but got: " + json_path);
    const Value* found = schema;
    for (const std::string_view name : split(std::string_view(json_path).substr(1), ".")) {
      if (name.find('[') != std::string_view::npos) return reject("array notation is not allowed");
      const Value* properties = found == nullptr ? nullptr : found->find("properties");
      found = properties == nullptr ? nullptr : properties->find(name);
      if (found == nullptr) return reject("does not refer to a valid field");
    }
    if (json_path == ".metadata" || json_path.starts_with(".metadata.")) {
      invalid(at, Value(json_path), "must not point to fields in metadata");
    }
    const std::string_view type = text_at(*found, {"type"});
    if (type != "string" && type != "boolean" && type != "integer") {
      invalid(
          at, Value(json_path),
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are "
          "allowed.");
    }
    return true;
  }

  void check_names() {
    const std::string at = "spec.names.";
    for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
      if (text_at(spec_, {"names", name}).empty()) required(at + std::string(name));
    }
    for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
      const std::string_view value = text_at(spec_, {"names", name});
      if (value.empty()) continue;
      const bool is_kind = name == "kind" || name == "listKind";
      problems(at + std::string(name), value, dns_1035_label_problems(is_kind ? lower_case(value) : std::string(value)),
               is_kind ? "may have mixed case, but should otherwise match: " : "");
    }
    check_labels("shortNames");
    const std::string_view kind = text_at(spec_, {"names", "kind"});
    if (!kind.empty() && kind == text_at(spec_, {"names", "listKind"})) {
      invalid("spec.names.listKind", Value(kind), "kind and listKind may not be the same");
    }
    check_labels("categories");
  }

  void check_labels(std::string_view name) {
    const Value* names = spec_.find("names");
    if (names == nullptr) return;
    const document::Array& labels = list_of(*names, name);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string_view label = labels[i].is_string() ? std::string_view(labels[i].string()) : std::string_view();
      problems(fmt::format("spec.names.{}[{}]", name, i), label, dns_1035_label_problems(label));
    }
  }

  void check_conversion() {
    const Value* conversion = spec_.find("conversion");
    if (conversion == nullptr || conversion->is_null()) return;
    const std::string_view strategy = text_at(*conversion, {"strategy"});
    choice("spec.conversion.strategy", strategy, "None", "Webhook");
    const Value* client = find_at(*conversion, {"webhook", "clientConfig"});
    if (strategy == "Webhook") {
      if (client == nullptr) {
        required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
      } else if ((client->find("url") == nullptr) == (client->find("service") == nullptr)) {
        required("spec.conversion.webhookClientConfig", "exactly one of url or service is required");
      }
      return check_review_versions(*conversion);
    }
    if (client != nullptr) {
      forbidden("spec.conversion.webhookClientConfig", "should not be set when strategy is not set to Webhook");
    }
    const Value* versions = find_at(*conversion, {"webhook", "conversionReviewVersions"});
    if (versions != nullptr && versions->is_array() && !versions->array().empty()) {
      forbidden("spec.conversion.conversionReviewVersions", "should not be set when strategy is not set to Webhook");
    }
  }

  void check_review_versions(const Value& conversion) {
    const Value* webhook = conversion.find("webhook");
    const document::Array& versions =
        webhook == nullptr ? list_of(conversion, "") : list_of(*webhook, "conversionReviewVersions");
    const std::string path = "spec.conversion.conversionReviewVersions";
    if (versions.empty()) return required(path);
    const auto is_known = [](const Value& version) {
      return version.is_string() && (version.string() == "v1" || version.string() == "v1beta1");
    };
    if (std::any_of(versions.begin(), versions.end(), is_known)) return;
    invalid(path, Value(versions), "must include at least one of v1, v1beta1");
  }

  void check_unchanged(const Value& old) {
    const Value* old_spec = old.find("spec");
    if (old_spec == nullptr) return;
    const auto same = [&](std::string path, std::initializer_list<std::string_view> names) {
      const Value* now = find_at(spec_, names);
      const Value* was = find_at(*old_spec, names);
      const bool is_same = now == nullptr || was == nullptr ? now == was : *now == *was;
      if (!is_same) invalid(std::move(path), now == nullptr ? Value("") : *now, "field is immutable");
    };
    if (is_established(old)) {
      same("spec.scope", {"scope"});
      same("spec.names.kind", {"names", "kind"});
    }
    same("spec.group", {"group"});
    same("spec.names.plural", {"names", "plural"});
    check_stored_versions(old);
  }

  static bool is_established(const Value& definition) {
    const Value* status = definition.find("status");
    if (status == nullptr) return false;
    const document::Array& conditions = list_of(*status, "conditions");
    return std::any_of(conditions.begin(), conditions.end(), [](const Value& condition) {
      return text_at(condition, {"type"}) == "Established" && text_at(condition, {"status"}) == "True";
    });
  }

  /// A version that objects may still be kept in must not go.
  void check_stored_versions(const Value& old) {
    const Value* status = old.find("status");
    if (status == nullptr) return;
    const document::Array& stored = list_of(*status, "storedVersions");
    const document::Array& versions = list_of(spec_, "versions");
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const bool is_there = std::any_of(versions.begin(), versions.end(), [&](const Value& version) {
        return stored[i].is_string() && text_at(version, {"name"}) == stored[i].string();
      });
      if (is_there) continue;
      invalid(
          fmt::format("status.storedVersions[{}]", i), stored[i],
          fmt::format("missing from spec.versions; {0} was previously a storage version, and must remain in "
                      "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
                      "{0} from status.storedVersions",
                      stored[i].is_string() ? stored[i].string() : std::string()));
    }
  }

  /// Groups of the Kubernetes project want to see that they were asked.
  void check_approval(const Value* old) {
    constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
    const std::string_view group = text_at(spec_, {"group"});
    const bool is_protected = group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
                              group.ends_with(".kubernetes.io");
    if (!is_protected) return;
    const auto approval_of = [&](const Value& definition) {
      return text_at(definition, {"metadata", "annotations", kAnnotation});
    };
    const std::string_view approval = approval_of(definition_);
    if (old != nullptr && approval_of(*old) == approval) return;
    const std::string path = fmt::format("metadata.annotations[{}]", kAnnotation);
    constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
    if (approval.empty()) {
      return required(path,
                      fmt::format("protected groups must have approval annotation \"{}\", {}", kAnnotation, kSee));
    }
    const std::size_t scheme = approval.find("://");
    const bool is_url = scheme != std::string_view::npos && scheme > 0 && approval.size() > scheme + 3;
    if (approval.starts_with("unapproved") || is_url) return;
    invalid(
        path, Value(approval),
        fmt::format("protected groups must have approval annotation \"{}\" with either a URL or a reason starting with "
                    "\"unapproved\", {}",
                    kAnnotation, kSee));
  }

  const Value& definition_;
  Value spec_{document::Object{}};
  FieldErrors errors_;
};

}  // namespace

FieldErrors validate_definition(const Value& definition, const Value* old) {
  return DefinitionCheck(definition).run(old);
}

}  // namespace loadline::schema
