#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kNamespaceFinalizer = "kubernetes";  // of the controller that empties the namespace

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
    if (lists(finalizers, kNamespaceFinalizer)) return object;
    document::Array names = finalizers != nullptr && finalizers->is_array() ? finalizers->array() : document::Array();
    names.emplace_back(kNamespaceFinalizer);
    return document::with_at(object, {"spec", "finalizers"}, Value(std::move(names)));
  }

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    if (const Value* spec = old.find("spec")) object = object.with("spec", *spec);  // changes through /finalize only
    return Strategy::prepare_for_update(std::move(object), old, context);
  }

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = Strategy::validate(object, context);
    for (const Value& finalizer : items_at(object, {"spec", "finalizers"})) {
      if (!finalizer.is_string()) continue;
      const std::string& name = finalizer.string();
      for (const std::string& problem : kube::qualified_name_problems(name)) {
        errors.push_back(invalid_field("spec.finalizers", finalizer, problem));
      }
      const bool is_standard = name == kNamespaceFinalizer || name == "orphan" || name == "foregroundDeletion";
      if (is_standard || name.find('/') != std::string::npos) continue;
      errors.push_back(invalid_field("spec.finalizers", finalizer,
                                     "name is neither a standard finalizer name nor is it fully qualified"));
    }
    return errors;
  }

  kube::FieldErrors validate_status_update(const Value& object, const Value& old,
                                           StrategyContext& context) const override {
    kube::FieldErrors errors = Strategy::validate_status_update(object, old, context);
    const bool is_going = is_being_deleted(object);
    const Value phase = value_at(object, {"status", "phase"});
    if (phase == Value(is_going ? "Terminating" : "Active")) return errors;
    errors.push_back(invalid_field("status.Phase", phase.is_null() ? Value("") : phase,
                                   is_going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                                            : "may only be 'Active' if `deletionTimestamp` is empty"));
    return errors;
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
