#include "objects/kube/decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "objects/kube/member_defaults.h"
#include "objects/kube/unknown_field.h"

namespace loadline::kube {

using document::Mark;
using document::Member;
using document::Value;

std::string Path::text() const {
  std::string text = parent_ == nullptr ? std::string() : parent_->text();
  if (index_ != kNoIndex) return text + "[" + std::to_string(index_) + "]";
  if (is_key_) return text + "[" + std::string(name_) + "]";
  if (!text.empty() && !name_.empty()) text += '.';
  return text += name_;
}

// ---- Decoder -------------------------------------------------------------------------------------------------------

void Decoder::report(Mark mark, std::string path, std::string message, std::string hint) {
  ++problems_;
  add(severity_, mark, std::move(path), std::move(message), std::move(hint));
}

void Decoder::warn(Mark mark, std::string path, std::string message, std::string hint) {
  add(Severity::kWarning, mark, std::move(path), std::move(message), std::move(hint));
}

void Decoder::add(Severity severity, Mark mark, std::string path, std::string message, std::string hint) {
  diagnostics_.push_back({severity, position(mark), subject_, std::move(path), std::move(message), std::move(hint)});
}

SourcePosition Decoder::position(Mark mark) const {
  if (mark.line == 0) return {file_, 0, 0};
  if (offset_.instead.line != 0) return {file_, offset_.instead.line, offset_.instead.column};
  return {file_, mark.line + offset_.lines, mark.column + offset_.columns};
}

namespace {

/// Whether one of the places is `path` or holds it.
bool holds(const std::vector<std::string>& places, std::string_view path) {
  return std::ranges::any_of(places, [&](const std::string& above) {
    if (!path.starts_with(above)) return false;
    return path.size() == above.size() || above.empty() || path[above.size()] == '.' || path[above.size()] == '[';
  });
}

}  // namespace

bool Decoder::poisoned(std::string_view path) const {
  return unreadable(path) || holds(poisoned_, path) || std::ranges::find(incomplete_, path) != incomplete_.end();
}

bool Decoder::unreadable(std::string_view path) const { return holds(unreadable_, path); }

// ---- objects -------------------------------------------------------------------------------------------------------

namespace {

inline void decode_field(Decoder& decoder, const Value& value, const Path& parent, const Field& row, void* owner) {
  const Path path(parent, row.name);
  if (row.is_part && owner != nullptr) {
    if (!expect_object(decoder, value, path, *row.type.schema)) return;
    decode_object(decoder, value, path.with(*row.type.schema), *row.type.schema, owner);
  } else if (row.decode != nullptr && owner != nullptr) {
    row.decode(decoder, value, path, owner, row.type);
  } else {
    check(decoder, value, path, row.type);
  }
}

bool check_one(Decoder& decoder, const Value& value, const Path& path, const Type& type);

/// A required word that is written as "", which Go cannot tell from one that is not there.
bool is_empty_word(const Value& value, const Field& row) {
  if (!row.is_required || row.type.enumeration == nullptr || !value.is_string() || !value.string().empty())
    return false;
  return std::ranges::find(row.type.enumeration->names, std::string_view()) == row.type.enumeration->names.end();
}

/// Whether there is nothing to be filled in in the place of the value.
bool says_something(const Field& row, const Value& value, bool is_filled_if_empty) {
  return row.is_filled ? value.is_object() : !is_filled_if_empty || !schema::is_empty(value);
}

/// Where the row of that name stands; the number of rows if there is none. Servers write fields in the order of the
/// table, or nearly, so the search begins behind the row before.
std::size_t place_of(std::span<const Field> rows, std::string_view name, std::size_t next) {
  for (std::size_t i = next; i < rows.size(); ++i) {
    if (rows[i].name == name) return i;
  }
  for (std::size_t i = 0; i < next; ++i) {
    if (rows[i].name == name) return i;
  }
  return rows.size();
}

}  // namespace

void decode_member(Decoder& decoder, const Value& value, const Path& parent, const Field& row, void* owner) {
  decode_field(decoder, value, parent, row, owner);
}

void decode_object(Decoder& decoder, const Value& value, const Path& path, const Schema& schema, void* owner) {
  const std::span<const Field> rows = schema.fields();
  const MemberDefaults* defaults = owner == nullptr ? nullptr : schema.defaults();
  const std::uint64_t filled_if_empty = defaults == nullptr ? 0 : defaults->filled_if_empty();
  std::uint64_t told = 0;
  std::size_t next = 0;
  for (const Member& member : value.object()) {
    const std::size_t place = place_of(rows, member.key, next);
    if (place == rows.size()) {
      if (!schema.takes_unknown_fields()) report_unknown_field(decoder, member, path, schema);
      continue;
    }
    next = place + 1;
    if (member.value.is_null()) continue;
    if (owner != nullptr && !is_empty_word(member.value, rows[place]) &&
        says_something(rows[place], member.value, filled_if_empty >> place & 1)) {
      told |= std::uint64_t{1} << place;
    }
    decode_field(decoder, member.value, path, rows[place], owner);
  }
  if (owner == nullptr) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Field& row = rows[i];
    if ((told >> i & 1) != 0) continue;
    if (row.is_filled) decode_member(decoder, Value(document::Object(), value.mark()), path, row, owner);
    if (!row.is_required || row.absent == nullptr) continue;
    row.absent(decoder, value.mark(), Path(path, row.name), owner, row.type);
  }
  if (defaults != nullptr) defaults->fill(decoder, value, told, path, owner);
}

// ---- checks --------------------------------------------------------------------------------------------------------

namespace {

template <class T>
bool check_scalar(Decoder& decoder, const Value& value, const Path& path) {
  T ignored{};
  return read_scalar(decoder, value, path, ignored);
}

bool check_one(Decoder& decoder, const Value& value, const Path& path, const Type& type) {
  if (value.is_null()) return true;
  const std::size_t before = decoder.problems();
  switch (type.shape) {
    case FieldType::kString:
      return check_scalar<std::string>(decoder, value, path);
    case FieldType::kInt32:
      return check_scalar<std::int32_t>(decoder, value, path);
    case FieldType::kInt64:
      return check_scalar<std::int64_t>(decoder, value, path);
    case FieldType::kNumber:
      return check_scalar<double>(decoder, value, path);
    case FieldType::kBoolean:
      return check_scalar<bool>(decoder, value, path);
    case FieldType::kQuantity:
      return check_scalar<Quantity>(decoder, value, path);
    case FieldType::kIntOrString:
      return check_scalar<IntOrString>(decoder, value, path);
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return check_scalar<Instant>(decoder, value, path);
    case FieldType::kDuration:
      return check_duration(decoder, value, path);
    case FieldType::kBytes:
      return check_bytes(decoder, value, path);
    case FieldType::kEnumeration:
      read_enumeration(decoder, value, path, *type.enumeration);
      return decoder.problems() == before;
    case FieldType::kObject:
      if (!expect_object(decoder, value, path, *type.schema)) return false;
      decode_object(decoder, value, path.with(*type.schema), *type.schema, nullptr);
      return decoder.problems() == before;
    case FieldType::kAny:
      return true;
  }
  return true;
}

}  // namespace

bool check(Decoder& decoder, const Value& value, const Path& path, const Type& type) {
  if (value.is_null()) return true;
  const std::size_t before = decoder.problems();
  switch (type.multiplicity) {
    case Multiplicity::kOne:
      return check_one(decoder, value, path, type);
    case Multiplicity::kList:
      if (!expect_list(decoder, value, path, type)) return false;
      for (std::size_t i = 0; i < value.array().size(); ++i) {
        check_one(decoder, value.array()[i], Path::element(path, i), type.element());
      }
      break;
    case Multiplicity::kMap:
      if (!expect_map(decoder, value, path, type)) return false;
      for (const Member& member : value.object()) {
        check_one(decoder, member.value, Path::key(path, member.key), type.element());
      }
      break;
  }
  return decoder.problems() == before;
}

}  // namespace loadline::kube
