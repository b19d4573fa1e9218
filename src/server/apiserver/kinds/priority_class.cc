#include "objects/kube/scheduling/priority_class_schema.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_priority_class_errors(const Value& object) {
  return typed_errors<kube::PriorityClass>(object, kube::kPriorityClassSchema);
}

/// What was assigned to pods by it is never taken back. Source: pkg/registry/scheduling/priorityclass, v1.36.
class PriorityClassStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  /// Upstream sets the generation once, and never counts.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& /*context*/) const override {
    const std::int64_t generation = generation_of(old);
    return with_metadata(object, "generation", generation == 0 ? Value() : Value(generation));
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    kube::FieldErrors errors = metadata_errors(object, context.resource);
    const CheckedField now(errors, object);
    const CheckedField before(errors, old);
    if (!now.at("value").is_same_as(before.at("value"))) now.at("value").forbidden("may not be changed in an update.");
    now.at("preemptionPolicy").unchanged_from(before.at("preemptionPolicy"));
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_priority_class_strategy(Traits traits) {
  return std::make_unique<PriorityClassStrategy>(traits, Rules{typed_priority_class_errors, nullptr, nullptr, nullptr});
}

}  // namespace loadline::apiserver
