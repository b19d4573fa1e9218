#include "server/apiserver/kinds/job_spec_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "foundation/document/value.h"
#include "server/apiserver/kinds/index_intervals.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::int64_t kManyCompletions = 100'000;
constexpr std::int64_t kMostParallelWithMany = 10'000;
constexpr std::int64_t kMostFailedWithMany = 10'000;
constexpr std::int64_t kMostFailed = 100'000;
constexpr std::size_t kMostFailureRules = 20;
constexpr std::size_t kMostExitCodes = 255;
constexpr std::size_t kMostConditionPatterns = 20;
constexpr std::size_t kMostSuccessRules = 20;
constexpr std::size_t kLongestManager = 63;
constexpr std::size_t kLongestIndexes = 64 * 1024;

bool is_indexed(const CheckedField& spec) { return spec.at("completionMode").text() == "Indexed"; }

void check_manager(const CheckedField& manager) {
  manager.domain_prefixed_path();
  if (manager.text().size() > kLongestManager) manager.too_long(kLongestManager);
}

void check_limits_of_many(const CheckedField& spec) {
  const CheckedField most_failed = spec.at("maxFailedIndexes");
  if (spec.at("completions").number() <= kManyCompletions || !spec.at("backoffLimitPerIndex").is_set()) return;
  if (!most_failed.is_set()) {
    most_failed.required(fmt::format("must be specified when completions is above {}", kManyCompletions));
  }
  const auto check_most = [](const CheckedField& field, std::int64_t most) {
    if (field.number() <= most) return;
    field.invalid(
        fmt::format("must be less than or equal to {} when completions are above {} and used with backoff limit per "
                    "index",
                    most, kManyCompletions));
  };
  check_most(spec.at("parallelism"), kMostParallelWithMany);
  check_most(most_failed, kMostFailedWithMany);
}

void check_indexes(const CheckedField& spec) {
  const CheckedField per_index = spec.at("backoffLimitPerIndex");
  const CheckedField most_failed = spec.at("maxFailedIndexes");
  if (!is_indexed(spec)) {
    if (per_index.is_set()) per_index.invalid("requires indexed completion mode");
    if (most_failed.is_set()) most_failed.invalid("requires indexed completion mode");
    return;
  }
  if (spec.at("completions").is_set() && most_failed.number() > spec.at("completions").number()) {
    most_failed.invalid("must be less than or equal to completions");
  }
  if (most_failed.number() > kMostFailed) {
    most_failed.invalid(fmt::format("must be less than or equal to {}", kMostFailed));
  }
  check_limits_of_many(spec);
}

std::set<std::string, std::less<>> container_names(const CheckedField& spec) {
  std::set<std::string, std::less<>> names;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const CheckedField& container : spec.at({"template", "spec", list}).elements()) {
      names.emplace(container.at("name").text());
    }
  }
  return names;
}

void check_exit_codes(const CheckedField& codes, const std::set<std::string, std::less<>>& containers) {
  const CheckedField op = codes.at("operator");
  if (op.text().empty()) {
    op.required("valid values: [\"In\" \"NotIn\"]");
  } else {
    op.one_of({"In", "NotIn"});
  }
  const CheckedField container = codes.at("containerName");
  if (container.is_set() && !containers.contains(container.text())) {
    container.invalid("must be one of the container or initContainer names in the pod template");
  }
  const CheckedField values = codes.at("values");
  if (values.size() == 0) values.invalid("at least one value is required");
  if (values.size() > kMostExitCodes) values.too_many(kMostExitCodes);
  std::set<std::int64_t> seen;
  bool is_ordered = true;
  for (const CheckedField& value : values.elements()) {
    if (op.text() == "In" && value.number() == 0) value.invalid("must not be 0 for the In operator");
    is_ordered = is_ordered && (seen.empty() || *seen.rbegin() <= value.number());
    if (!seen.insert(value.number()).second) value.duplicate();
  }
  if (!is_ordered) values.invalid("must be ordered");
}

void check_pattern_conditions(const CheckedField& patterns) {
  if (patterns.size() > kMostConditionPatterns) patterns.too_many(kMostConditionPatterns);
  for (const CheckedField& pattern : patterns.elements()) {
    pattern.at("type").keeps(kube::qualified_name_problems);
    const CheckedField status = pattern.at("status");
    if (status.text().empty()) {
      status.required("valid values: [\"False\" \"True\" \"Unknown\"]");
    } else {
      status.one_of({"False", "True", "Unknown"});
    }
  }
}

void check_failure_rule(const CheckedField& rule, const CheckedField& spec,
                        const std::set<std::string, std::less<>>& containers) {
  const CheckedField action = rule.at("action");
  if (action.text().empty()) {
    action.required("valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  } else if (action.text() == "FailIndex") {
    if (!spec.at("backoffLimitPerIndex").is_set()) action.invalid("requires the backoffLimitPerIndex to be set");
  } else {
    action.one_of({"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const CheckedField codes = rule.at("onExitCodes");
  const CheckedField conditions = rule.at("onPodConditions");
  if (codes.is_set()) check_exit_codes(codes, containers);
  check_pattern_conditions(conditions);
  if (codes.is_set() && conditions.size() > 0) {
    rule.invalid_unshown("specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!codes.is_set() && conditions.size() == 0) {
    rule.invalid_unshown("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

void check_failure_policy(const CheckedField& spec) {
  const CheckedField policy = spec.at("podFailurePolicy");
  if (!policy.is_set()) return;
  const CheckedField rules = policy.at("rules");
  if (rules.size() > kMostFailureRules) rules.too_many(kMostFailureRules);
  const auto containers = container_names(spec);
  for (const CheckedField& rule : rules.elements()) check_failure_rule(rule, spec, containers);
}

void check_success_rule(const CheckedField& rule, std::int64_t completions) {
  const CheckedField count = rule.at("succeededCount");
  const CheckedField indexes = rule.at("succeededIndexes");
  if (!count.is_set() && !indexes.is_set()) {
    rule.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  std::int64_t total = 0;
  if (indexes.is_set()) {
    if (indexes.text().size() > kLongestIndexes) indexes.too_long(kLongestIndexes);
    const Result<std::int64_t> counted = count_indexes(indexes.text(), completions);
    if (!counted) indexes.invalid("error parsing succeededIndexes: " + counted.error().message);
    total = counted.value_or(0);
  }
  if (!count.is_set()) return;
  count.not_negative();
  if (count.number() > completions) {
    count.invalid(fmt::format("must be less than or equal to {} (the number of specified completions)", completions));
  }
  if (indexes.is_set() && count.number() > total) {
    count.invalid(fmt::format(
        "must be less than or equal to {} (the number of indexes in the specified succeededIndexes field)", total));
  }
}

void check_success_policy(const CheckedField& spec) {
  const CheckedField policy = spec.at("successPolicy");
  if (!policy.is_set()) return;
  if (!is_indexed(spec)) {
    policy.invalid("requires indexed completion mode");
    return;
  }
  const CheckedField rules = policy.at("rules");
  if (rules.size() == 0) rules.required("at least one rules must be specified when the successPolicy is specified");
  if (rules.size() > kMostSuccessRules) rules.too_many(kMostSuccessRules);
  for (const CheckedField& rule : rules.elements()) check_success_rule(rule, spec.at("completions").number());
}

void check_replacement_policy(const CheckedField& spec) {
  const CheckedField policy = spec.at("podReplacementPolicy");
  if (!policy.is_set()) return;
  if (spec.at("podFailurePolicy").is_set()) {
    policy.one_of({"Failed"});
  } else {
    policy.one_of({"Failed", "TerminatingOrFailed"});
  }
}

// ---- changes -------------------------------------------------------------------------------------------------------

/// `to` with that member as `from` has it.
Value with_member_of(const Value& to, const CheckedField& from, std::string_view name) {
  const Value value = from.at(name).value();
  return value.is_null() ? to.without(name) : to.with(name, value);
}

/// Old pod affinity with the node affinity that is asked for now.
Value with_node_affinity_of(const CheckedField& now, const Value& old_spec) {
  const Value* before = old_spec.find("affinity");
  Value affinity = before == nullptr || before->is_null() ? Value(document::Object()) : *before;
  affinity = with_member_of(affinity, now.at("affinity"), "nodeAffinity");
  if (affinity.object().empty() && !now.at("affinity").is_set()) return old_spec.without("affinity");
  return old_spec.with("affinity", affinity);
}

Value with_resources_of(const CheckedField& now, const Value& old_spec, std::string_view list) {
  const Value* before = old_spec.find(list);
  if (before == nullptr || !before->is_array() || before->array().size() != now.at(list).size()) return old_spec;
  document::Array containers;
  const std::vector<CheckedField> asked = now.at(list).elements();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Value& container = before->array()[i];
    const Value* name = container.find("name");
    const bool is_same = name != nullptr && name->is_string() && name->string() == asked[i].at("name").text();
    containers.push_back(is_same ? with_member_of(container, asked[i], "resources") : container);
  }
  return old_spec.with(list, Value(std::move(containers)));
}

/// Suspended jobs that run nothing let their pods' place and size change.
bool is_template_open(const CheckedField& old) {
  return old.at({"spec", "suspend"}).is_true() &&
         (!old.at({"status", "startTime"}).is_set() || has_condition(old, "Suspended")) &&
         old.at({"status", "active"}).number() == 0;
}

void check_template_change(const CheckedField& object, const CheckedField& old) {
  const CheckedField pod_template = object.at({"spec", "template"});
  if (!is_template_open(old)) {
    pod_template.unchanged_from(old.at({"spec", "template"}));
    return;
  }
  const CheckedField now = pod_template.at("spec");
  Value before = old.at({"spec", "template", "spec"}).value();
  before = with_node_affinity_of(now, before);
  for (const std::string_view name : {"nodeSelector", "tolerations", "schedulingGates"}) {
    before = with_member_of(before, now, name);
  }
  for (const std::string_view list : {"containers", "initContainers"}) before = with_resources_of(now, before, list);
  kube::FieldErrors none;
  now.unchanged_from(CheckedField(none, before));
}

void check_completions_change(const CheckedField& spec, const CheckedField& old_spec) {
  const CheckedField completions = spec.at("completions");
  if (!is_indexed(spec)) {
    completions.unchanged_from(old_spec.at("completions"));
  } else if (completions.is_set() && !completions.is_same_as(old_spec.at("completions")) &&
             completions.number() != spec.at("parallelism").number()) {
    completions.invalid("can only be modified in tandem with spec.parallelism");
  }
}

}  // namespace

bool has_condition(const CheckedField& object, std::string_view type, std::string_view status) {
  const std::vector<CheckedField> conditions = object.at({"status", "conditions"}).elements();
  return std::any_of(conditions.begin(), conditions.end(), [&](const CheckedField& condition) {
    return condition.at("type").text() == type && condition.at("status").text() == status;
  });
}

void check_job_spec(const CheckedField& spec) {
  for (const std::string_view name :
       {"backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    spec.at(name).not_negative();
  }
  if (spec.at("maxFailedIndexes").is_set() && !spec.at("backoffLimitPerIndex").is_set()) {
    spec.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
  }
  if (spec.at("managedBy").is_set()) check_manager(spec.at("managedBy"));
  check_indexes(spec);
  check_failure_policy(spec);
  check_success_policy(spec);
  check_replacement_policy(spec);
  const CheckedField restart = spec.at({"template", "spec", "restartPolicy"});
  if (spec.at("podFailurePolicy").is_set() && restart.text() == "OnFailure") {
    restart.invalid("only \"Never\" is supported when podFailurePolicy is specified");
  }
}

void check_job_spec_change(const CheckedField& object, const CheckedField& old) {
  const CheckedField spec = object.at("spec");
  const CheckedField old_spec = old.at("spec");
  check_completions_change(spec, old_spec);
  spec.at("selector").unchanged_from(old_spec.at("selector"));
  check_template_change(object, old);
  for (const std::string_view name :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    spec.at(name).unchanged_from(old_spec.at(name));
  }
}

}  // namespace loadline::apiserver
