#include "document/at.h"

#include <span>
#include <utility>

namespace loadline::document {
namespace {

using Rest = std::span<const std::string_view>;

Value with_rest(const Value& value, Rest names, Value changed) {
  if (names.empty()) return changed;
  const Value* inner = value.find(names.front());
  return value.with(names.front(),
                    with_rest(inner == nullptr ? Value() : *inner, names.subspan(1), std::move(changed)));
}

Value without_rest(const Value& value, Rest names) {
  const Value* inner = value.find(names.front());
  if (inner == nullptr) return value;
  if (names.size() == 1) return value.without(names.front());
  return value.with(names.front(), without_rest(*inner, names.subspan(1)));
}

}  // namespace

const Value* find_at(const Value& value, Names names) {
  const Value* found = &value;
  for (const std::string_view name : names) {
    found = found->find(name);
    if (found == nullptr) return nullptr;
  }
  return found;
}

std::string_view text_at(const Value& value, Names names) {
  const Value* found = find_at(value, names);
  return found != nullptr && found->is_string() ? std::string_view(found->string()) : std::string_view();
}

Value with_at(const Value& value, Names names, Value changed) {
  return with_rest(value, Rest(names.begin(), names.size()), std::move(changed));
}

Value without_at(const Value& value, Names names) {
  return names.size() == 0 ? value : without_rest(value, Rest(names.begin(), names.size()));
}

}  // namespace loadline::document
