#include "apiserver/kinds/strategies.h"
#include "apiserver/metadata.h"
#include "document/at.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kFinalizer = "kubernetes";  // of whoever empties the namespace

bool lists(const Value* finalizers, std::string_view name) {
  if (finalizers == nullptr || !finalizers->is_array()) return false;
  for (const Value& finalizer : finalizers->array()) {
    if (finalizer.is_string() && finalizer.string() == name) return true;
  }
  return false;
}

/// Namespaces are held by spec.finalizers until they are empty, and say so in their phase.
/// Source: pkg/registry/core/namespace, v1.36.
class NamespaceStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_create(Value object, StrategyContext& /*context*/) const override {
    object = document::with_at(object, {"status"}, Value(Object{{"phase", Value("Active"), {}}}));
    const Value* finalizers = document::find_at(object, {"spec", "finalizers"});
    if (lists(finalizers, kFinalizer)) return object;
    document::Array names = finalizers != nullptr && finalizers->is_array() ? finalizers->array() : document::Array();
    names.emplace_back(kFinalizer);
    return document::with_at(object, {"spec", "finalizers"}, Value(std::move(names)));
  }

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    if (const Value* spec = old.find("spec")) object = object.with("spec", *spec);  // changes through /finalize only
    return Strategy::prepare_for_update(std::move(object), old, context);
  }

  bool is_held(const Value& object) const override {
    const Value* finalizers = document::find_at(object, {"spec", "finalizers"});
    return finalizers != nullptr && finalizers->is_array() && !finalizers->array().empty();
  }

  Value marked_as_deleted(Value object, Instant now) const override {
    if (!is_being_deleted(object)) object = with_metadata(object, "deletionTimestamp", Value(format_rfc3339(now)));
    return document::with_at(object, {"status", "phase"}, Value("Terminating"));
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_namespace_strategy(Traits traits) {
  return std::make_unique<NamespaceStrategy>(traits);
}

}  // namespace loadline::apiserver
