#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/kube/encoder.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

/// Where in an object the decoder stands: a chain of frames on the stack, made into text only for a message.
class Path {
 public:
  /// The root of an object of that schema.
  explicit Path(const Schema* schema) : schema_(schema) {}
  Path(const Path& parent, std::string_view name, const Schema* schema = nullptr)
      : parent_(&parent), name_(name), schema_(schema) {}
  static Path element(const Path& parent, std::size_t index) {
    Path path(parent, {});
    path.index_ = index;
    return path;
  }
  static Path key(const Path& parent, std::string_view key) {
    Path path(parent, key);
    path.is_key_ = true;
    return path;
  }

  /// The same place, known to hold an object of that schema.
  [[nodiscard]] Path with(const Schema& schema) const {
    Path path = *this;
    path.schema_ = &schema;
    return path;
  }

  /// "spec.containers[0].resources.limits[cpu]", as upstream's field.Path writes it.
  [[nodiscard]] std::string text() const;
  /// The name of the last field, or the map key.
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const Path* parent() const { return parent_; }
  /// The schema of the object at this place, or null if it is no object.
  [[nodiscard]] const Schema* schema() const { return schema_; }

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

  const Path* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = kNoIndex;
  bool is_key_ = false;
  const Schema* schema_ = nullptr;
};

/// How a position inside a text that is itself a value (a ConfigMap's entry) maps to the file around it.
struct PositionOffset {
  std::uint32_t lines = 0;
  std::uint32_t columns = 0;
  document::Mark instead = {};  ///< set where lines do not correspond (a quoted text): the place to show for all
};

/// Collects what is wrong with one object while it is decoded.
class Decoder {
 public:
  Decoder(Diagnostics& diagnostics, std::shared_ptr<const std::string> file, std::string subject, Severity severity,
          PositionOffset offset = {})
      : diagnostics_(diagnostics),
        file_(std::move(file)),
        subject_(std::move(subject)),
        severity_(severity),
        offset_(offset) {}

  void report(document::Mark mark, std::string path, std::string message, std::string hint = {});
  void report(document::Mark mark, const Path& path, std::string message, std::string hint = {}) {
    unreadable_.push_back(path.text());
    report(mark, path.text(), std::move(message), std::move(hint));
  }
  /// Says that rules about `path` and what is below it would only repeat what was reported already.
  void poison(std::string path) { poisoned_.push_back(std::move(path)); }
  /// Says that something of the map at `map` could not be read: a rule that misses it there, or in the object around
  /// the map, would mislead.
  void leave_incomplete(const Path& map) {
    incomplete_.push_back(map.text());
    if (map.parent() != nullptr) incomplete_.push_back(map.parent()->text());
  }
  [[nodiscard]] bool poisoned(std::string_view path) const;
  /// True if the value there, or what it is within, was reported by its path.
  [[nodiscard]] bool unreadable(std::string_view path) const;
  /// Something accepted that its author should change.
  void warn(document::Mark mark, std::string path, std::string message, std::string hint = {});

  [[nodiscard]] SourcePosition position(document::Mark mark) const;
  /// Problems so far, warnings made of errors included, warnings proper not.
  [[nodiscard]] std::size_t problems() const { return problems_; }
  /// True if the object must be dropped.
  [[nodiscard]] bool failed() const { return problems_ > 0 && severity_ == Severity::kError; }
  [[nodiscard]] const std::string& subject() const { return subject_; }

 private:
  void add(Severity severity, document::Mark mark, std::string path, std::string message, std::string hint);

  Diagnostics& diagnostics_;
  std::shared_ptr<const std::string> file_;
  std::string subject_;
  Severity severity_;
  PositionOffset offset_;
  std::size_t problems_ = 0;
  std::vector<std::string> unreadable_;
  std::vector<std::string> poisoned_;
  std::vector<std::string> incomplete_;
};

/// Decodes the members of `value` into `owner` by the rows of `schema`; a null `owner` only checks. What is absent gets
/// its default, as far as defaults are data (objects/schema/defaults).
/// `path` is the object's own place and carries `schema`.
void decode_object(Decoder& decoder, const document::Value& value, const Path& path, const Schema& schema, void* owner);
/// Decodes the value of one field of the object at `parent`.
void decode_member(Decoder& decoder, const document::Value& value, const Path& parent, const Field& row, void* owner);

// Scalars. Null leaves the target as it is, as Go's decoder does. False if the value was reported.
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, std::string& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, bool& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, std::int32_t& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, std::int64_t& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, double& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, Quantity& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, IntOrString& out);
bool read_scalar(Decoder& decoder, const document::Value& value, const Path& path, Instant& out);

// Texts with a form that no decision reads.
bool check_duration(Decoder& decoder, const document::Value& value, const Path& path);
bool check_bytes(Decoder& decoder, const document::Value& value, const Path& path);

/// The index of the word in the enumeration; nothing if it was reported, or is empty and thereby unset.
std::optional<std::size_t> read_enumeration(Decoder& decoder, const document::Value& value, const Path& path,
                                            const Enumeration& enumeration);
/// Reports a missing value of a required enumeration.
void report_absent(Decoder& decoder, document::Mark mark, const Path& path, const Enumeration& enumeration);

/// True if the value is a list (map, object); else reported. Null is none of them and not reported.
bool expect_list(Decoder& decoder, const document::Value& value, const Path& path, const Type& type);
bool expect_map(Decoder& decoder, const document::Value& value, const Path& path, const Type& type);
bool expect_object(Decoder& decoder, const document::Value& value, const Path& path, const Schema& schema);

/// `Unsupported value: "Foo": supported values: "A", "B"`, or the enumeration's own words.
std::string unsupported_value(std::string_view value, const Enumeration& enumeration);
/// What stands there, for a message: `string "three"`, `number 3`, `a list`.
std::string described(const document::Value& value);
/// Reports that `value` is not what was expected, with the likely cure.
void report_mismatch(Decoder& decoder, const document::Value& value, const Path& path, std::string_view expected,
                     std::string hint);

// ---- decode_into ---------------------------------------------------------------------------------------------------

namespace schema_detail {

template <class T>
concept Scalar = requires(Decoder& decoder, const document::Value& value, const Path& path, T& out) {
  { read_scalar(decoder, value, path, out) } -> std::same_as<bool>;
};

template <class T>
struct Into {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path, T& out, const Type& type) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (type.shape == FieldType::kEnumeration) {
        const auto index = read_enumeration(decoder, value, path, *type.enumeration);
        if (index) out = type.enumeration->names[*index];
      } else {
        read_scalar(decoder, value, path, out);
      }
    } else if constexpr (Scalar<T>) {
      read_scalar(decoder, value, path, out);
    } else if constexpr (std::is_enum_v<T>) {
      if (const auto index = read_enumeration(decoder, value, path, *type.enumeration)) out = static_cast<T>(*index);
    } else {
      if (!expect_object(decoder, value, path, *type.schema)) return;
      decode_object(decoder, value, path.with(*type.schema), *type.schema, &out);
    }
  }
};

template <class T>
struct Into<std::optional<T>> {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path, std::optional<T>& out,
                     const Type& type) {
    const std::size_t before = decoder.problems();
    T inner{};
    Into<T>::decode(decoder, value, path, inner, type);
    // An empty word is an unset enumeration; a value that was reported stays unset too.
    if constexpr (std::is_enum_v<T>) {
      if (value.is_string() && value.string().empty()) return;
    }
    if (decoder.problems() == before || type.shape == FieldType::kObject) out = std::move(inner);
  }
};

template <class T>
struct Into<std::shared_ptr<const T>> {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path, std::shared_ptr<const T>& out,
                     const Type& type) {
    auto inner = std::make_shared<T>();
    Into<T>::decode(decoder, value, path, *inner, type);
    out = std::move(inner);
  }
};

template <class T>
struct Into<std::vector<T>> {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path, std::vector<T>& out,
                     const Type& type) {
    if (!expect_list(decoder, value, path, type)) return;
    const Type element = type.element();
    out.clear();
    out.reserve(value.array().size());
    for (const document::Value& item : value.array()) {
      const Path here = Path::element(path, out.size());
      Into<T>::decode(decoder, item, here, out.emplace_back(), element);
    }
  }
};

template <class T, class Less>
struct Into<std::map<std::string, T, Less>> {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path,
                     std::map<std::string, T, Less>& out, const Type& type) {
    if (!expect_map(decoder, value, path, type)) return;
    const Type element = type.element();
    out.clear();
    for (const document::Member& member : value.object()) {
      [[maybe_unused]] const std::size_t before = decoder.problems();
      T& entry = out.try_emplace(out.end(), member.key)->second;  // most objects have their members in order
      Into<T>::decode(decoder, member.value, Path::key(path, member.key), entry, element);
      if constexpr (std::is_same_v<T, Quantity>) {
        if (type.is_rounded && !entry.is_whole_milli()) entry = entry.rounded_to_milli();
        // Zero in its place would be judged as if the author had written it.
        if (decoder.problems() != before) {
          out.erase(member.key);
          decoder.leave_incomplete(path);
        }
      }
    }
  }
};

template <>
struct Into<StringMap> {
  static void decode(Decoder& decoder, const document::Value& value, const Path& path, StringMap& out,
                     const Type& type) {
    StringMap::Members members = out.members();
    Into<StringMap::Members>::decode(decoder, value, path, members, type);
    out = StringMap(std::move(members));
  }
};

}  // namespace schema_detail

template <class T>
void decode_into(Decoder& decoder, const document::Value& value, const Path& path, T& out, const Type& type) {
  schema_detail::Into<T>::decode(decoder, value, path, out, type);
}

template <class T>
void decode_absent(Decoder& decoder, document::Mark mark, const Path& path, T& out, const Type& type) {
  if constexpr (std::is_enum_v<T>) {
    report_absent(decoder, mark, path, *type.enumeration);
  } else if constexpr (std::is_arithmetic_v<T>) {
    out = T{};
  }
}

}  // namespace loadline::kube
