#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostTemplates = 8;
constexpr std::size_t kMostClaims = 4;

void check_duplicates(const CheckedField& list) {
  std::set<std::string_view> names;
  for (const CheckedField& element : list.elements()) {
    if (names.insert(element.at("name").text()).second) continue;
    element.duplicate();
  }
}

/// Pods of a group are scheduled one by one, or all at once.
void check_scheduling_policy(const CheckedField& policy) {
  const CheckedField gang = policy.at("gang");
  const bool is_basic = policy.at("basic").is_set();
  if (is_basic && gang.is_set()) {
    policy.invalid(Value("{`basic`, `gang`}"), "must specify exactly one of: `basic`, `gang`");
  } else if (!is_basic && !gang.is_set()) {
    policy.invalid(Value(""), "must specify one of: `basic`, `gang`");
  }
  if (!gang.is_set()) return;
  const CheckedField least = gang.at("minCount");
  if (least.number() == 0) {
    least.required();
  } else if (least.number() < 0) {
    least.invalid("must be greater than or equal to 1");
  }
}

void check_claims(const CheckedField& claims) {
  if (claims.size() > kMostClaims) claims.too_many(kMostClaims);
  check_duplicates(claims);
}

void check_group(const CheckedField& object) {
  check_scheduling_policy(object.at({"spec", "schedulingPolicy"}));
  check_claims(object.at({"spec", "resourceClaims"}));
}

/// The minimum of a gang may change, as from Kubernetes 1.37 on, since the workload may be scaled.
void check_group_change(const CheckedField& object, const CheckedField& old) {
  for (const std::string_view name : {"podGroupTemplateRef", "schedulingConstraints", "resourceClaims",
                                      "disruptionMode", "priorityClassName", "priority"}) {
    object.at({"spec", name}).unchanged_from(old.at({"spec", name}));
  }
  const CheckedField policy = object.at({"spec", "schedulingPolicy"});
  const CheckedField before = old.at({"spec", "schedulingPolicy"});
  if (!policy.at("gang").is_set() || !before.at("gang").is_set()) policy.unchanged_from(before);
}

/// A new group has no generation, as upstream; the first change of its minimum is the second one, so that what was said
/// of the group before can be told from what is said of it now.
class PodGroupStrategy final : public StatusOnlyStrategy {
 public:
  using StatusOnlyStrategy::StatusOnlyStrategy;

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = StatusOnlyStrategy::prepare_for_update(std::move(object), old, context);
    if (!changes_spec(object, old)) return object;
    return with_metadata(object, "generation", Value(std::max<std::int64_t>(generation_of(old), 1) + 1));
  }
};

void check_group_status(const CheckedField& object, const CheckedField& /*old*/) {
  std::set<std::string_view> claims;
  for (const CheckedField& claim : object.at({"spec", "resourceClaims"}).elements()) {
    claims.insert(claim.at("name").text());
  }
  for (const CheckedField& status : object.at({"status", "resourceClaimStatuses"}).elements()) {
    if (claims.contains(status.at("name").text())) continue;
    status.at("name").invalid("must match the name of an entry in `spec.resourceClaims`");
  }
}

void check_workload(const CheckedField& object) {
  const CheckedField controller = object.at({"spec", "controllerRef"});
  if (controller.is_set()) {
    controller.at("kind").is_required_name(path_segment_problems);
    controller.at("name").is_required_name(path_segment_problems);
  }
  const CheckedField templates = object.at({"spec", "podGroupTemplates"});
  if (templates.size() == 0) templates.required();
  if (templates.size() > kMostTemplates) templates.too_many(kMostTemplates);
  check_duplicates(templates);
  for (const CheckedField& group : templates.elements()) {
    group.at("name").is_required_name(kube::dns_label_problems);
    check_scheduling_policy(group.at("schedulingPolicy"));
    check_claims(group.at("resourceClaims"));
  }
}

void check_workload_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "controllerRef"}).unchanged_from(old.at({"spec", "controllerRef"}));
  object.at({"spec", "podGroupTemplates"}).unchanged_from(old.at({"spec", "podGroupTemplates"}));
}

}  // namespace

// Groups of pods that belong together, in scheduling.k8s.io/v1alpha2.
// Source: pkg/registry/scheduling/{podgroup,workload} and pkg/apis/scheduling/v1alpha2/zz_generated.validations.go,
// v1.36.
std::unique_ptr<const Strategy> make_pod_group_strategy(Traits traits) {
  return std::make_unique<PodGroupStrategy>(traits,
                                            Rules{nullptr, check_group, check_group_change, check_group_status});
}

std::unique_ptr<const Strategy> make_workload_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits, Rules{nullptr, check_workload, check_workload_change, nullptr});
}

}  // namespace loadline::apiserver
