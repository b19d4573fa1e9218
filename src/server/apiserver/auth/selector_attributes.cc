#include "server/apiserver/auth/selector_attributes.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "objects/kube/selector_text.h"
#include "server/apiserver/auth/policy_rule.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;
enum class SelectorType { kField, kLabel };

std::string_view word(SelectorType type) { return type == SelectorType::kField ? "fieldSelector" : "labelSelector"; }

const Value* find_selector(const Value& attributes, SelectorType type) {
  const Value* selector = attributes.find(word(type));
  return selector != nullptr && selector->is_object() ? selector : nullptr;
}

document::Array requirements_of(const Value& selector) {
  const Value* requirements = selector.find("requirements");
  return requirements != nullptr && requirements->is_array() ? requirements->array() : document::Array();
}

void check_operator(const Value& requirement, const std::string& path, FieldErrors& errors) {
  const std::string_view op = text_of(requirement, "operator");
  const bool has_values = !strings_of(requirement.find("values")).empty();
  if ((op == "In" || op == "NotIn") && !has_values) {
    errors.push_back({path + ".values", "Required value: must be specified when `operator` is 'In' or 'NotIn'", {}});
  } else if ((op == "Exists" || op == "DoesNotExist") && has_values) {
    errors.push_back(
        {path + ".values", "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'", {}});
  }
}

void check_field_requirement(const Value& requirement, const std::string& path, FieldErrors& errors) {
  if (text_of(requirement, "key").empty()) errors.push_back({path + ".key", "Required value: must be specified", {}});
  check_operator(requirement, path, errors);
}

void check_label_requirement(const Value& requirement, const std::string& path, FieldErrors& errors) {
  check_operator(requirement, path, errors);
  const std::string_view key = text_of(requirement, "key");
  for (const std::string& problem : kube::qualified_name_problems(key)) {
    errors.push_back({path + ".key", fmt::format("Invalid value: {}: {}", kube::quoted(key), problem), {}});
  }
  const std::vector<std::string> values = strings_of(requirement.find("values"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::string& problem : kube::label_value_problems(values[i])) {
      errors.push_back({fmt::format("{}.values[{}]", path, i),
                        fmt::format("Invalid value: {}: {}", kube::quoted(values[i]), problem),
                        {}});
    }
  }
}

void check_selector(const Value& attributes, SelectorType type, FieldErrors& errors) {
  const Value* selector = find_selector(attributes, type);
  if (selector == nullptr) return;
  const std::string path = fmt::format("spec.resourceAttributes.{}", word(type));
  const std::string_view raw = text_of(*selector, "rawSelector");
  const document::Array requirements = requirements_of(*selector);
  if (!raw.empty() && !requirements.empty()) {
    errors.push_back(
        {path + ".rawSelector",
         fmt::format("Invalid value: {}: may not specified at the same time as requirements", kube::quoted(raw)),
         {}});
  }
  if (raw.empty() && requirements.empty()) {
    errors.push_back(
        {path + ".requirements",
         fmt::format("Required value: when {} is specified, requirements or rawSelector is required", path),
         {}});
  }
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const std::string at = fmt::format("{}.requirements[{}]", path, i);
    type == SelectorType::kField ? check_field_requirement(requirements[i], at, errors)
                                 : check_label_requirement(requirements[i], at, errors);
  }
}

/// "a=b,c!=d", with `\` before a comma, an equals sign or itself in a value.
bool is_field_selector(std::string_view text) {
  bool in_value = false;
  bool is_empty_term = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.front() == ',') {
      if (!in_value && !is_empty_term) return false;
      in_value = false;
      is_empty_term = true;
      continue;
    }
    is_empty_term = false;
    if (in_value) {
      if (rest.front() == '=') return false;
      if (rest.front() != '\\') continue;
      if (rest.size() < 2 || std::string_view("\\,=").find(rest[1]) == std::string_view::npos) return false;
      ++at;
    } else if (rest.starts_with("!=") || rest.starts_with("==")) {
      in_value = true;
      ++at;
    } else if (rest.front() == '=') {
      in_value = true;
    }
  }
  return in_value || is_empty_term;
}

bool is_readable(const Value& requirement, SelectorType type) {
  const std::string_view op = text_of(requirement, "operator");
  if (type == SelectorType::kField) {
    return (op == "In" || op == "NotIn") && strings_of(requirement.find("values")).size() == 1;
  }
  return op == "In" || op == "NotIn" || op == "Exists" || op == "DoesNotExist";
}

/// " ignored…" or " partially ignored…"; empty if the selector can be read.
std::string_view fault_of(const Value& selector, SelectorType type) {
  constexpr std::string_view kIgnored = " ignored due to parse error";
  const document::Array requirements = requirements_of(selector);
  std::size_t readable = 0;
  for (const Value& requirement : requirements) readable += is_readable(requirement, type) ? 1U : 0U;
  if (readable < requirements.size()) return readable > 0 ? " partially ignored due to parse error" : kIgnored;
  const std::string_view raw = text_of(selector, "rawSelector");
  if (raw.empty()) return {};
  const bool is_good =
      type == SelectorType::kField ? is_field_selector(raw) : kube::parse_selector_terms(raw).has_value();
  return is_good ? std::string_view() : kIgnored;
}

}  // namespace

void check_selector_attributes(const Value& attributes, FieldErrors& errors) {
  check_selector(attributes, SelectorType::kField, errors);
  check_selector(attributes, SelectorType::kLabel, errors);
}

std::string selector_evaluation_error(const Value& attributes) {
  std::string text;
  for (const SelectorType type : {SelectorType::kField, SelectorType::kLabel}) {
    const Value* selector = find_selector(attributes, type);
    const std::string_view fault = selector == nullptr ? std::string_view() : fault_of(*selector, type);
    if (fault.empty()) continue;
    if (!text.empty()) text += "; ";
    text.append("spec.resourceAttributes.").append(word(type)).append(fault);
  }
  return text;
}

}  // namespace loadline::apiserver
