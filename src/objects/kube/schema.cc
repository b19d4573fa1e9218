#include "objects/kube/schema.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "foundation/base/contract.h"
#include "objects/kube/member_defaults.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/defaults/missing_fields.h"
#include "objects/schema/published.h"

namespace loadline::kube {
namespace {

/// decode_object() keeps one bit a field.
constexpr std::size_t kMostFields = 64;

FieldType shape_of(schema::Form form) {
  switch (form) {
    case schema::Form::kString:
      return FieldType::kString;
    case schema::Form::kBytes:
      return FieldType::kBytes;
    case schema::Form::kInt32:
      return FieldType::kInt32;
    case schema::Form::kInt64:
      return FieldType::kInt64;
    case schema::Form::kNumber:
      return FieldType::kNumber;
    case schema::Form::kBoolean:
      return FieldType::kBoolean;
    case schema::Form::kQuantity:
      return FieldType::kQuantity;
    case schema::Form::kIntOrString:
      return FieldType::kIntOrString;
    case schema::Form::kTime:
      return FieldType::kTime;
    case schema::Form::kMicroTime:
      return FieldType::kMicroTime;
    case schema::Form::kDuration:
      return FieldType::kDuration;
    case schema::Form::kObject:
      return FieldType::kObject;
    default:
      return FieldType::kAny;
  }
}

/// Guards the tables below and the completion of schemas, which threads may ask for at the same time.
std::mutex& completion_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

/// For built-in types, which live for ever.
SchemaArena& built_in_arena() {
  static auto& arena = *new SchemaArena;
  return arena;
}

/// The type of a field as it is published. A list of lists is checked no further than any value: no kind that is read
/// has one.
Type type_of(const schema::Type& published, SchemaArena& arena) {
  const bool is_list = published.form == schema::Form::kList;
  const bool is_map = published.form == schema::Form::kMap;
  const schema::Type& element = is_list || is_map ? *published.element : published;
  // A definition takes numbers of any size there, and its rules are asked anyway.
  const bool is_by_rules = element.form == schema::Form::kIntOrString && element.rules != nullptr;
  Type type{is_by_rules ? FieldType::kAny : shape_of(element.form)};
  if (is_list) type.multiplicity = Multiplicity::kList;
  if (is_map) type.multiplicity = Multiplicity::kMap;
  if (type.shape == FieldType::kObject) type.schema = &arena.schema_of(element);
  return type;
}

/// Whether a row can be read from what is published, and written again.
bool agree(const Field& row, const schema::Field& published, const Type& type) {
  const FieldType shape = row.type.shape == FieldType::kEnumeration ? FieldType::kString : row.type.shape;
  if (shape == FieldType::kAny) return true;
  // A zero that is not written would be read as the default, which is another number.
  const bool is_number = type.shape == FieldType::kInt32 || type.shape == FieldType::kInt64;
  if (row.encode != nullptr && is_number && published.is_pointer && !row.is_pointer) return false;
  const bool has_member = row.absent != nullptr;
  return shape == type.shape && (!has_member || row.type.multiplicity == type.multiplicity);
}

/// Whether amounts of that field are rounded when they are decoded.
bool is_rounded(std::string_view type, std::string_view field) {
  return std::ranges::any_of(schema::amounts_fields(), [&](const schema::AmountsField& row) {
    return row.type == type && row.field == field && !row.is_rounded_last;
  });
}

/// Whether a member holds an object even if the document has none: Go always writes it, or the member is a struct.
bool is_always_there(const Field& row, const schema::Field& published) {
  if (row.type.schema == nullptr) return false;
  const bool is_kept = row.is_part || row.decode != nullptr;
  return row.inside != nullptr || (is_kept && schema::is_always_written(published));
}

}  // namespace

Schema::Schema(const schema::Type& type, SchemaArena& arena) : Schema(type.name, {}) {
  published_ = &type;
  arena_ = &arena;
}

const Field* Schema::find(std::string_view field_name) const {
  const std::span<const Field> all = fields();
  const auto row = std::ranges::find(all, field_name, &Field::name);
  return row == all.end() ? nullptr : &*row;
}

bool Schema::takes_unknown_fields() const {
  if (is_of_custom_kind()) return true;
  const schema::Type& type = published();
  return type.preserves_unknown || (type.rules != nullptr && type.rules->has_additional);
}

const schema::Type& Schema::published() const {
  const schema::Type* type = published_ != nullptr ? published_ : schema::find_built_in(type_);
  REQUIRES(type != nullptr);
  return *type;
}

SchemaArena& Schema::arena() const { return arena_ != nullptr ? *arena_ : built_in_arena(); }

bool Schema::is_like(const Schema& other) const {
  return type_ == other.type_ || std::ranges::equal(published().fields, other.published().fields, {},
                                                    &schema::Field::name, &schema::Field::name);
}

const Schema::Completed& Schema::complete() const {
  const std::lock_guard lock(completion_mutex());
  if (const Completed* completed = completed_.load(std::memory_order_relaxed)) return *completed;
  if (is_of_custom_kind()) {
    Completed& rows = arena().completed_.emplace_back();
    rows.fields.assign(rows_.begin(), rows_.end());
    completed_.store(&rows, std::memory_order_release);
    return rows;
  }
  const schema::Type& type = published();
  REQUIRES(rows_.empty() || type.fields.size() <= kMostFields);
  for (const Field& row : rows_) REQUIRES(type.find(row.name) != nullptr);
  Completed& all = arena().completed_.emplace_back();
  std::vector<Field>& fields = all.fields;
  fields.reserve(type.fields.size());
  for (const schema::Field& field : type.fields) fields.push_back(completed(field));
  const bool is_in_openapi = schema::kubernetes().types_by_name.contains(type.name);
  if (is_in_openapi) std::ranges::sort(fields, {}, &Field::name);
  MemberDefaults defaults(*this, fields);
  if (!defaults.empty()) all.defaults = std::make_shared<const MemberDefaults>(std::move(defaults));
  completed_.store(&all, std::memory_order_release);
  return all;
}

Field Schema::completed(const schema::Field& published) const {
  const Type type = type_of(*published.type, arena());
  const auto row = std::ranges::find(rows_, std::string_view(published.name), &Field::name);
  Field field = row == rows_.end() ? Field{published.name, type} : *row;
  field.is_required = published.is_required;
  if (row == rows_.end()) return field;
  REQUIRES(agree(*row, published, type));
  if (field.type.shape == FieldType::kAny) field.type = type;
  field.type.multiplicity = type.multiplicity;
  field.type.is_rounded = is_rounded(type_, published.name);
  if (field.type.schema == nullptr || type.schema == nullptr) return field;
  REQUIRES(field.type.schema->is_like(*type.schema));
  field.is_filled = is_always_there(*row, published) && field.type.schema->fills_empty_object();
  return field;
}

bool Schema::fills_empty_object() const {
  if (!MemberDefaults(*this, {}).empty()) return true;
  return std::ranges::any_of(rows_, [this](const Field& row) {
    return is_always_there(row, *published().find(row.name)) && row.type.schema->fills_empty_object();
  });
}

const Schema& SchemaArena::schema_of(const schema::Type& type) {
  return schemas_.try_emplace(&type, type, *this).first->second;
}

const Schema& schema_of(const schema::Type& type) {
  const std::lock_guard lock(completion_mutex());
  return built_in_arena().schema_of(type);
}

}  // namespace loadline::kube
