#include "hosts/operators/kueue/document_path.h"

#include <charconv>
#include <optional>
#include <utility>

namespace loadline::operators::kueue {
namespace {

using document::Value;

/// Takes the first name of the path off: `a` of "a.b", `a` of "a[0].b", `0` of "[0].b".
std::string_view take_name(std::string_view& path) {
  if (path.starts_with('[')) {
    const std::size_t end = path.find(']');
    const std::string_view name = path.substr(1, end == std::string_view::npos ? end : end - 1);
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
    if (path.starts_with('.')) path.remove_prefix(1);
    return name;
  }
  const std::size_t end = path.find_first_of(".[");
  const std::string_view name = path.substr(0, end);
  if (end == std::string_view::npos) {
    path = {};
  } else {
    path.remove_prefix(path[end] == '.' ? end + 1 : end);
  }
  return name;
}

std::optional<std::size_t> place_of(std::string_view name, const document::Array& elements) {
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error != std::errc() || end != name.data() + name.size() || place >= elements.size()) return std::nullopt;
  return place;
}

}  // namespace

const Value* find_path(const Value& document, std::string_view path) {
  const Value* current = &document;
  while (!path.empty() && current != nullptr) {
    const std::string_view name = take_name(path);
    if (current->is_array()) {
      const auto place = place_of(name, current->array());
      current = place ? &current->array()[*place] : nullptr;
    } else {
      current = current->find(name);
    }
  }
  return current;
}

Value with_path(Value document, std::string_view path, Value changed) {
  if (path.empty()) return changed;
  const std::string_view name = take_name(path);
  if (document.is_array()) {
    const auto place = place_of(name, document.array());
    if (!place) return document;
    document::Array elements = document.array();
    elements[*place] = with_path(std::move(elements[*place]), path, std::move(changed));
    return Value(std::move(elements));
  }
  if (!document.is_object() && !document.is_null()) return document;
  const Value* below = document.find(name);
  Value made = with_path(below == nullptr ? Value() : *below, path, std::move(changed));
  return std::move(document).with(name, std::move(made));
}

}  // namespace loadline::operators::kueue
