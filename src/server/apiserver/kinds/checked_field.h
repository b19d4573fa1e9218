#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

/// A place in a document that rules are held against: what stands there, and how its errors are written. It is to
/// documents what kube::FieldReport and kube::Path together are to typed kinds.
///
/// Rules read like upstream's: `spec.at("replicas").not_negative()`. A place that is not there is asked as freely as
/// one that is. REQUIRES: `errors` and the document outlive it.
class CheckedField {
 public:
  /// The root of a document.
  CheckedField(kube::FieldErrors& errors, const document::Value& document) : errors_(&errors), value_(&document) {}

  [[nodiscard]] CheckedField at(std::string_view name) const;
  [[nodiscard]] CheckedField at(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] CheckedField key(std::string_view key) const;  ///< of a map: written in brackets
  [[nodiscard]] std::vector<CheckedField> elements() const;    ///< of an array; none of anything else
  /// A place that says the same, and is called otherwise in errors.
  [[nodiscard]] CheckedField called(std::string path) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] document::Value value() const { return value_ == nullptr ? document::Value() : *value_; }
  [[nodiscard]] bool is_set() const { return value_ != nullptr && !value_->is_null(); }
  /// Absent, null, "", 0, false, [] or {}: the zero value of Go's type.
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] std::string_view text() const;                       ///< empty if it is no string
  [[nodiscard]] std::int64_t number(std::int64_t absent = 0) const;  ///< `absent` if it is no integer
  [[nodiscard]] std::int64_t int_or_percent_number() const;          ///< 25 of 25 and of "25%"
  [[nodiscard]] std::size_t size() const;                            ///< of an array or object; 0 otherwise
  [[nodiscard]] bool lists(std::string_view text) const;             ///< is an array with that string
  /// ValidateImmutableField's idea of equal: the same, or both empty.
  [[nodiscard]] bool is_same_as(const CheckedField& other) const;

  // Errors, in the words of apimachinery's field.Error.
  void required(std::string_view detail = {}) const;
  void invalid(std::string_view detail) const;  ///< shows the value
  void invalid(const document::Value& shown, std::string_view detail) const;
  void invalid_unshown(std::string_view detail) const;
  void forbidden(std::string_view detail) const;
  void unsupported(std::initializer_list<std::string_view> supported) const;
  /// Of what is not the value here: the key of a map.
  void unsupported(std::string_view shown, std::initializer_list<std::string_view> supported) const;
  void duplicate() const;
  void append(kube::FieldErrors more) const;  ///< what others found here; their paths are whole
  void too_many(std::size_t most) const;
  void too_long(std::size_t most_bytes) const;

  // Rules that upstream asks of many fields.
  void not_negative() const;  ///< ValidateNonnegativeField; absent is fine
  void one_of(std::initializer_list<std::string_view> supported) const;
  void keeps(kube::NameRule rule) const;
  void is_required_name(kube::NameRule rule) const;  ///< must be there and keep the rule
  void unchanged_from(const CheckedField& old) const;
  void label_selector() const;        ///< ValidateLabelSelector; absent is fine
  void labels() const;                ///< ValidateLabels of a map
  void domain_prefixed_path() const;  ///< IsDomainPrefixedPath: "acme.io/foo"
  void int_or_percent() const;        ///< ValidatePositiveIntOrPercent
  void at_most_all() const;           ///< IsNotMoreThan100Percent

 private:
  CheckedField(kube::FieldErrors* errors, const document::Value* value, std::string path)
      : errors_(errors), value_(value), path_(std::move(path)) {}
  void add(std::string message, std::string_view detail) const;

  kube::FieldErrors* errors_;
  const document::Value* value_;
  std::string path_;
};

/// IsPathSegmentName: anything that one segment of a path can hold.
[[nodiscard]] kube::NameProblems path_segment_problems(std::string_view name);

/// As Go prints a value in an error: strings quoted, all else as JSON.
[[nodiscard]] std::string shown_in_error(const document::Value& value);

}  // namespace loadline::apiserver
