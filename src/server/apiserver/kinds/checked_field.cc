#include "server/apiserver/kinds/checked_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/base/closest.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/kube/apps/rollout_validation.h"
#include "objects/kube/decoder.h"
#include "objects/kube/field_report.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/view.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// The errors of `report` with their places below `path`; the report knows only the last name of it.
void take_below(kube::FieldErrors& errors, kube::FieldReport& report, std::string_view path) {
  for (kube::FieldError& error : report.take()) {
    error.path = std::string(path) + error.path;
    errors.push_back(std::move(error));
  }
}

/// Every place that is looked at has its path made, so it is put together without a format to be read.
std::string joined(std::string_view path, std::string_view before, std::string_view step, std::string_view after = {}) {
  std::string text;
  text.reserve(path.size() + before.size() + step.size() + after.size());
  return text.append(path).append(before).append(step).append(after);
}

std::string listed(std::initializer_list<std::string_view> supported) {
  std::string text;
  for (const std::string_view value : supported) {
    text.append(text.empty() ? "supported values: " : ", ").append(kube::quoted(value));
  }
  return text;
}

kube::IntOrString int_or_string(const Value& value) {
  if (value.is_integer()) return {static_cast<std::int32_t>(value.integer()), {}};
  return {std::nullopt, value.is_string() ? value.string() : std::string()};
}

bool is_path_letter(char c) {
  constexpr std::string_view kOthers = "/-._~%!$&'()*+,;=:";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

}  // namespace

std::string shown_in_error(const Value& value) {
  return value.is_string() ? kube::quoted(value.string()) : document::write_json(value);
}

kube::NameProblems path_segment_problems(std::string_view name) {
  kube::NameProblems problems;
  if (name == "." || name == "..") problems.push_back(fmt::format("may not be '{}'", name));
  for (const std::string_view letter : {"/", "%"}) {
    if (name.find(letter) != std::string_view::npos) problems.push_back(fmt::format("may not contain '{}'", letter));
  }
  return problems;
}

CheckedField CheckedField::at(std::string_view name) const {
  const Value* member = value_ == nullptr ? nullptr : value_->find(name);
  return {errors_, member, path_.empty() ? std::string(name) : joined(path_, ".", name)};
}

CheckedField CheckedField::at(std::initializer_list<std::string_view> names) const {
  CheckedField place = *this;
  for (const std::string_view name : names) place = place.at(name);
  return place;
}

CheckedField CheckedField::key(std::string_view key) const {
  const Value* member = value_ == nullptr ? nullptr : value_->find(key);
  return {errors_, member, joined(path_, "[", key, "]")};
}

std::vector<CheckedField> CheckedField::elements() const {
  std::vector<CheckedField> places;
  if (value_ == nullptr || !value_->is_array()) return places;
  places.reserve(value_->array().size());
  for (const Value& element : value_->array()) {
    places.push_back({errors_, &element, joined(path_, "[", std::to_string(places.size()), "]")});
  }
  return places;
}

CheckedField CheckedField::called(std::string path) const { return {errors_, value_, std::move(path)}; }

bool CheckedField::is_empty() const {
  if (!is_set()) return true;
  if (value_->is_string()) return value_->string().empty();
  if (value_->is_boolean()) return !value_->boolean();
  if (value_->is_number()) return value_->number() == 0;
  return size() == 0;
}

bool CheckedField::is_true() const { return value_ != nullptr && value_->is_boolean() && value_->boolean(); }

std::string_view CheckedField::text() const {
  return value_ != nullptr && value_->is_string() ? std::string_view(value_->string()) : std::string_view();
}

std::int64_t CheckedField::number(std::int64_t absent) const {
  return value_ != nullptr && value_->is_integer() ? value_->integer() : absent;
}

std::int64_t CheckedField::int_or_percent_number() const {
  return is_set() ? kube::number_of(int_or_string(*value_)) : 0;
}

std::size_t CheckedField::size() const {
  if (value_ == nullptr) return 0;
  if (value_->is_array()) return value_->array().size();
  return value_->is_object() ? value_->object().size() : 0;
}

bool CheckedField::lists(std::string_view text) const {
  if (value_ == nullptr || !value_->is_array()) return false;
  return std::any_of(value_->array().begin(), value_->array().end(),
                     [&](const Value& element) { return element.is_string() && element.string() == text; });
}

bool CheckedField::is_same_as(const CheckedField& other) const {
  return (is_empty() && other.is_empty()) || document::same_document(value(), other.value());
}

void CheckedField::add(std::string message, std::string_view detail) const {
  if (!detail.empty()) message.append(": ").append(detail);
  errors_->push_back({path_, std::move(message), {}});
}

void CheckedField::required(std::string_view detail) const { add("Required value", detail); }
void CheckedField::invalid(std::string_view detail) const { invalid(value(), detail); }
void CheckedField::invalid(const Value& shown, std::string_view detail) const {
  add("Invalid value: " + shown_in_error(shown), detail);
}
void CheckedField::invalid_unshown(std::string_view detail) const { add("Invalid value", detail); }
void CheckedField::forbidden(std::string_view detail) const { add("Forbidden", detail); }
void CheckedField::unsupported(std::initializer_list<std::string_view> supported) const {
  add("Unsupported value: " + shown_in_error(is_set() ? value() : Value("")), listed(supported));
  const std::string_view meant = closest(text(), supported);
  if (!meant.empty()) errors_->back().hint = "did you mean " + kube::quoted(meant) + "?";
}
void CheckedField::unsupported(std::string_view shown, std::initializer_list<std::string_view> supported) const {
  add("Unsupported value: " + kube::quoted(shown), listed(supported));
}
void CheckedField::duplicate() const { add("Duplicate value: " + shown_in_error(value()), {}); }
void CheckedField::append(kube::FieldErrors more) const {
  for (kube::FieldError& error : more) errors_->push_back(std::move(error));
}
void CheckedField::too_many(std::size_t most) const {
  add(fmt::format("Too many: {}", size()), fmt::format("must have at most {} items", most));
}
void CheckedField::too_long(std::size_t most_bytes) const {
  add("Too long", fmt::format("may not be more than {} bytes", most_bytes));
}

void CheckedField::not_negative() const {
  if (number() < 0) invalid("must be greater than or equal to 0");
}

void CheckedField::one_of(std::initializer_list<std::string_view> supported) const {
  if (std::find(supported.begin(), supported.end(), text()) == supported.end()) unsupported(supported);
}

void CheckedField::keeps(kube::NameRule rule) const {
  for (const std::string& problem : rule(text())) invalid(problem);
}

void CheckedField::is_required_name(kube::NameRule rule) const {
  if (text().empty()) {
    required();
  } else {
    keeps(rule);
  }
}

void CheckedField::unchanged_from(const CheckedField& old) const {
  if (!is_same_as(old)) invalid("field is immutable");
}

void CheckedField::domain_prefixed_path() const {
  const std::string_view whole = text();
  const std::size_t slash = whole.find('/');
  if (whole.empty()) return required();
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == whole.size()) {
    return invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  const std::string_view host = whole.substr(0, slash);
  for (const std::string& problem : kube::dns_subdomain_problems(host)) invalid(Value(host), problem);
  const std::string_view path = whole.substr(slash + 1);
  if (!std::all_of(path.begin(), path.end(), is_path_letter)) {
    invalid(Value(path), "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
}

void CheckedField::label_selector() const {
  if (!is_set()) return;
  const auto view = kube::view<kube::LabelSelector>(*value_, kube::kLabelSelectorSchema);
  for (const kube::FieldError& error : view.errors) {
    errors_->push_back({fmt::format("{}.{}", path_, error.path), error.message, {}});
  }
  kube::FieldReport report;
  kube::validate_label_selector(report, kube::Path(nullptr), view.object);
  take_below(*errors_, report, path_ + ".");
}

void CheckedField::labels() const {
  if (value_ == nullptr || !value_->is_object()) return;
  for (const document::Member& label : value_->object()) {
    for (const std::string& problem : kube::qualified_name_problems(label.key)) invalid(Value(label.key), problem);
    if (!label.value.is_string()) continue;
    for (const std::string& problem : kube::label_value_problems(label.value.string())) invalid(label.value, problem);
  }
}

void CheckedField::int_or_percent() const {
  if (!is_set()) return;
  kube::FieldReport report;
  kube::validate_positive_int_or_percent(report, kube::Path(nullptr), int_or_string(*value_));
  take_below(*errors_, report, path_);
}

void CheckedField::at_most_all() const {
  if (!is_set()) return;
  kube::FieldReport report;
  kube::validate_at_most_all(report, kube::Path(nullptr), int_or_string(*value_));
  take_below(*errors_, report, path_);
}

}  // namespace loadline::apiserver
