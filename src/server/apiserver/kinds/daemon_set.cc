#include <charconv>
#include <string>

#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/workload_names.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/workload_status.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

// apps/v1 has no field for the internal spec.templateGeneration: it travels in an annotation.
using kube::kTemplateGeneration;

std::int64_t template_generation_of(const Value& object) {
  const std::string_view text = document::text_at(object, {"metadata", "annotations", kTemplateGeneration});
  std::int64_t generation = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), generation);
  return error == std::errc() && end == text.data() + text.size() ? generation : 0;
}

Value with_template_generation(const Value& object, std::int64_t generation) {
  return document::with_at(object, {"metadata", "annotations", kTemplateGeneration}, Value(std::to_string(generation)));
}

kube::FieldErrors typed_daemon_set_errors(const Value& object) {
  return typed_errors<kube::DaemonSet>(object, kube::kDaemonSetSchema);
}

void check_daemon_set_rolling_update(const CheckedField& rolling) {
  const CheckedField unavailable = rolling.at("maxUnavailable");
  const CheckedField surge = rolling.at("maxSurge");
  unavailable.int_or_percent();
  surge.int_or_percent();
  unavailable.at_most_all();
  surge.at_most_all();
  const bool has_unavailable = unavailable.int_or_percent_number() != 0;
  const bool has_surge = surge.int_or_percent_number() != 0;
  if (has_unavailable && has_surge) surge.invalid("may not be set when maxUnavailable is non-zero");
  if (!has_unavailable && !has_surge) unavailable.required("cannot be 0 when maxSurge is 0");
}

void check_daemon_set_update_strategy(const CheckedField& strategy) {
  const std::string_view type = strategy.at("type").text();
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    strategy.unsupported({"RollingUpdate", "OnDelete"});
  } else if (!strategy.at("rollingUpdate").is_set()) {
    strategy.at("rollingUpdate").required();
  } else {
    check_daemon_set_rolling_update(strategy.at("rollingUpdate"));
  }
}

void check_daemon_set(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  spec.at("minReadySeconds").not_negative();
  check_daemon_set_update_strategy(spec.at("updateStrategy"));
  spec.at("revisionHistoryLimit").not_negative();
}

void check_daemon_set_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "selector"}).unchanged_from(old.at({"spec", "selector"}));
}

void check_daemon_set_status(const CheckedField& object, const CheckedField& old) {
  const CheckedField status = object.at("status");
  check_counts(status, {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
                        "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable",
                        "collisionCount"});
  check_collisions(status, old.at("status"));
}

/// Source: pkg/registry/apps/daemonset, pkg/apis/apps/validation and pkg/apis/apps/v1/conversion.go, v1.36.
class DaemonSetStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_create(std::move(object), context);
    const std::int64_t asked = template_generation_of(object);
    return in_wire_order(with_template_generation(object, asked < 1 ? 1 : asked), context);
  }

  /// The template's generation is the server's to count: what a client says of it does not matter.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_update(std::move(object), old, context);
    const bool is_new_template = !same_at(object, old, {"spec", "template"});
    const std::int64_t generation = template_generation_of(old) + (is_new_template ? 1 : 0);
    return in_wire_order(with_template_generation(object, generation), context);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_daemon_set_strategy(Traits traits) {
  return std::make_unique<DaemonSetStrategy>(
      traits, Rules{typed_daemon_set_errors, check_daemon_set, check_daemon_set_change, check_daemon_set_status});
}

}  // namespace loadline::apiserver
