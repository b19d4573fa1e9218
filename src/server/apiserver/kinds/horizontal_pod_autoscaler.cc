#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::int64_t kLongestPeriod = 1800;
constexpr std::int64_t kLongestWindow = 3600;

/// What the reference's apiVersion may be. Upstream is lenient with references that were there before.
enum class Version : std::uint8_t { kNeedsGroup, kMayBeCore, kAny };

void check_reference(const CheckedField& reference, Version version) {
  reference.at("kind").is_required_name(path_segment_problems);
  reference.at("name").is_required_name(path_segment_problems);
  if (version == Version::kAny) return;
  const CheckedField api = reference.at("apiVersion");
  const std::string text(api.text());
  const auto slashes = std::count(text.begin(), text.end(), '/');
  // An absent version is an empty text to upstream.
  if (slashes > 1) {
    api.invalid(Value(text), "unexpected GroupVersion string: " + text);
  } else if (version == Version::kNeedsGroup && (slashes == 0 || text.starts_with('/'))) {
    api.invalid(Value(text), "apiVersion must specify API group");
  }
}

void check_positive(const CheckedField& amount) {
  if (!amount.is_set()) return;
  const Result<kube::Quantity> quantity = kube::Quantity::parse(amount.text());
  if (quantity && quantity->sign() != 1) amount.invalid("must be positive");
}

void check_target(const CheckedField& target) {
  const CheckedField type = target.at("type");
  if (type.text().empty()) type.required("must specify a metric target type");
  if (type.text() != "Utilization" && type.text() != "Value" && type.text() != "AverageValue") {
    type.invalid(Value(type.text()), "must be either Utilization, Value, or AverageValue");
  }
  check_positive(target.at("value"));
  check_positive(target.at("averageValue"));
  const CheckedField utilization = target.at("averageUtilization");
  if (utilization.is_set() && utilization.number() < 1) utilization.invalid("must be greater than 0");
}

void check_metric_name(const CheckedField& metric) {
  if (metric.at("name").text().empty()) {
    metric.at("name").required("must specify a metric name");
  } else {
    metric.at("name").keeps(path_segment_problems);
  }
}

void check_object(const CheckedField& source, Version version) {
  check_reference(source.at("describedObject"), version);
  check_metric_name(source.at("metric"));
  const CheckedField target = source.at("target");
  check_target(target);
  if (!target.at("value").is_set() && !target.at("averageValue").is_set()) {
    target.at("averageValue").required("must set either a target value or averageValue");
  }
}

void check_external(const CheckedField& source) {
  check_metric_name(source.at("metric"));
  const CheckedField target = source.at("target");
  check_target(target);
  const bool has_value = target.at("value").is_set();
  const bool has_average = target.at("averageValue").is_set();
  if (!has_value && !has_average) {
    target.at("averageValue").required("must set either a target value for metric or a per-pod target");
  }
  if (has_value && has_average) {
    target.at("value").forbidden("may not set both a target value for metric and a per-pod target");
  }
}

void check_pods(const CheckedField& source) {
  check_metric_name(source.at("metric"));
  check_target(source.at("target"));
  const CheckedField average = source.at({"target", "averageValue"});
  if (!average.is_set()) average.required("must specify a positive target averageValue");
}

void check_resource(const CheckedField& source) {
  if (source.at("name").text().empty()) source.at("name").required("must specify a resource name");
  if (source.path().ends_with("containerResource")) {
    const CheckedField container = source.at("container");
    if (container.text().empty()) {
      container.required("must specify a container");
    } else {
      container.keeps(kube::dns_label_problems);
    }
  }
  const CheckedField target = source.at("target");
  check_target(target);
  const bool has_value = target.at("averageValue").is_set();
  const bool has_utilization = target.at("averageUtilization").is_set();
  if (!has_value && !has_utilization) {
    target.at("averageUtilization").required("must set either a target raw value or a target utilization");
  }
  if (has_value && has_utilization) {
    target.at("averageValue").forbidden("may not set both a target raw value and a target utilization");
  }
}

constexpr std::array<std::string_view, 5> kMetricSources = {"object", "external", "pods", "resource",
                                                            "containerResource"};

void check_source(const CheckedField& metric, std::string_view name, Version version) {
  const CheckedField source = metric.at(name);
  if (name == "object") check_object(source, version);
  if (name == "external") check_external(source);
  if (name == "pods") check_pods(source);
  if (name == "resource" || name == "containerResource") check_resource(source);
}

void check_metric(const CheckedField& metric, Version version) {
  const CheckedField type = metric.at("type");
  if (type.text().empty()) type.required("must specify a metric source type");
  // "Object" populates "object", and so on.
  std::string expected(type.text());
  if (!expected.empty() && expected.front() >= 'A' && expected.front() <= 'Z') {
    expected.front() = static_cast<char>(expected.front() - 'A' + 'a');
  }
  const bool is_known = std::find(kMetricSources.begin(), kMetricSources.end(), expected) != kMetricSources.end() &&
                        expected != std::string(type.text());
  // Upstream looks at the type twice, and says so twice.
  if (!is_known) type.unsupported({"ContainerResource", "External", "Object", "Pods", "Resource"});
  std::size_t populated = 0;
  for (const std::string_view name : kMetricSources) {
    if (metric.at(name).is_set() && ++populated == 1) check_source(metric, name, version);
  }
  if (is_known) {
    if (!metric.at(expected).is_set()) {
      metric.at(expected).required("must populate information for the given metric source");
    }
  } else {
    type.unsupported({"ContainerResource", "External", "Object", "Pods", "Resource"});
  }
  if (populated == 1) return;
  for (const std::string_view name : kMetricSources) {
    if (metric.at(name).is_set() && name != expected) {
      metric.at(name).forbidden("must populate the given metric source only");
    }
  }
}

void check_scaling_policy(const CheckedField& policy) {
  policy.at("type").one_of({"Percent", "Pods"});
  for (const std::string_view name : {"value", "periodSeconds"}) {
    if (policy.at(name).number() <= 0)
      policy.at(name).invalid(Value(policy.at(name).number()), "must be greater than zero");
  }
  if (policy.at("periodSeconds").number() > kLongestPeriod) {
    policy.at("periodSeconds").invalid("must be less than or equal to 1800");
  }
}

void check_scaling(const CheckedField& rules) {
  if (!rules.is_set()) return;
  const CheckedField window = rules.at("stabilizationWindowSeconds");
  if (window.number() < 0) window.invalid("must be greater than or equal to zero");
  if (window.number() > kLongestWindow) window.invalid("must be less than or equal to 3600");
  if (rules.at("selectPolicy").is_set()) rules.at("selectPolicy").one_of({"Disabled", "Max", "Min"});
  const CheckedField policies = rules.at("policies");
  if (policies.size() == 0) policies.required("must specify at least one Policy");
  for (const CheckedField& policy : policies.elements()) check_scaling_policy(policy);
  const CheckedField tolerance = rules.at("tolerance");
  if (!tolerance.is_set()) return;
  const Result<kube::Quantity> quantity = kube::Quantity::parse(tolerance.text());
  if (quantity && quantity->sign() < 0) tolerance.invalid("must be greater than or equal to 0");
}

bool has_metric_of(const CheckedField& metrics, std::string_view type) {
  const std::vector<CheckedField> all = metrics.elements();
  return std::any_of(all.begin(), all.end(),
                     [&](const CheckedField& metric) { return metric.at("type").text() == type; });
}

void check_replicas(const CheckedField& spec, std::int64_t lowest) {
  const CheckedField least = spec.at("minReplicas");
  const CheckedField most = spec.at("maxReplicas");
  if (least.is_set() && least.number() < lowest) {
    least.invalid("must be greater than or equal to " + std::to_string(lowest));
  }
  if (most.number() == 0) {
    most.required("must be set and greater than 0");
  } else if (most.number() < 0) {
    most.invalid("must be greater than or equal to 1");
  }
  if (least.is_set() && most.number() < least.number()) {
    most.invalid(Value(most.number()), "must be greater than or equal to `minReplicas`");
  }
}

void check_spec(const CheckedField& spec, const CheckedField* before) {
  const bool was_zero =
      before != nullptr && before->at("minReplicas").is_set() && before->at("minReplicas").number() == 0;
  check_replicas(spec, was_zero ? 0 : 1);
  const CheckedField target = spec.at("scaleTargetRef");
  Version version = target.at("kind").text() == "ReplicationController" ? Version::kMayBeCore : Version::kNeedsGroup;
  if (before != nullptr && target.at("apiVersion").is_same_as(before->at({"scaleTargetRef", "apiVersion"})) &&
      target.at("kind").is_same_as(before->at({"scaleTargetRef", "kind"}))) {
    version = Version::kAny;
  }
  check_reference(target, version);
  const CheckedField metrics = spec.at("metrics");
  for (const CheckedField& metric : metrics.elements()) check_metric(metric, Version::kMayBeCore);
  const CheckedField least = spec.at("minReplicas");
  if (least.is_set() && least.number() == 0 && !has_metric_of(metrics, "Object") &&
      !has_metric_of(metrics, "External")) {
    metrics.forbidden("must specify at least one Object or External metric to support scaling to zero replicas");
  }
  check_scaling(spec.at({"behavior", "scaleUp"}));
  check_scaling(spec.at({"behavior", "scaleDown"}));
}

void check_autoscaler_status(const CheckedField& object, const CheckedField& /*old*/) {
  object.at({"status", "currentReplicas"}).not_negative();
  object.at({"status", "desiredReplicas"}).not_negative();
}

/// Autoscalers are kept as autoscaling/v2. Source: pkg/registry/autoscaling/horizontalpodautoscaler and
/// pkg/apis/autoscaling/validation, v1.36.
class HorizontalPodAutoscalerStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    check_spec(CheckedField(errors, object).at("spec"), nullptr);
    return errors;
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    const CheckedField before = CheckedField(errors, old).at("spec");
    check_spec(CheckedField(errors, object).at("spec"), &before);
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_horizontal_pod_autoscaler_strategy(Traits traits) {
  return std::make_unique<HorizontalPodAutoscalerStrategy>(traits,
                                                           Rules{nullptr, nullptr, nullptr, check_autoscaler_status});
}

}  // namespace loadline::apiserver
