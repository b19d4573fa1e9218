#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/meta.h"
#include "objects/schema/type.h"

namespace loadline::kube {

/// How the documents of a kind become structs. What fields an object has, and of what types they are, is published
/// (objects/schema); the rows here add what only C++ can say: which fields decisions read, and where their values go.
/// Strict checking and decoding walk both as one table, which is put together when it is first used.
///
/// A row is one of
///   field<&Pod::metadata>("metadata", kObjectMetaSchema)
///                                          decoded into that member; an object says by which rows,
///   part("spec", kDeploymentSpecSchema)    an object whose rows write into the same struct,
///   presence<&Volume::host_path>(…)        only whether it is there is kept,
///   custom<read_ports>(…)                  checked by its type, then handed to a function; written only if the row
///                                          names a second one,
///   enumerated("dnsPolicy", kDnsPolicy)    kept nowhere, but only these words are taken,
///   within("ephemeralContainers", k…)      kept nowhere, but rows speak of what is in it.

class Decoder;
class MemberDefaults;
class Path;
class Schema;
class SchemaArena;

enum class FieldType : std::uint8_t {
  kString,
  kInt32,
  kInt64,
  kNumber,
  kBoolean,
  kQuantity,
  kIntOrString,
  kTime,
  kMicroTime,
  kDuration,  ///< metav1.Duration, "1m30s"
  kBytes,     ///< base64
  kEnumeration,
  kObject,
  kAny,  ///< any JSON value
};

enum class Multiplicity : std::uint8_t { kOne, kList, kMap };

/// The words that an enumerated string may be, in the order of the C++ enumerators.
struct Enumeration {
  enum class Order : std::uint8_t { kSorted, kAsListed };

  std::span<const std::string_view> names;
  std::string_view invalid = {};  ///< what upstream says after `Invalid value: "x": `; empty: it says Unsupported value
  Order shown = Order::kSorted;   ///< how upstream lists the supported values
  bool required_if_absent = false;  ///< a missing value is a `Required value` rather than an unsupported ""
  std::size_t offered = 64;         ///< how many of the names upstream offers: not those behind a feature gate
};

/// The enumeration behind an enum type; specialised beside the table that first uses it.
template <class Enum>
inline constexpr std::nullptr_t kEnumerationOf = nullptr;

/// The word that stands for `value` in a manifest.
template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return kEnumerationOf<Enum>->names[static_cast<std::size_t>(value)];
}

/// What a value may look like; of objects, with the rows that read them.
struct Type {
  FieldType shape = FieldType::kAny;
  Multiplicity multiplicity = Multiplicity::kOne;
  const Schema* schema = nullptr;            // kObject
  const Enumeration* enumeration = nullptr;  // kEnumeration
  bool is_rounded = false;                   // kQuantity: amounts are rounded up to thousandths

  /// The type of one element of a list or map.
  [[nodiscard]] constexpr Type element() const { return {shape, Multiplicity::kOne, schema, enumeration, is_rounded}; }
};

inline constexpr Type kString{FieldType::kString};
inline constexpr Type kInt32{FieldType::kInt32};
inline constexpr Type kInt64{FieldType::kInt64};
inline constexpr Type kNumber{FieldType::kNumber};
inline constexpr Type kBoolean{FieldType::kBoolean};
inline constexpr Type kQuantity{FieldType::kQuantity};
inline constexpr Type kIntOrString{FieldType::kIntOrString};
inline constexpr Type kTime{FieldType::kTime};
inline constexpr Type kMicroTime{FieldType::kMicroTime};
inline constexpr Type kDuration{FieldType::kDuration};
inline constexpr Type kBytes{FieldType::kBytes};
inline constexpr Type kAsPublished{FieldType::kAny};  ///< in a row: whatever is published

constexpr Type object(const Schema& schema) { return {FieldType::kObject, Multiplicity::kOne, &schema}; }
constexpr Type one_of(const Enumeration& enumeration) {
  return {FieldType::kEnumeration, Multiplicity::kOne, nullptr, &enumeration};
}
constexpr Type list_of(Type type) { return {type.shape, Multiplicity::kList, type.schema, type.enumeration}; }
constexpr Type map_of(Type type) { return {type.shape, Multiplicity::kMap, type.schema, type.enumeration}; }

struct Field {
  using Decode = void (*)(Decoder&, const document::Value&, const Path&, void* owner, const Type&);
  using Absent = void (*)(Decoder&, document::Mark, const Path&, void* owner, const Type&);
  using Encode = document::Value (*)(const void* owner, const Type&);
  using Inside = void* (*)(void* owner);

  std::string_view name;
  Type type;
  Decode decode = nullptr;  ///< null: checked only
  Absent absent = nullptr;  ///< what becomes of the member if a required field is not there; null: nothing
  Encode encode = nullptr;  ///< the way back; null: not written
  Inside inside = nullptr;  ///< the member itself, if it is a struct whose rows are another schema's; else null
  bool is_part = false;     ///< the object's rows write into the owner itself
  bool is_required = false;
  bool is_pointer = false;  ///< written even if it is empty, unless it is absent
  bool is_filled = false;   ///< an object that is decoded as an empty one if it is absent, for the defaults inside

  /// For a field that other versions of the kind have another name for.
  [[nodiscard]] constexpr Field read_only() const {
    Field copy = *this;
    copy.encode = nullptr;
    return copy;
  }
  /// For a member that always has a value, where Go has a pointer: zero is not what an absent field stands for.
  [[nodiscard]] constexpr Field pointer() const {
    Field copy = *this;
    copy.is_pointer = true;
    return copy;
  }
};

/// Marks a Schema whose kind comes from a CustomResourceDefinition.
struct OfCustomKind {};

/// The fields of one object: those that are published for its type, with the rows that say what becomes of them.
class Schema {
 public:
  /// `type` is the published name, "io.k8s.api.core.v1.Container". `list_hint` is what to tell an author of a list
  /// where this object belongs.
  constexpr Schema(std::string_view type, std::span<const Field> rows, std::string_view list_hint = {})
      : name(type.substr(type.rfind('.') + 1)), hint_for_list(list_hint), type_(type), rows_(rows) {}
  /// Of a custom object. What fields there are is for its definition to say, which may be the author's own: an object
  /// is held against that before (objects/kube/custom_kinds.h), and these rows are looked at alone. A row may be of a
  /// field that only some versions have.
  constexpr Schema(OfCustomKind, std::string_view type_name, std::span<const Field> rows)
      : name(type_name), rows_(rows) {}
  /// Of an object of which no decision reads anything: see SchemaArena.
  Schema(const schema::Type& type, SchemaArena& arena);

  std::string_view name;  ///< "Container"
  std::string_view hint_for_list;

  /// All fields, by name as OpenAPI lists them; those of configuration files and custom kinds as they are described.
  /// REQUIRES: rows that are published, and are what their members hold.
  [[nodiscard]] std::span<const Field> fields() const {
    const Completed* completed = completed_.load(std::memory_order_acquire);
    return completed != nullptr ? completed->fields : complete().fields;
  }
  /// What members get whose fields are absent; null if none gets anything.
  [[nodiscard]] const MemberDefaults* defaults() const {
    const Completed* completed = completed_.load(std::memory_order_acquire);
    return completed != nullptr ? completed->defaults.get() : complete().defaults.get();
  }
  /// The row of that name, or null.
  [[nodiscard]] const Field* find(std::string_view field_name) const;
  /// Whether its rows are not held against what is published.
  [[nodiscard]] bool is_of_custom_kind() const { return type_.empty() && published_ == nullptr; }
  /// Whether fields that are not described may be there: x-kubernetes-preserve-unknown-fields, additionalProperties.
  [[nodiscard]] bool takes_unknown_fields() const;

 private:
  friend class MemberDefaults;
  friend class SchemaArena;

  struct Completed {
    std::vector<Field> fields;
    std::shared_ptr<const MemberDefaults> defaults;
  };

  [[nodiscard]] const schema::Type& published() const;
  [[nodiscard]] SchemaArena& arena() const;
  /// Whether both are of one type, or of types with the same fields: PodAffinity and PodAntiAffinity share their rows.
  [[nodiscard]] bool is_like(const Schema& other) const;
  const Completed& complete() const;
  [[nodiscard]] Field completed(const schema::Field& published) const;
  /// Whether an object of which nothing is written has members that get defaults.
  [[nodiscard]] bool fills_empty_object() const;

  std::string_view type_;
  std::span<const Field> rows_;
  const schema::Type* published_ = nullptr;                    // null: to be looked up
  SchemaArena* arena_ = nullptr;                               // null: the one that is never freed
  mutable std::atomic<const Completed*> completed_ = nullptr;  // in the arena
};

/// Owns the schemas of types that no row speaks of, one a type. The types must live as long.
class SchemaArena {
 public:
  SchemaArena() = default;
  SchemaArena(const SchemaArena&) = delete;
  SchemaArena& operator=(const SchemaArena&) = delete;

  const Schema& schema_of(const schema::Type& type);

 private:
  friend class Schema;

  std::map<const schema::Type*, Schema> schemas_;
  std::deque<Schema::Completed> completed_;
};

/// The schema of a built-in type that no row speaks of.
const Schema& schema_of(const schema::Type& type);

// ---- from a C++ type to its JSON type ------------------------------------------------------------------------------

namespace schema_detail {

template <class T>
struct Described {
  static constexpr Type type() {
    if constexpr (std::is_enum_v<T>) {
      static_assert(!std::is_null_pointer_v<decltype(kEnumerationOf<T>)>, "no kEnumerationOf for this enum");
      return one_of(*kEnumerationOf<T>);
    } else {
      return {FieldType::kObject};
    }
  }
};
// clang-format off
template <> struct Described<std::string> { static constexpr Type type() { return kString; } };
template <> struct Described<std::int32_t> { static constexpr Type type() { return kInt32; } };
template <> struct Described<std::int64_t> { static constexpr Type type() { return kInt64; } };
template <> struct Described<double> { static constexpr Type type() { return kNumber; } };
template <> struct Described<bool> { static constexpr Type type() { return kBoolean; } };
template <> struct Described<Quantity> { static constexpr Type type() { return kQuantity; } };
template <> struct Described<IntOrString> { static constexpr Type type() { return kIntOrString; } };
template <> struct Described<Instant> { static constexpr Type type() { return kTime; } };
template <class T> struct Described<std::optional<T>> : Described<T> {};
template <class T> struct Described<std::shared_ptr<const T>> : Described<T> {};
template <class T> struct Described<std::vector<T>> {
  static constexpr Type type() { return list_of(Described<T>::type()); }
};
template <class T, class Less> struct Described<std::map<std::string, T, Less>> {
  static constexpr Type type() { return map_of(Described<T>::type()); }
};
template <> struct Described<StringMap> : Described<StringMap::Members> {};
// clang-format on

template <auto Member>
struct MemberTraits;
template <class Owner, class Value, Value Owner::* Member>
struct MemberTraits<Member> {
  using OwnerType = Owner;
  using ValueType = Value;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A struct, held by value, that the rows of another schema write into.
template <class T>
inline constexpr bool kIsStruct = std::is_class_v<T> && Described<T>::type().shape == FieldType::kObject &&
                                  Described<T>::type().multiplicity == Multiplicity::kOne;
template <class T>
inline constexpr bool kIsStruct<std::optional<T>> = false;
template <class T>
inline constexpr bool kIsStruct<std::shared_ptr<const T>> = false;

template <auto Function>
struct ReaderTraits;
template <class Owner, void (*Function)(Decoder&, const document::Value&, const Path&, Owner&)>
struct ReaderTraits<Function> {
  using OwnerType = Owner;
};

}  // namespace schema_detail

// ---- rows ----------------------------------------------------------------------------------------------------------

/// Decodes into `out`; defined in kube/decoder.h, which every table includes.
template <class T>
void decode_into(Decoder& decoder, const document::Value& value, const Path& path, T& out, const Type& type);
/// The Go zero value of a required field that is missing, or the complaint about it.
template <class T>
void decode_absent(Decoder& decoder, document::Mark mark, const Path& path, T& out, const Type& type);
/// The value as it stands in a document; defined in kube/encoder.h.
template <class T>
document::Value encode_from(const T& value, const Type& type);
/// True if `value` has that type all the way down; every deviation is reported.
bool check(Decoder& decoder, const document::Value& value, const Path& path, const Type& type);

template <auto Member>
constexpr Field field(std::string_view name, Type type) {
  using Traits = schema_detail::MemberTraits<Member>;
  Field row{name, type};
  row.decode = [](Decoder& decoder, const document::Value& value, const Path& path, void* owner, const Type& of) {
    decode_into(decoder, value, path, static_cast<typename Traits::OwnerType*>(owner)->*Member, of);
  };
  row.absent = [](Decoder& decoder, document::Mark mark, const Path& path, void* owner, const Type& of) {
    decode_absent(decoder, mark, path, static_cast<typename Traits::OwnerType*>(owner)->*Member, of);
  };
  row.encode = [](const void* owner, const Type& of) {
    return encode_from(static_cast<const typename Traits::OwnerType*>(owner)->*Member, of);
  };
  if constexpr (schema_detail::kIsStruct<typename Traits::ValueType>) {
    row.inside = [](void* owner) -> void* { return &(static_cast<typename Traits::OwnerType*>(owner)->*Member); };
  }
  row.is_pointer = schema_detail::kIsOptional<typename Traits::ValueType>;
  return row;
}

template <auto Member>
constexpr Field field(std::string_view name) {
  return field<Member>(name, schema_detail::Described<typename schema_detail::MemberTraits<Member>::ValueType>::type());
}

/// An object, or a list or map of such.
template <auto Member>
constexpr Field field(std::string_view name, const Schema& rows) {
  Type type = schema_detail::Described<typename schema_detail::MemberTraits<Member>::ValueType>::type();
  type.schema = &rows;
  return field<Member>(name, type);
}

constexpr Field enumerated(std::string_view name, const Enumeration& words) { return {name, one_of(words)}; }

constexpr Field within(std::string_view name, const Schema& rows) { return {name, object(rows)}; }

constexpr Field part(std::string_view name, const Schema& schema) {
  Field row{name, object(schema)};
  row.is_part = true;
  return row;
}

template <auto Member>
constexpr Field presence(std::string_view name, Type type = kAsPublished) {
  Field row{name, type};
  row.decode = [](Decoder& decoder, const document::Value& value, const Path& path, void* owner, const Type& of) {
    check(decoder, value, path, of);
    static_cast<typename schema_detail::MemberTraits<Member>::OwnerType*>(owner)->*Member = true;
  };
  row.encode = [](const void* owner, const Type&) {
    const bool there = static_cast<const typename schema_detail::MemberTraits<Member>::OwnerType*>(owner)->*Member;
    return there ? document::Value(document::Object()) : document::Value();
  };
  row.is_pointer = true;
  return row;
}

/// `Write`, if given, is the way back: document::Value(const Owner&).
template <auto Function, auto Write = nullptr>
constexpr Field custom(std::string_view name, Type type = kAsPublished) {
  Field row{name, type};
  row.decode = [](Decoder& decoder, const document::Value& value, const Path& path, void* owner, const Type& of) {
    if (!check(decoder, value, path, of)) return;
    Function(decoder, value, path, *static_cast<typename schema_detail::ReaderTraits<Function>::OwnerType*>(owner));
  };
  if constexpr (!std::is_null_pointer_v<decltype(Write)>) {
    row.encode = [](const void* owner, const Type&) {
      return Write(*static_cast<const typename schema_detail::ReaderTraits<Function>::OwnerType*>(owner));
    };
  }
  return row;
}

template <auto Function, auto Write = nullptr>
constexpr Field custom(std::string_view name, const Schema& rows) {
  return custom<Function, Write>(name, object(rows));
}

}  // namespace loadline::kube
