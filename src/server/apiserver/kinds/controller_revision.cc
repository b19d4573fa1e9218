#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

void check_controller_revision(const CheckedField& object) { object.at("revision").not_negative(); }

void check_controller_revision_change(const CheckedField& object, const CheckedField& old) {
  object.at("data").unchanged_from(old.at("data"));
}

/// Data is any JSON object; it never changes. Source: pkg/registry/apps/controllerrevision, v1.36.
class ControllerRevisionStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  kube::FieldErrors validate(const document::Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    const CheckedField data = CheckedField(errors, object).at("data");
    if (!data.is_set()) {
      data.required("data is mandatory");
    } else if (!data.value().is_object()) {
      data.required("data must be a valid JSON object");
    }
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_controller_revision_strategy(Traits traits) {
  return std::make_unique<ControllerRevisionStrategy>(
      traits, Rules{nullptr, check_controller_revision, check_controller_revision_change, nullptr});
}

}  // namespace loadline::apiserver
