#include "document/value.h"

#include <cassert>

namespace loadline::document {

Value::Value(bool boolean, Mark mark) : data_(boolean), mark_(mark) {}
Value::Value(std::int64_t integer, Mark mark) : data_(integer), mark_(mark) {}
Value::Value(double number, Mark mark) : data_(number), mark_(mark) {}
Value::Value(std::string text, Mark mark) : data_(std::make_shared<const std::string>(std::move(text))), mark_(mark) {}
Value::Value(std::string_view text, Mark mark) : Value(std::string(text), mark) {}
Value::Value(const char* text, Mark mark) : Value(std::string(text), mark) {}
Value::Value(Array array, Mark mark) : data_(std::make_shared<const Array>(std::move(array))), mark_(mark) {}
Value::Value(Object object, Mark mark) : data_(std::make_shared<const Object>(std::move(object))), mark_(mark) {}

Value Value::null(Mark mark) {
  Value value;
  value.mark_ = mark;
  return value;
}

bool Value::is_null() const { return std::holds_alternative<std::monostate>(data_); }
bool Value::is_boolean() const { return std::holds_alternative<bool>(data_); }
bool Value::is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
bool Value::is_float() const { return std::holds_alternative<double>(data_); }
bool Value::is_string() const { return std::holds_alternative<std::shared_ptr<const std::string>>(data_); }
bool Value::is_array() const { return std::holds_alternative<std::shared_ptr<const Array>>(data_); }
bool Value::is_object() const { return std::holds_alternative<std::shared_ptr<const Object>>(data_); }

bool Value::boolean() const {
  assert(is_boolean());
  return *std::get_if<bool>(&data_);
}

std::int64_t Value::integer() const {
  assert(is_integer());
  return *std::get_if<std::int64_t>(&data_);
}

double Value::number() const {
  assert(is_number());
  return is_integer() ? static_cast<double>(integer()) : *std::get_if<double>(&data_);
}

const std::string& Value::string() const {
  assert(is_string());
  return **std::get_if<std::shared_ptr<const std::string>>(&data_);
}

const Array& Value::array() const {
  assert(is_array());
  return **std::get_if<std::shared_ptr<const Array>>(&data_);
}

const Object& Value::object() const {
  assert(is_object());
  return **std::get_if<std::shared_ptr<const Object>>(&data_);
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : object()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value Value::with(std::string_view key, Value value) const {
  assert(is_object() || is_null());
  Object members = is_object() ? object() : Object{};
  for (Member& member : members) {
    if (member.key != key) continue;
    member.value = std::move(value);
    return Value(std::move(members), mark_);
  }
  const Mark mark = value.mark();
  members.push_back(Member{std::string(key), std::move(value), mark});
  return Value(std::move(members), mark_);
}

Value Value::without(std::string_view key) const {
  if (find(key) == nullptr) return *this;
  Object members;
  members.reserve(object().size() - 1);
  for (const Member& member : object()) {
    if (member.key != key) members.push_back(member);
  }
  return Value(std::move(members), mark_);
}

std::string_view Value::type_name() const {
  if (is_object()) return "object";
  if (is_array()) return "array";
  if (is_string()) return "string";
  if (is_number()) return "number";
  return is_boolean() ? "bool" : "null";
}

bool operator==(const Value& a, const Value& b) {
  if (a.data_.index() != b.data_.index()) return false;
  if (a.is_string()) return a.string() == b.string();
  // What is shared is equal; only what is not needs a walk.
  if (a.is_array()) return &a.array() == &b.array() || a.array() == b.array();
  if (a.is_object()) return &a.object() == &b.object() || a.object() == b.object();
  return a.data_ == b.data_;
}

}  // namespace loadline::document
