#include "foundation/document/at.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

/// Coordinated leader election is off, as it is upstream unless asked for: what it alone reads is dropped.
document::Value without_election(document::Value object, const document::Value* old) {
  for (const std::string_view name : {"strategy", "preferredHolder"}) {
    if (old != nullptr && document::find_at(*old, {"spec", name}) != nullptr) continue;
    object = document::without_at(object, {"spec", name});
  }
  return object;
}

void check_lease(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  const CheckedField duration = spec.at("leaseDurationSeconds");
  if (duration.is_set() && duration.number() <= 0) duration.invalid("must be greater than 0");
  spec.at("leaseTransitions").not_negative();
  const CheckedField holder = spec.at("preferredHolder");
  if (!holder.text().empty() && spec.at("strategy").text().empty()) {
    holder.forbidden("may only be specified if `strategy` is defined");
  }
}

/// Source: pkg/registry/coordination/lease and pkg/apis/coordination/validation, v1.36.
class LeaseStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  document::Value prepare_for_create(document::Value object, StrategyContext& context) const override {
    return RuledStrategy::prepare_for_create(without_election(std::move(object), nullptr), context);
  }
  document::Value prepare_for_update(document::Value object, const document::Value& old,
                                     StrategyContext& context) const override {
    return RuledStrategy::prepare_for_update(without_election(std::move(object), &old), old, context);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_lease_strategy(Traits traits) {
  return std::make_unique<LeaseStrategy>(traits, Rules{nullptr, check_lease, nullptr, nullptr});
}

}  // namespace loadline::apiserver
