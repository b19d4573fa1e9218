#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

FieldErrors status_errors(const Value& controller) {
  FieldErrors errors;
  const auto count = [&](std::string_view name) { return integer_at(controller, {"status", name}).value_or(0); };
  const auto refuse = [&](std::string_view name, std::string_view why) {
    errors.push_back(invalid_field(fmt::format("status.{}", name), Value(count(name)), why));
  };
  for (const std::string_view name :
       {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"}) {
    if (count(name) < 0) refuse(name, "must be greater than or equal to 0");
  }
  for (const std::string_view name : {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) {
    if (count(name) > count("replicas")) refuse(name, "cannot be greater than status.replicas");
  }
  if (count("availableReplicas") > count("readyReplicas")) {
    refuse("availableReplicas", "cannot be greater than readyReplicas");
  }
  return errors;
}

/// Source: pkg/registry/core/replicationcontroller and pkg/apis/core/validation, v1.36.
class ReplicationControllerStrategy final : public TypedStrategy<kube::ReplicationController> {
 public:
  explicit ReplicationControllerStrategy(Traits traits) : TypedStrategy(traits, kube::kReplicationControllerSchema) {}

  FieldErrors validate(const Value& controller, StrategyContext& context) const override {
    FieldErrors errors = TypedStrategy::validate(controller, context);
    const kube::NameProblems problems = kube::dns_label_problems(name_of(controller));
    if (errors.empty() && !problems.empty()) {
      context.warnings.push_back(fmt::format(
          "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
          "a DNS label is recommended: [{}]",
          fmt::join(problems, " ")));
    }
    return errors;
  }

  FieldErrors validate_update(const Value& controller, const Value& /*old*/, StrategyContext& context) const override {
    return TypedStrategy::validate(controller, context);
  }

  FieldErrors validate_status_update(const Value& controller, const Value& old,
                                     StrategyContext& context) const override {
    FieldErrors errors = Strategy::validate_status_update(controller, old, context);
    append(errors, status_errors(controller));
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_replication_controller_strategy(Traits traits) {
  return std::make_unique<ReplicationControllerStrategy>(traits);
}

}  // namespace loadline::apiserver
