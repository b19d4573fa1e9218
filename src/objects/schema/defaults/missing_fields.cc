#include "objects/schema/defaults/missing_fields.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "foundation/base/contract.h"

namespace loadline::schema {

using document::Value;

namespace {

FieldChain chain_of(const Type& type, std::string_view text) {
  FieldChain chain;
  for (const Type* at = &type; !text.empty();) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const Field* field = at->find(text.substr(0, dot));
    REQUIRES(field != nullptr);
    chain.push_back(field);
    at = field->type;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return chain;
}

/// The field that a default's value comes from.
std::string_view source_of(const DefaultField& row) {
  if (const auto* copy = std::get_if<CopyOf>(&row.value)) return copy->field;
  if (const auto* entries = std::get_if<EntriesOf>(&row.value)) return entries->field;
  if (const auto* mirror = std::get_if<MirrorOf>(&row.value)) return mirror->field;
  return {};
}

Value constant_of(const DefaultField& row) {
  if (const auto* text = std::get_if<std::string_view>(&row.value)) return Value(*text);
  if (const auto* number = std::get_if<std::int64_t>(&row.value)) return Value(*number);
  if (const auto* flag = std::get_if<bool>(&row.value)) return Value(*flag);
  if (std::holds_alternative<EmptyObject>(row.value)) return Value(document::Object{});
  return {};
}

using PathView = std::span<const Field* const>;

/// An object as it was written, and as rows have filled it in so far.
class Filling {
 public:
  Filling(const std::vector<ObjectDefaults::Row>& rows, const Value& object,
          const ObjectDefaults::IsUnreadable& is_unreadable)
      : rows_(rows), object_(object), is_unreadable_(is_unreadable) {}

  void apply(std::size_t row);
  [[nodiscard]] std::vector<MissingField> take() { return std::move(missing_); }

 private:
  [[nodiscard]] const Value* find(PathView path) const;
  [[nodiscard]] const Value* find_filled(PathView path) const;
  /// The value of the field, or null if it says nothing.
  [[nodiscard]] const Value* said(const FieldChain& path) const;
  [[nodiscard]] bool is_unreadable(const FieldChain& path) const;
  /// Whether the field's object is there, or will be written.
  [[nodiscard]] bool has_room(const FieldChain& path) const;
  [[nodiscard]] bool holds(const ObjectDefaults::Row& row) const;
  /// What the row gives to the field; nothing if it is not missing.
  [[nodiscard]] std::optional<Value> given_by(const ObjectDefaults::Row& row) const;

  const std::vector<ObjectDefaults::Row>& rows_;
  const Value& object_;
  const ObjectDefaults::IsUnreadable& is_unreadable_;
  std::vector<MissingField> missing_;
};

const Value* Filling::find_filled(PathView path) const {
  const auto is_same = [&](const MissingField& each) {
    const FieldChain& other = rows_[each.row].path;
    return other.back() == path.back() && std::ranges::equal(other, path);
  };
  const auto last = std::find_if(missing_.rbegin(), missing_.rend(), is_same);
  return last == missing_.rend() ? nullptr : &last->value;
}

const Value* Filling::find(PathView path) const {
  const Value* value = &object_;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Value* filled = missing_.empty() ? nullptr : find_filled(path.first(i + 1));
    value = filled != nullptr ? filled : value == nullptr ? nullptr : value->find(path[i]->name);
  }
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool Filling::is_unreadable(const FieldChain& path) const {
  return is_unreadable_ != nullptr && is_unreadable_(path) && find_filled(path) == nullptr;
}

const Value* Filling::said(const FieldChain& path) const {
  const Value* value = find(path);
  if (value == nullptr || (is_empty(*value) && !path.back()->is_pointer) || is_unreadable(path)) return nullptr;
  return value;
}

bool Filling::has_room(const FieldChain& path) const {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Value* object = find(PathView(path).first(i));
    const bool is_there = object != nullptr && (object->is_object() || is_unreadable_ == nullptr);
    if (is_there ? !object->is_object() : !is_always_written(*path[i - 1])) return false;
  }
  return true;
}

bool Filling::holds(const ObjectDefaults::Row& row) const {
  const DefaultCondition& condition = row.field->condition;
  if (condition.test == DefaultCondition::Test::kNone) return true;
  const Value* value = said(row.condition);
  if (condition.test == DefaultCondition::Test::kEquals) {
    return value != nullptr && value->is_string() && value->string() == condition.word;
  }
  return (value != nullptr) == (condition.test == DefaultCondition::Test::kPresent);
}

std::optional<Value> Filling::given_by(const ObjectDefaults::Row& row) const {
  const Value* present = said(row.path);
  if (row.source.empty()) return present == nullptr ? std::optional(row.value) : std::nullopt;
  const Value* source = said(row.source);
  if (source == nullptr) return std::nullopt;
  if (std::holds_alternative<EntriesOf>(row.field->value)) return with_missing_entries(present, source);
  const bool is_mirror = std::holds_alternative<MirrorOf>(row.field->value);
  const bool is_missing = present == nullptr || (is_mirror && *present != *source);
  return is_missing ? std::optional(*source) : std::nullopt;
}

void Filling::apply(std::size_t row) {
  if (!holds(rows_[row])) return;
  std::optional<Value> given = given_by(rows_[row]);
  if (!given || !has_room(rows_[row].path)) return;
  if (missing_.empty()) missing_.reserve(rows_.size());
  missing_.push_back({row, std::move(*given)});
}

}  // namespace

ObjectDefaults::ObjectDefaults(const Type& type, const IsWanted& is_wanted) {
  // From the last row to the first: what a row depends on was filled in before it.
  std::vector<FieldChain> needed;
  const std::span<const DefaultField> fields = default_fields();
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    if (field->type != type.name) continue;
    Row row{&*field, chain_of(type, field->field), chain_of(type, field->condition.field),
            chain_of(type, source_of(*field)), constant_of(*field)};
    const bool is_needed = std::ranges::find(needed, row.path) != needed.end();
    if (is_wanted != nullptr && !is_wanted(row.path) && !is_needed) continue;
    needed.push_back(row.condition);
    needed.push_back(row.source);
    rows_.push_back(std::move(row));
  }
  std::ranges::reverse(rows_);
  REQUIRES(rows_.size() <= 64);
}

std::vector<MissingField> ObjectDefaults::missing_in(const Value& object, const IsUnreadable& is_unreadable,
                                                     std::uint64_t open) const {
  Filling filling(rows_, object, is_unreadable);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if ((open >> row & 1) != 0) filling.apply(row);
  }
  return filling.take();
}

bool is_empty(const Value& value) {
  if (value.is_boolean()) return !value.boolean();
  if (value.is_integer()) return value.integer() == 0;
  if (value.is_string()) return value.string().empty();
  if (value.is_array()) return value.array().empty();
  if (value.is_object()) return value.object().empty();
  return value.is_null();
}

std::optional<Value> with_missing_entries(const Value* map, const Value* others) {
  if (others == nullptr || !others->is_object()) return std::nullopt;
  document::Object merged;
  if (map != nullptr && map->is_object()) merged = map->object();
  const std::size_t count = merged.size();
  for (const document::Member& other : others->object()) {
    if (map == nullptr || map->find(other.key) == nullptr) merged.push_back(other);
  }
  if (merged.size() == count) return std::nullopt;
  std::ranges::sort(merged, {}, &document::Member::key);
  return Value(std::move(merged));
}

}  // namespace loadline::schema
