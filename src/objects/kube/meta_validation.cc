#include "objects/kube/meta_validation.h"

#include <fmt/format.h>

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kMaxAnnotationBytes = std::size_t{256} * 1024;

/// A generated name continues after a trailing dash, so that the dash does not end it.
std::string as_prefix(std::string_view name) {
  std::string masked(name);
  if (masked.size() > 1 && masked.back() == '-') {
    masked.pop_back();
    masked.back() = 'a';
  }
  return masked;
}

void validate_names(FieldReport& report, const Path& at, const ObjectMeta& metadata, NameRule rule) {
  if (!metadata.generate_name.empty()) {
    report.invalid_name(Path(at, "generateName"), metadata.generate_name, rule(as_prefix(metadata.generate_name)));
    // The server makes a name of it later; without one there is nothing more to check.
    if (metadata.name.empty()) return;
  }
  if (metadata.name.empty()) {
    report.required(Path(at, "name"), "name or generateName is required");
  } else {
    report.invalid_name(Path(at, "name"), metadata.name, rule(metadata.name));
  }
}

/// The references as Go prints them.
std::string shown(const std::vector<OwnerReference>& owners) {
  std::string text;
  for (const OwnerReference& owner : owners) {
    text += text.empty() ? "[{" : ",{";
    text += "\"apiVersion\":" + quoted(owner.api_version) + ",\"kind\":" + quoted(owner.kind) +
            ",\"name\":" + quoted(owner.name) + ",\"uid\":" + quoted(owner.uid);
    text += owner.controller ? ",\"controller\":true}" : "}";
  }
  return text + "]";
}

void validate_owners(FieldReport& report, const Path& at, const std::vector<OwnerReference>& owners) {
  std::string first;
  for (const OwnerReference& owner : owners) {
    if (owner.api_version.empty())
      report.invalid(Path(at, "apiVersion"), owner.api_version, "version must not be empty");
    if (owner.kind.empty()) report.invalid(Path(at, "kind"), owner.kind, "must not be empty");
    if (owner.name.empty()) report.invalid(Path(at, "name"), owner.name, "must not be empty");
    if (owner.uid.empty()) report.invalid(Path(at, "uid"), owner.uid, "must not be empty");
    if (!owner.controller) continue;
    std::string name = owner.kind + "/" + owner.name;
    if (first.empty()) {
      first = std::move(name);
    } else {
      report.invalid_json(
          at, shown(owners),
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in references "
                      "for {} and {}",
                      first, name));
    }
  }
}

/// Kinds of Kubernetes itself have finalizers of others, which say whose they are, and a few of their own.
void validate_finalizers(FieldReport& report, const Path& at, const std::vector<std::string>& finalizers) {
  for (const std::string& finalizer : finalizers) {
    report.invalid_name(at, finalizer, qualified_name_problems(finalizer));
  }
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& name = finalizers[i];
    const bool is_standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (is_standard || name.find('/') != std::string::npos) continue;
    report.invalid(Path::element(at, i), name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

}  // namespace

void validate_metadata(FieldReport& report, const ObjectMeta& metadata, NamespaceRule namespace_rule, NameRule rule) {
  const Path root(nullptr);
  const Path place(root, "metadata");
  validate_names(report, place, metadata, rule);
  const Path name_space(place, "namespace");
  if (namespace_rule == NamespaceRule::kForbidden) {
    if (!metadata.namespace_.empty()) report.forbidden(name_space, "not allowed on this type");
  } else if (metadata.namespace_.empty()) {
    report.required(name_space);
  } else {
    report.invalid_name(name_space, metadata.namespace_, dns_label_problems(metadata.namespace_));
  }
  report.not_negative(Path(place, "generation"), metadata.generation);
  validate_labels(report, Path(place, "labels"), metadata.labels);
  validate_annotations(report, Path(place, "annotations"), metadata.annotations);
  validate_owners(report, Path(place, "ownerReferences"), metadata.owner_references);
  validate_finalizers(report, Path(place, "finalizers"), metadata.finalizers);
}

void validate_label_key(FieldReport& report, const Path& at, std::string_view key) {
  report.invalid_name(at, key, qualified_name_problems(key));
}

void validate_labels(FieldReport& report, const Path& at, const StringMap& labels) {
  for (const auto& [key, value] : labels) {
    validate_label_key(report, at, key);
    report.invalid_name(at, value, label_value_problems(value));
  }
}

void validate_annotations(FieldReport& report, const Path& at, const StringMap& annotations) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    report.invalid_name(at, key, qualified_name_problems(lower_case(key)));
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxAnnotationBytes) report.too_long(at, kMaxAnnotationBytes);
}

void validate_label_selector(FieldReport& report, const Path& at, const std::optional<LabelSelector>& selector) {
  if (!selector) return;
  validate_labels(report, Path(at, "matchLabels"), selector->match_labels);
  const Path expressions(at, "matchExpressions");
  for (std::size_t i = 0; i < selector->match_expressions.size(); ++i) {
    const LabelSelectorRequirement& requirement = selector->match_expressions[i];
    const Path place = Path::element(expressions, i);
    const Path values(place, "values");
    const bool has_values =
        requirement.op == LabelSelectorOperator::kIn || requirement.op == LabelSelectorOperator::kNotIn;
    if (has_values && requirement.values.empty()) {
      report.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (!has_values && !requirement.values.empty()) {
      report.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
    validate_label_key(report, Path(place, "key"), requirement.key);
    for (std::size_t j = 0; j < requirement.values.size(); ++j) {
      report.invalid_name(Path::element(values, j), requirement.values[j], label_value_problems(requirement.values[j]));
    }
  }
}

std::string to_json(const StringMap& labels) {
  if (labels.empty()) return "null";
  std::string json = "{";
  for (const auto& [key, value] : labels) {
    if (json.size() > 1) json += ",";
    json.append(quoted(key)).append(":").append(quoted(value));
  }
  return json + "}";
}

std::string to_json(const LabelSelector& selector) {
  std::string json = "{";
  if (!selector.match_labels.empty()) json.append("\"matchLabels\":").append(to_json(selector.match_labels));
  if (!selector.match_expressions.empty()) {
    if (json.size() > 1) json += ",";
    json += "\"matchExpressions\":[";
    for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
      const LabelSelectorRequirement& requirement = selector.match_expressions[i];
      json.append(i == 0 ? "" : ",").append("{\"key\":").append(quoted(requirement.key));
      json.append(",\"operator\":").append(quoted(name_of(requirement.op)));
      if (!requirement.values.empty()) {
        json += ",\"values\":[";
        for (std::size_t j = 0; j < requirement.values.size(); ++j) {
          json.append(j == 0 ? "" : ",").append(quoted(requirement.values[j]));
        }
        json += "]";
      }
      json += "}";
    }
    json += "]";
  }
  return json + "}";
}

}  // namespace loadline::kube
