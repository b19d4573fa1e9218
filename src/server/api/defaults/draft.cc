#include "server/api/defaults/draft.h"

#include <algorithm>
#include <utility>

#include "objects/schema/defaults/missing_fields.h"

namespace loadline::api {

using document::Value;
using schema::Field;

const Value* Draft::find(std::string_view name) const {
  const Value* value = nullptr;
  if (changed_) {
    const auto member = std::ranges::find(*changed_, name, &document::Member::key);
    if (member != changed_->end()) value = &member->value;
  } else if (original_ != nullptr) {
    value = original_->find(name);
  }
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string_view Draft::text(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->is_string() ? std::string_view(value->string()) : std::string_view();
}

bool Draft::is_true(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->is_boolean() && value->boolean();
}

std::size_t Draft::count(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return 0;
  return value->is_array() ? value->array().size() : value->is_object() ? value->object().size() : 0;
}

document::Object& Draft::writable() {
  if (!changed_) {
    static constexpr std::size_t kRoom = 8;  // for what is filled in
    static const document::Object& nothing = *new document::Object();
    const document::Object& members = original_ != nullptr && original_->is_object() ? original_->object() : nothing;
    changed_.emplace().reserve(members.size() + kRoom);
    order_.reserve(members.size() + kRoom);
    std::size_t next = 0;
    for (const document::Member& member : members) {
      changed_->push_back(member);
      order_.push_back(type_.place_of(member.key, next));
      next = order_.back() + 1;
    }
  }
  return *changed_;
}

void Draft::set(std::string_view name, Value value) {
  document::Object& members = writable();
  const auto member = std::ranges::find(members, name, &document::Member::key);
  if (member != members.end()) {
    member->value = std::move(value);
    return;
  }
  const std::size_t order = type_.place_of(name, 0);
  const auto later = std::ranges::find_if(order_, [order](std::size_t other) { return other > order; });
  const auto index = later - order_.begin();
  members.insert(members.begin() + index, {std::string(name), std::move(value), {}});
  order_.insert(later, order);
}

void Draft::erase(std::string_view name) {
  if (find(name) == nullptr) return;
  document::Object& members = writable();
  const auto member = std::ranges::find(members, name, &document::Member::key);
  order_.erase(order_.begin() + (member - members.begin()));
  members.erase(member);
}

void Draft::set_missing(std::string_view name, Value value) {
  const Value* present = find(name);
  if (present != nullptr) {
    if (!schema::is_empty(*present)) return;
    const Field* field = type_.find(name);
    if (field == nullptr || field->is_pointer) return;
  }
  set(name, std::move(value));
}

Value Draft::value() {
  if (!changed_) return original_ == nullptr ? Value() : *original_;
  return Value(*std::exchange(changed_, std::nullopt));
}

Value Draft::copy() const {
  if (changed_) return Value(*changed_);
  return original_ == nullptr ? Value() : *original_;
}

}  // namespace loadline::api
