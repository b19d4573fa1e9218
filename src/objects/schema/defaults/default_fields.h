#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace loadline::schema {

/// An object without members, as a default.
struct EmptyObject {};

/// As a default: what another field of the object says, if it says anything.
struct CopyOf {
  std::string_view field;
};

/// As a default of a map: those entries of another map of the object whose keys it lacks.
struct EntriesOf {
  std::string_view field;
};

/// The value of a field that always says the same as another one, which wins: an old name of it.
struct MirrorOf {
  std::string_view field;
};

/// What another field of the object has to say for a default to be filled in.
struct DefaultCondition {
  enum class Test : std::uint8_t { kNone, kAbsent, kPresent, kEquals };

  Test test = Test::kNone;
  std::string_view field = {};
  std::string_view word = {};
};

constexpr DefaultCondition absent(std::string_view field) { return {DefaultCondition::Test::kAbsent, field}; }
constexpr DefaultCondition present(std::string_view field) { return {DefaultCondition::Test::kPresent, field}; }
constexpr DefaultCondition equals(std::string_view field, std::string_view word) {
  return {DefaultCondition::Test::kEquals, field, word};
}

/// A field that gets a value whenever the object gives it none. A field that is no pointer in Go has none if it is
/// zero.
///
/// Fields are named from the type down, "spec.completions", through objects only. A field below an object that is not
/// there gets nothing, unless Go always writes that object. The rows of a type apply in the order of the table, and
/// each sees the object as it was written and as the rows before have filled it in: so a row that looks whether a field
/// was written stands before the row that fills that field in.
struct DefaultField {
  std::string_view type;  ///< "io.k8s.api.core.v1.Container"
  std::string_view field;
  std::variant<std::string_view, std::int64_t, bool, EmptyObject, CopyOf, EntriesOf, MirrorOf> value;
  DefaultCondition condition = {};
};

/// A map of resource names to quantities, whose amounts are rounded up to thousandths.
/// Source: SetDefaults_ResourceList in pkg/apis/core/v1/defaults.go, v1.36.
struct AmountsField {
  std::string_view type;
  std::string_view field;
  /// Decisions about a pod that is being created look at what was written, or copied from other objects: requests of
  /// pods as wholes are sums of it. So kube rounds these amounts in set_defaults, the others when it decodes them.
  bool is_rounded_last = false;
};

/// What the API server fills in, as far as it can be said as data: the rest are rules, of server/api/defaults and of
/// objects/kube (set_defaults). The server applies these rows to documents, kube to the members that it decodes.
std::span<const DefaultField> default_fields();
std::span<const AmountsField> amounts_fields();

}  // namespace loadline::schema
