#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/pod_resources.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/pod_rules.h"
#include "server/apiserver/kinds/pod_volume_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::FieldErrors;

// ---- quality of service --------------------------------------------------------------------------------------------

kube::ResourceList compute_resources(const Value& amounts) {
  kube::ResourceList list;
  for (const std::string_view name : {"cpu", "memory"}) {
    const std::string_view text = document::text_at(amounts, {name});
    if (text.empty()) continue;
    if (const Result<kube::Quantity> amount = kube::Quantity::parse(text)) list.emplace(name, *amount);
  }
  return list;
}

kube::ResourceRequirements requirements(const Value& owner) {
  kube::ResourceRequirements found;
  found.requests = compute_resources(value_at(owner, {"resources", "requests"}));
  found.limits = compute_resources(value_at(owner, {"resources", "limits"}));
  return found;
}

std::string_view qos_class(const Value& pod) {
  kube::PodSpec spec;  // only what the class is computed from
  const auto read = [&](std::string_view list, std::vector<kube::Container>& containers) {
    for (const Value& container : items_at(pod, {"spec", list})) {
      containers.emplace_back().resources = requirements(container);
    }
  };
  read("containers", spec.containers);
  read("initContainers", spec.init_containers);
  const Value own = value_at(pod, {"spec"});
  if (own.find("resources") != nullptr) spec.resources = requirements(own);
  switch (kube::pod_qos(spec)) {
    case kube::QosClass::kGuaranteed:
      return "Guaranteed";
    case kube::QosClass::kBurstable:
      return "Burstable";
    case kube::QosClass::kBestEffort:
      return "BestEffort";
  }
  return "BestEffort";
}

Value new_status(const Value& pod, Instant now) {
  Object status{{"phase", Value("Pending"), {}}};
  if (!items_at(pod, {"spec", "schedulingGates"}).empty()) {
    const Value condition(Object{{"type", Value("PodScheduled"), {}},
                                 {"status", Value("False"), {}},
                                 {"lastProbeTime", Value(), {}},
                                 {"lastTransitionTime", Value(format_rfc3339(now)), {}},
                                 {"reason", Value("SchedulingGated"), {}},
                                 {"message", Value("Scheduling is blocked due to non-empty scheduling gates"), {}}});
    status.push_back({"conditions", Value(Array{condition}), {}});
  }
  status.push_back({"qosClass", Value(qos_class(pod)), {}});
  return Value(std::move(status));
}

// ---- keys of labels that selectors take over -----------------------------------------------------------------------

void add_requirements(Array& expressions, const Value& labels, const Array& keys, std::string_view op) {
  for (const Value& key : keys) {
    const Value* value = key.is_string() ? labels.find(key.string()) : nullptr;
    if (value == nullptr) continue;
    expressions.emplace_back(
        Object{{"key", key, {}}, {"operator", Value(op), {}}, {"values", Value(Array{*value}), {}}});
  }
}

/// The term with its matchLabelKeys and mismatchLabelKeys in its selector. A term without a selector matches no pod.
Value with_label_keys(const Value& term, const Value& labels) {
  const Array& match = items_at(term, {"matchLabelKeys"});
  const Array& mismatch = items_at(term, {"mismatchLabelKeys"});
  const Value* selector = term.find("labelSelector");
  if ((match.empty() && mismatch.empty()) || selector == nullptr || !selector->is_object()) return term;
  Array expressions = items_at(*selector, {"matchExpressions"});
  add_requirements(expressions, labels, match, "In");
  add_requirements(expressions, labels, mismatch, "NotIn");
  if (expressions.empty()) return term;
  return document::with_at(term, {"labelSelector", "matchExpressions"}, Value(std::move(expressions)));
}

Value with_keys_in_affinity(Value pod, const Value& labels, std::string_view kind) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  if (Array terms = items_at(pod, {"spec", "affinity", kind, kRequired}); !terms.empty()) {
    for (Value& term : terms) term = with_label_keys(term, labels);
    pod = document::with_at(pod, {"spec", "affinity", kind, kRequired}, Value(std::move(terms)));
  }
  if (Array terms = items_at(pod, {"spec", "affinity", kind, kPreferred}); !terms.empty()) {
    for (Value& weighted : terms) {
      const Value* term = weighted.find("podAffinityTerm");
      if (term != nullptr) weighted = weighted.with("podAffinityTerm", with_label_keys(*term, labels));
    }
    pod = document::with_at(pod, {"spec", "affinity", kind, kPreferred}, Value(std::move(terms)));
  }
  return pod;
}

Value with_merged_label_keys(Value pod) {
  const Value labels = value_at(pod, {"metadata", "labels"});
  if (document::find_at(pod, {"spec", "affinity"}) != nullptr) {
    pod = with_keys_in_affinity(std::move(pod), labels, "podAffinity");
    pod = with_keys_in_affinity(std::move(pod), labels, "podAntiAffinity");
  }
  Array constraints = items_at(pod, {"spec", "topologySpreadConstraints"});
  if (constraints.empty()) return pod;
  for (Value& constraint : constraints) constraint = with_label_keys(constraint, labels);
  return document::with_at(pod, {"spec", "topologySpreadConstraints"}, Value(std::move(constraints)));
}

// ---- status --------------------------------------------------------------------------------------------------------

/// Conditions that do not say which generation they are about keep what they said, one by one for each type.
Value with_kept_generations(Value pod, const Value& old) {
  const auto generation = [](const Value& owner) { return integer_at(owner, {"observedGeneration"}).value_or(0); };
  if (generation(value_at(pod, {"status"})) == 0) {
    const Value kept = value_at(old, {"status", "observedGeneration"});
    if (!is_empty(kept)) pod = document::with_at(pod, {"status", "observedGeneration"}, kept);
  }
  Array conditions = items_at(pod, {"status", "conditions"});
  Array before = items_at(old, {"status", "conditions"});
  bool has_changed = false;
  for (Value& condition : conditions) {
    const std::string_view type = document::text_at(condition, {"type"});
    const auto found = std::find_if(before.begin(), before.end(),
                                    [&](const Value& known) { return document::text_at(known, {"type"}) == type; });
    if (found == before.end()) continue;
    const std::int64_t kept = generation(*found);
    before.erase(found);
    if (kept == 0 || generation(condition) != 0) continue;
    condition = condition.with("observedGeneration", Value(kept));
    has_changed = true;
  }
  return has_changed ? document::with_at(pod, {"status", "conditions"}, Value(std::move(conditions))) : pod;
}

FieldErrors pod_errors(const Value& pod) {
  FieldErrors errors = typed_errors<kube::Pod>(pod, kube::kPodSchema);
  show_unwritten_operators(errors, pod);
  return errors;
}

/// Source: pkg/registry/core/pod and pkg/apis/core/validation, v1.36.
class PodStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_create(Value pod, StrategyContext& context) const override {
    pod = with_metadata(std::move(pod), "generation", Value(std::int64_t{1}));
    Value status = new_status(pod, context.now);
    pod = std::move(pod).with("status", std::move(status));
    return with_merged_label_keys(std::move(pod));
  }

  Value prepare_for_update(Value pod, const Value& old, StrategyContext& /*context*/) const override {
    pod = with_or_without(pod, {"status"}, value_at(old, {"status"}));
    if (!changes_spec(pod, old)) return pod;
    return with_metadata(pod, "generation", Value(generation_of(old) + 1));
  }

  Value prepare_for_status_update(const Value& wanted, const Value& old, StrategyContext& context) const override {
    Value pod = Strategy::prepare_for_status_update(wanted, old, context);
    pod = with_metadata(pod, "deletionTimestamp", Value());
    pod = with_metadata(pod, "ownerReferences", value_at(old, {"metadata", "ownerReferences"}));
    if (document::text_at(pod, {"status", "qosClass"}).empty()) {
      pod = with_or_without(pod, {"status", "qosClass"}, value_at(old, {"status", "qosClass"}));
    }
    return with_kept_generations(std::move(pod), old);
  }

  FieldErrors validate(const Value& pod, StrategyContext& context) const override {
    FieldErrors errors = pod_errors(pod);
    check_pod_volumes(errors, pod);
    if (errors.size() > 1) order_pod_errors(errors);
    if (!items_at(pod, {"spec", "ephemeralContainers"}).empty()) {
      errors.push_back(forbidden_field("spec.ephemeralContainers", "cannot be set on create"));
    }
    if (errors.empty()) {
      for (std::string& warning : pod_warnings(pod)) context.warnings.push_back(std::move(warning));
    }
    return errors;
  }

  /// What stays was judged when it was written: to let go of a finalizer, no spec is looked at.
  FieldErrors validate_update(const Value& pod, const Value& old, StrategyContext& context) const override {
    const bool is_same = !changes_spec(pod, old) && same_at(pod, old, {"metadata", "annotations"});
    FieldErrors errors = is_same ? metadata_errors(pod, context.resource, &old) : pod_errors(pod);
    check_pod_change(errors, pod, old);
    return errors;
  }

  FieldErrors validate_status_update(const Value& pod, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = Strategy::validate_status_update(pod, old, context);
    append(errors, pod_status_errors(pod, old));
    return errors;
  }

  /// CheckGracefulDelete: at once if it is nowhere, or has ended.
  std::optional<std::int64_t> grace_period(const Value& pod, const DeleteOptions& options) const override {
    const std::string_view phase = document::text_at(pod, {"status", "phase"});
    const bool is_idle =
        document::text_at(pod, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded";
    if (is_idle) return 0;
    const std::int64_t own = integer_at(pod, {"spec", "terminationGracePeriodSeconds"}).value_or(0);
    const std::int64_t period = options.grace_period_seconds.value_or(own);
    return period < 0 ? 1 : period;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_pod_strategy(Traits traits) { return std::make_unique<PodStrategy>(traits); }

}  // namespace loadline::apiserver
