#include "server/api/columns/formatting.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

/// A requirement's key, and its text.
using Requirement = std::pair<std::string_view, std::string>;

std::optional<std::string> requirement_text(const Value& expression) {
  const std::string_view key = text_at(expression, "key");
  const std::string_view comparison = text_at(expression, "operator");
  std::vector<std::string_view> values;
  for (const Value& value : elements_at(expression, "values")) {
    if (value.is_string()) values.push_back(value.string());
  }
  const bool compares = comparison == "In" || comparison == "NotIn";
  if (compares == values.empty()) return std::nullopt;
  std::ranges::sort(values);
  if (comparison == "Exists") return std::string(key);
  if (comparison == "DoesNotExist") return "!" + std::string(key);
  if (!compares) return std::nullopt;
  return std::string(key) + (comparison == "In" ? " in (" : " notin (") + joined(values, ",") + ")";
}

}  // namespace

std::string formatted_labels(std::span<const document::Member> labels) {
  std::vector<std::string> texts;
  texts.reserve(labels.size());
  for (const document::Member& label : labels) {
    texts.push_back(label.key + "=" + (label.value.is_string() ? label.value.string() : std::string()));
  }
  std::ranges::sort(texts);
  return texts.empty() ? "<none>" : joined(texts, ",");
}

std::string selector_text(const Value* selector, std::string_view invalid) {
  if (selector == nullptr) return {};
  std::vector<Requirement> requirements;
  for (const document::Member& label : members_at(*selector, "matchLabels")) {
    if (!label.value.is_string()) return std::string(invalid);
    requirements.emplace_back(label.key, label.key + "=" + label.value.string());
  }
  for (const Value& expression : elements_at(*selector, "matchExpressions")) {
    auto text = requirement_text(expression);
    if (!text) return std::string(invalid);
    requirements.emplace_back(text_at(expression, "key"), std::move(*text));
  }
  std::ranges::stable_sort(requirements, {}, &Requirement::first);
  std::string text;
  for (const Requirement& requirement : requirements) {
    if (!text.empty()) text += ',';
    text += requirement.second;
  }
  return text;
}

std::string formatted_selector(const Value* selector) {
  std::string text = selector_text(selector, "<error>");
  return text.empty() ? "<none>" : text;
}

void write_name_and_age(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.age(object);
}

void write_containers(const Value* pod_template, CellWriter& cells) {
  std::vector<std::string_view> names;
  std::vector<std::string_view> images;
  if (pod_template != nullptr) {
    for (const Value& container : elements_at(*pod_template, "spec", "containers")) {
      names.push_back(text_at(container, "name"));
      images.push_back(text_at(container, "image"));
    }
  }
  cells.text(joined(names, ","));
  cells.text(joined(images, ","));
}

std::string scalar_text(const Value* value, std::string_view instead) {
  if (value != nullptr && value->is_string()) return value->string();
  if (value != nullptr && value->is_integer()) return std::to_string(value->integer());
  return std::string(instead);
}

void ShortList::add(std::string_view text) {
  if (++count_ > kShown) return;
  if (count_ > 1) text_ += ',';
  text_ += text;
}

std::string ShortList::text(std::string_view instead) const {
  if (count_ > kShown) return text_ + " + " + std::to_string(count_ - kShown) + " more...";
  return text_.empty() ? std::string(instead) : text_;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

}  // namespace loadline::api
