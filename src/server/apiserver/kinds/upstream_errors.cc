#include "server/apiserver/kinds/upstream_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {

using document::Value;
using kube::FieldError;
using kube::FieldErrors;

namespace {

bool is_about(std::string_view path, std::string_view part) {
  return path.starts_with(part) && (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
}

}  // namespace

void order_by_parts(FieldErrors& errors, std::initializer_list<std::string_view> parts) {
  const auto rank = [&](const FieldError& error) {
    return std::find_if(parts.begin(), parts.end(), [&](std::string_view part) { return is_about(error.path, part); });
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const FieldError& a, const FieldError& b) { return rank(a) < rank(b); });
}

void add_unmatched_template(FieldErrors& errors, const Value& workload) {
  const auto required = std::find_if(errors.begin(), errors.end(), [](const FieldError& error) {
    return error.path == "spec.selector" && error.message.starts_with("Required value");
  });
  if (required == errors.end()) return;
  const Value labels = value_at(workload, {"spec", "template", "metadata", "labels"});
  errors.insert(required + 1, {"spec.template.metadata.labels",
                               fmt::format("Invalid value: {}: `selector` does not match template `labels`",
                                           document::write_json(labels)),
                               {}});
}

void show_unwritten_operators(FieldErrors& errors, const Value& pod) {
  constexpr std::string_view kMeant = "Invalid value: \"Equal\": operator must be Exists";
  const document::Array& tolerations = items_at(pod, {"spec", "tolerations"});
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (!document::text_at(tolerations[i], {"operator"}).empty()) continue;
    const std::string path = fmt::format("spec.tolerations[{}].operator", i);
    for (FieldError& error : errors) {
      if (error.path != path || !error.message.starts_with(kMeant)) continue;
      error.message.replace(0, kMeant.size(), "Invalid value: \"\": operator must be Exists");
    }
  }
}

void name_the_list(FieldErrors& errors, std::string_view list) {
  for (FieldError& error : errors) {
    if (is_about(error.path, list) && error.path.ends_with(']')) error.path = list;
  }
}

}  // namespace loadline::apiserver
