#include "recorded_decisions/fields.h"

#include <limits>

#include "objects/kube/decoder.h"

namespace loadline::recorded_decisions {

Fields Fields::member(std::string_view name) const {
  const document::Value* found = value_ == nullptr ? nullptr : value_->find(name);
  return {found, kube::Path(path_, name), fault_};
}

void Fields::blame(const std::string& message) const {
  const std::string where = path();
  blame_below(where.empty() ? message : where + ": " + message);
}

void Fields::blame_below(const std::string& message) const {
  if (fault_->none()) fault_->message = fault_->file + ": " + message;
}

void Fields::expected(std::string_view what) const {
  blame("expected " + std::string(what) + ", got " + kube::described(*value_));
}

bool Fields::is_object() const {
  if (present() && value_->is_object()) return true;
  if (present()) expected("an object");
  return false;
}

bool Fields::is_list() const {
  if (present() && value_->is_array()) return true;
  if (present()) expected("a list");
  return false;
}

std::string Fields::text() const {
  if (present() && value_->is_string()) return value_->string();
  if (present()) expected("a string");
  return {};
}

std::int64_t Fields::integer() const {
  if (present() && value_->is_integer()) return value_->integer();
  if (present()) expected("an integer");
  return 0;
}

bool Fields::boolean(bool fallback) const {
  if (present() && value_->is_boolean()) return value_->boolean();
  if (present()) expected("true or false");
  return fallback;
}

int Fields::index(std::size_t bound) const {
  const std::int64_t found = integer();
  if (found >= 0 && static_cast<std::size_t>(found) < bound && found <= std::numeric_limits<int>::max()) {
    return static_cast<int>(found);
  }
  blame("expected a number below " + std::to_string(bound) + ", got " + std::to_string(found));
  return 0;
}

std::vector<std::string> Fields::texts() const {
  return list([](const Fields& item) { return item.text(); });
}

std::vector<int> Fields::indexes(std::size_t bound) const {
  return list([bound](const Fields& item) { return item.index(bound); });
}

}  // namespace loadline::recorded_decisions
