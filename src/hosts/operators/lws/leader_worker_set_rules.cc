#include "hosts/operators/lws/leader_worker_set_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/controllers/rollout.h"
#include "hosts/operators/go_types.h"
#include "objects/schema/names.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators {
namespace {

using apiserver::CheckedField;
using document::Array;
using document::Object;
using document::Value;
using document::with_at;

constexpr std::string_view kPodTemplate = "io.k8s.api.core.v1.PodTemplateSpec";
constexpr std::string_view kClaim = "io.k8s.api.core.v1.PersistentVolumeClaim";

// ---- defaults ------------------------------------------------------------------------------------------------------

Value with_lws_default(Value set, document::Names names, Value value) {
  const Value* found = document::find_at(set, names);
  const bool is_empty = found == nullptr || found->is_null() || (found->is_string() && found->string().empty());
  return is_empty ? with_at(std::move(set), names, std::move(value)) : set;
}

Value with_go_types(Value set) {
  for (const std::string_view name : {"leaderTemplate", "workerTemplate"}) {
    const Value* found = document::find_at(set, {"spec", "leaderWorkerTemplate", name});
    if (found == nullptr || !found->is_object()) continue;
    Value completed = as_go_completes(*found, kPodTemplate);
    set = with_at(std::move(set), {"spec", "leaderWorkerTemplate", name}, std::move(completed));
  }
  const document::Names claims = {"spec", "leaderWorkerTemplate", "volumeClaimTemplates"};
  const Value* found = document::find_at(set, claims);
  if (found == nullptr || !found->is_array()) return set;
  Array completed;
  for (const Value& claim : found->array()) completed.push_back(as_go_completes(claim, kClaim));
  return with_at(std::move(set), claims, Value(std::move(completed)));
}

Value with_missing_fields(Value set) {
  const document::Names restart = {"spec", "leaderWorkerTemplate", "restartPolicy"};
  set = with_lws_default(std::move(set), restart, Value("RecreateGroupOnPodRestart"));
  if (document::text_at(set, restart) == "Default") set = with_at(std::move(set), restart, Value("None"));
  set = with_lws_default(std::move(set), {"spec", "rolloutStrategy", "type"}, Value("RollingUpdate"));
  Value update(Object{{"partition", Value(std::int64_t{0}), {}},
                      {"maxUnavailable", Value(std::int64_t{1}), {}},
                      {"maxSurge", Value(std::int64_t{0}), {}}});
  set = with_lws_default(std::move(set), {"spec", "rolloutStrategy", "rollingUpdateConfiguration"}, std::move(update));
  return with_lws_default(std::move(set), {"spec", "networkConfig", "subdomainPolicy"}, Value("Shared"));
}

// ---- refusals ------------------------------------------------------------------------------------------------------

kube::IntOrString int_or_string_of(const CheckedField& field) {
  const Value value = field.value();
  kube::IntOrString result{0, {}};
  if (value.is_integer()) result.integer = static_cast<std::int32_t>(value.integer());
  if (value.is_string()) result = {std::nullopt, value.string()};
  return result;
}

struct LeaderWorkerSetRules {
  CheckedField whole;
  CheckedField spec = whole.at("spec");
  CheckedField group = spec.at("leaderWorkerTemplate");

  void check() const {
    check_name();
    check_numbers();
    check_rollout();
    const CheckedField policy = group.at("subGroupPolicy");
    if (policy.is_set()) return check_sub_groups(policy);
    constexpr std::string_view kTopology = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
    const CheckedField topology = whole.at({"metadata", "annotations"}).at(kTopology);
    if (topology.is_set()) topology.invalid("cannot have subgroup-exclusive-topology without subGroupSize set");
  }

  void check_change(const Value& before) const {
    const CheckedField now = group.at("subGroupPolicy");
    kube::FieldErrors unused;
    const CheckedField old = CheckedField(unused, before).at({"spec", "leaderWorkerTemplate", "subGroupPolicy"});
    const CheckedField size = sub_group_size(now);
    if (now.is_set() && old.is_set()) return size.unchanged_from(old.at("subGroupSize"));
    if (now.is_set()) size.invalid("cannot enable subGroupSize after the lws is already created");
    if (old.is_set()) size.invalid(old.at("subGroupSize").value(), "cannot remove subGroupSize after enabled");
  }

 private:
  /// It is the name of a Service.
  void check_name() const {
    const CheckedField name = whole.at({"metadata", "name"});
    for (const std::string& problem : schema::dns_1035_label_problems(name.text())) name.invalid(problem);
  }

  void check_numbers() const {
    const CheckedField replicas = spec.at("replicas");
    const CheckedField size = group.at("size");
    if (replicas.number(1) < 0) replicas.invalid("replicas must be equal or greater than 0");
    if (size.number(1) < 1) size.invalid("size must be equal or greater than 1");
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (replicas.number(1) * size.number(1) > kMost)
      replicas.invalid(fmt::format("the product of replicas and worker replicas must not exceed {}", kMost));
  }

  void check_rollout() const {
    const CheckedField update = spec.at({"rolloutStrategy", "rollingUpdateConfiguration"});
    const CheckedField unavailable = update.at("maxUnavailable");
    const CheckedField surge = update.at("maxSurge");
    for (const CheckedField& field : {unavailable, surge}) {
      field.int_or_percent();
      field.at_most_all();
    }
    update.at("partition").not_negative();
    using controllers::Rounding;
    using controllers::scaled_value;
    const auto replicas = static_cast<std::int32_t>(spec.at("replicas").number(1));
    if (replicas != 0 && scaled_value(int_or_string_of(unavailable), replicas, Rounding::kDown) == 0 &&
        scaled_value(int_or_string_of(surge), replicas, Rounding::kUp) == 0)
      unavailable.invalid("must not be 0 when `maxSurge` is 0");
  }

  /// The operator's errors spell the field with a capital.
  static CheckedField sub_group_size(const CheckedField& policy) {
    return policy.at("subGroupSize").called("spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize");
  }

  void check_sub_groups(const CheckedField& policy) const {
    const CheckedField field = sub_group_size(policy);
    const std::int64_t size = group.at("size").number(1);
    const std::int64_t part = field.number(1);
    // The operator divides by it before it looks at it.
    if (part < 1) return field.invalid("subGroupSize must be equal or greater than 1");
    if (size % part != 0 && (size - 1) % part != 0) field.invalid("size or size - 1 must be divisible by subGroupSize");
    if (size < part) field.invalid("subGroupSize cannot be larger than size");
    if (policy.at("subGroupPolicyType").text() == "LeaderExcluded" && (size - 1) % part != 0)
      field.invalid("size-1 must be divisible by subGroupSize when using LeaderExcluded");
  }
};

}  // namespace

Value with_leader_worker_set_defaults(Value set) {
  const Value* spec = set.find("spec");
  if (spec == nullptr || !spec->is_object()) return set;
  Value completed = with_missing_fields(set);
  // A webhook that has nothing to fill in leaves the object alone.
  return completed == set ? set : with_go_types(std::move(completed));
}

kube::FieldErrors faults_of_leader_worker_set(const Value& set, const Value* before) {
  kube::FieldErrors faults;
  const LeaderWorkerSetRules rules{CheckedField(faults, set)};
  rules.check();
  if (before != nullptr) rules.check_change(*before);
  return faults;
}

std::optional<std::string> leader_worker_set_refusal(const kube::FieldErrors& faults) {
  if (faults.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const kube::FieldError& fault : faults) {
    std::string text = fault.path + ": " + fault.message;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace loadline::operators
