#include "objects/kube/field_report.h"

namespace loadline::kube {

void FieldReport::add(const Path& at, std::string message, std::string_view detail, std::string hint) {
  if (!detail.empty()) message.append(": ").append(detail);
  errors_.push_back({at.text(), std::move(message), std::move(hint)});
}

void FieldReport::required(const Path& at, std::string_view detail, std::string hint) {
  add(at, "Required value", detail, std::move(hint));
}

void FieldReport::invalid(const Path& at, std::string_view value, std::string_view detail, std::string hint) {
  add(at, "Invalid value: " + quoted(value), detail, std::move(hint));
}

void FieldReport::invalid(const Path& at, std::int64_t value, std::string_view detail, std::string hint) {
  add(at, "Invalid value: " + std::to_string(value), detail, std::move(hint));
}

void FieldReport::invalid_json(const Path& at, std::string_view json, std::string_view detail, std::string hint) {
  add(at, "Invalid value: " + std::string(json), detail, std::move(hint));
}

void FieldReport::invalid_name(const Path& at, std::string_view name, const NameProblems& problems) {
  for (const std::string& problem : problems) invalid(at, name, problem);
}

template <class Values>
static std::string supported_values(const Values& supported) {
  std::string text;
  for (const std::string_view value : supported)
    text.append(text.empty() ? "supported values: " : ", ").append(quoted(value));
  return text;
}

void FieldReport::unsupported(const Path& at, std::string_view value, std::initializer_list<std::string_view> supported,
                              std::string hint) {
  add(at, "Unsupported value: " + quoted(value), supported_values(supported), std::move(hint));
}

void FieldReport::unsupported(const Path& at, std::string_view value, const std::vector<std::string>& supported) {
  add(at, "Unsupported value: " + quoted(value), supported_values(supported), {});
}

void FieldReport::unsupported_json(const Path& at, std::string_view json,
                                   std::initializer_list<std::string_view> supported) {
  add(at, "Unsupported value: " + std::string(json), supported_values(supported), {});
}

void FieldReport::duplicate(const Path& at, std::string_view value) {
  add(at, "Duplicate value: " + quoted(value), {}, {});
}

void FieldReport::duplicate_json(const Path& at, std::string_view json, std::string_view detail) {
  add(at, "Duplicate value: " + std::string(json), detail, {});
}

void FieldReport::not_found(const Path& at, std::string_view value, std::string_view detail) {
  add(at, "Not found: " + quoted(value), detail, {});
}

void FieldReport::forbidden(const Path& at, std::string_view detail, std::string hint) {
  add(at, "Forbidden", detail, std::move(hint));
}

void FieldReport::too_many(const Path& at, std::size_t count, std::size_t most) {
  add(at, "Too many: " + std::to_string(count),
      "must have at most " + std::to_string(most) + (most == 1 ? " item" : " items"), {});
}

void FieldReport::too_long(const Path& at, std::size_t most_bytes) {
  add(at, "Too long", "may not be more than " + std::to_string(most_bytes) + " bytes", {});
}

void FieldReport::not_negative(const Path& at, std::int64_t value) {
  if (value < 0) invalid(at, value, "must be greater than or equal to 0");
}

}  // namespace loadline::kube
