#include "server/apiserver/kinds/typed_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldError;
using kube::FieldErrors;

FieldError make(std::string path, std::string message, std::string_view why) {
  if (!why.empty()) message.append(": ").append(why);
  return {std::move(path), std::move(message), {}};
}

std::string shown(const Value& value) {
  if (value.is_string()) return kube::quoted(value.string());
  return document::write_json(value);
}

bool is_separator(char letter) { return letter == '.' || letter == '['; }

bool is_below(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || is_separator(path[above.size()]));
}

/// How many names and indices two paths begin with alike.
std::size_t shared_steps(std::string_view a, std::string_view b) {
  std::size_t steps = 0;
  for (std::size_t i = 0;; ++i) {
    const bool ends_a = i >= a.size() || is_separator(a[i]);
    const bool ends_b = i >= b.size() || is_separator(b[i]);
    if (ends_a && ends_b) ++steps;
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) return steps;
  }
}

/// Behind the last of the errors that are nearest to it; behind those about metadata in any case.
FieldErrors::iterator place_for(FieldErrors& errors, std::string_view path) {
  auto place = errors.begin();
  std::size_t nearest = 0;
  for (auto error = errors.begin(); error != errors.end(); ++error) {
    if (is_below(error->path, "metadata") && !is_below(path, "metadata")) {
      place = std::next(error);
      continue;
    }
    const std::size_t steps = shared_steps(error->path, path);
    if (steps == 0 || steps < nearest) continue;
    nearest = steps;
    place = std::next(error);
  }
  return place;
}

}  // namespace

FieldError invalid_field(std::string path, const Value& value, std::string_view why) {
  return make(std::move(path), "Invalid value: " + shown(value), why);
}

FieldError required_field(std::string path, std::string_view why) {
  return make(std::move(path), "Required value", why);
}

FieldError forbidden_field(std::string path, std::string_view why) { return make(std::move(path), "Forbidden", why); }

FieldError duplicate_field(std::string path, const Value& value) {
  return make(std::move(path), "Duplicate value: " + shown(value), {});
}

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::optional<std::int64_t> integer_at(const Value& object, document::Names names) {
  const Value* found = document::find_at(object, names);
  if (found == nullptr || !found->is_integer()) return std::nullopt;
  return found->integer();
}

Value with_or_without(const Value& object, document::Names names, const Value& value) {
  return value.is_null() ? document::without_at(object, names) : document::with_at(object, names, value);
}

bool is_empty(const Value& value) {
  if (value.is_string()) return value.string().empty();
  if (value.is_boolean()) return !value.boolean();
  if (value.is_number()) return value.number() == 0;
  if (value.is_array()) return value.array().empty();
  if (value.is_object()) return value.object().empty();
  return true;
}

bool same_at(const Value& a, const Value& b, document::Names names) {
  const Value one = value_at(a, names);
  const Value other = value_at(b, names);
  return (is_empty(one) && is_empty(other)) || document::same_document(one, other);
}

void check_immutable(FieldErrors& errors, std::string path, const Value& now, const Value& before) {
  if ((is_empty(now) && is_empty(before)) || document::same_document(now, before)) return;
  errors.push_back(invalid_field(std::move(path), now, "field is immutable"));
}

bool changes_spec(const Value& object, const Value& old) { return !same_at(object, old, {"spec"}); }

namespace {

constexpr std::size_t kMostMerged = 1000;

/// Where an operator was refused, errors about its values are void: an unknown operator requires nothing of them.
bool is_about_values_of(std::string_view rule, std::string_view refused) {
  constexpr std::string_view kOperator = ".operator";
  if (!refused.ends_with(kOperator)) return false;
  const std::string_view requirement = refused.substr(0, refused.size() - kOperator.size());
  return rule.starts_with(requirement) && rule.substr(requirement.size()) == ".values";
}

}  // namespace

FieldErrors merged(FieldErrors refused, FieldErrors rules) {
  if (refused.empty()) return rules;
  // Finding their places takes the product of both, and a client that sends a hundred thousand mistakes must not cost
  // that much: errors past a thousand are dropped.
  refused.resize(std::min(refused.size(), kMostMerged));
  rules.resize(std::min(rules.size(), kMostMerged));
  const auto erase = [&rules](const FieldErrors& all, bool (*is_void)(std::string_view, std::string_view)) {
    std::erase_if(rules, [&](const FieldError& rule) {
      return std::any_of(all.begin(), all.end(), [&](const FieldError& one) { return is_void(rule.path, one.path); });
    });
  };
  const FieldErrors all = refused;
  erase(all, is_below);
  for (FieldError& error : refused) rules.insert(place_for(rules, error.path), std::move(error));
  erase(all, is_about_values_of);
  return rules;
}

}  // namespace loadline::apiserver
