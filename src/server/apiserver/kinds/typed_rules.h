#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "objects/kube/validation.h"
#include "objects/kube/view.h"
#include "server/apiserver/kinds/strategy.h"

namespace loadline::apiserver {

// ---- errors about fields of documents ------------------------------------------------------------------------------

/// "Invalid value: <value as JSON>: <why>".
kube::FieldError invalid_field(std::string path, const document::Value& value, std::string_view why);
kube::FieldError required_field(std::string path, std::string_view why = {});
kube::FieldError forbidden_field(std::string path, std::string_view why);
kube::FieldError duplicate_field(std::string path, const document::Value& value);

void append(kube::FieldErrors& errors, kube::FieldErrors more);

/// The number there, if there is one.
std::optional<std::int64_t> integer_at(const document::Value& object, document::Names names);

/// A copy with that value there; none there if it is null.
document::Value with_or_without(const document::Value& object, document::Names names, const document::Value& value);

/// Absent, null, "", 0, false, [] and {} are all the same to Go's types.
bool is_empty(const document::Value& value);

/// Do they say the same there, whether or not something empty is written?
bool same_at(const document::Value& a, const document::Value& b, document::Names names);

/// ValidateImmutableField: an error with the new value if it is not the old one.
void check_immutable(kube::FieldErrors& errors, std::string path, const document::Value& now,
                     const document::Value& before);

/// Did anything in `spec` change? What counts for metadata.generation.
bool changes_spec(const document::Value& object, const document::Value& old);

// ---- typed kinds ---------------------------------------------------------------------------------------------------

/// What decoding refused (words outside an enumeration) among the broken rules, each beside its nearest neighbour;
/// rules about a value that was refused are left out, and what goes beyond a thousand of either.
kube::FieldErrors merged(kube::FieldErrors refused, kube::FieldErrors rules);

/// All that upstream's validation of a new object says of this document, in its words. REQUIRES: defaults are set.
template <class Kind>
kube::FieldErrors typed_errors(const document::Value& object, const kube::Schema& schema) {
  kube::View<Kind> view = kube::view<Kind>(object, schema);
  return merged(std::move(view.errors), kube::validate(view.object));
}

/// A kind with typed tables and no rules of its own: held against them when it is created and when it changes.
template <class Kind>
class TypedStrategy : public Strategy {
 public:
  TypedStrategy(Traits traits, const kube::Schema& schema) : Strategy(traits), schema_(schema) {}

  kube::FieldErrors validate(const document::Value& object, StrategyContext& /*context*/) const override {
    return typed_errors<Kind>(object, schema_);
  }

 private:
  const kube::Schema& schema_;
};

}  // namespace loadline::apiserver
