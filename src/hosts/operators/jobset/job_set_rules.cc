#include "hosts/operators/jobset/job_set_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/operators/go_types.h"
#include "objects/schema/custom/pattern.h"
#include "objects/schema/names.h"
#include "server/apiserver/kinds/checked_field.h"
#include "server/apiserver/status.h"

namespace loadline::operators {
namespace {

using apiserver::CheckedField;
using document::Array;
using document::Object;
using document::Value;
using document::with_at;

constexpr std::size_t kLongestManagedBy = 63;
constexpr std::size_t kLongestClaim = 63;
constexpr std::size_t kLongestRuleName = 128;

// ---- defaults ------------------------------------------------------------------------------------------------------

Value with_default(Value object, document::Names names, Value value) {
  const Value* found = document::find_at(object, names);
  const bool is_empty = found == nullptr || found->is_null() || (found->is_string() && found->string().empty());
  return is_empty ? with_at(std::move(object), names, std::move(value)) : object;
}

/// Each element of the list there, as `change` makes it.
template <class Change>
Value with_elements(Value object, document::Names names, Change change) {
  const Value* found = document::find_at(object, names);
  if (found == nullptr || !found->is_array()) return object;
  Array changed;
  for (const Value& each : found->array()) changed.push_back(change(each, changed.size()));
  return with_at(std::move(object), names, Value(std::move(changed)));
}

Value with_replicated_job_defaults(const Value& job) {
  Value job_template = document::value_at(job, {"template"});
  job_template = with_default(std::move(job_template), {"spec", "completionMode"}, Value("Indexed"));
  job_template =
      with_default(std::move(job_template), {"spec", "template", "spec", "restartPolicy"}, Value("OnFailure"));
  return Value(job).with("template", as_go_completes(job_template, "io.k8s.api.batch.v1.JobTemplateSpec"));
}

Value with_claim_policy_defaults(const Value& policy) {
  Value changed = with_default(policy, {"retentionPolicy"}, Value(Object{{"whenDeleted", Value("Delete"), {}}}));
  return with_elements(std::move(changed), {"templates"}, [](const Value& claim, std::size_t) {
    return as_go_completes(claim, "io.k8s.api.core.v1.PersistentVolumeClaim");
  });
}

Value with_rule_name(const Value& rule, std::size_t place) {
  return with_default(rule, {"name"}, Value(fmt::format("failurePolicyRule{}", place)));
}

// ---- refusals ------------------------------------------------------------------------------------------------------

/// The operator's own errors, which name no field.
void add_error(kube::FieldErrors& faults, std::string message) {
  faults.push_back({"<nil>", "Internal error: " + std::move(message), {}});
}

/// A name that the operator makes up has to be a DNS label; of one that is too long it says so in words of its own.
void check_made_name(const CheckedField& where, const std::string& name, std::string_view too_long) {
  for (const std::string& problem : schema::dns_1035_label_problems(name)) {
    const bool is_length = problem.find("must be no more than 63") != std::string::npos;
    where.invalid(Value(name), is_length ? too_long : std::string_view(problem));
  }
}

bool is_indexed(const CheckedField& job) { return job.at({"template", "spec", "completionMode"}).text() == "Indexed"; }

struct JobSetRules {
  kube::FieldErrors& faults;
  CheckedField whole;
  CheckedField spec;
  std::string name;
  std::set<std::string, std::less<>> names;  // of replicated jobs, up to the one that is looked at

  void check(const FindClaim& find_claim) {
    const CheckedField jobs = spec.at("replicatedJobs");
    if (spec.at({"failurePolicy", "restartStrategy"}).text() == "InPlaceRestart") {
      add_error(faults, "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled");
    }
    const std::vector<CheckedField> all = jobs.elements();
    if (!all.empty() && all.front().at("dependsOn").is_set()) {
      add_error(faults, "DependsOn can't be set for the first ReplicatedJob");
    }
    check_subdomain();
    if (const CheckedField manager = spec.at("managedBy"); manager.is_set()) {
      manager.domain_prefixed_path();
      if (manager.text().size() > kLongestManagedBy) manager.too_long(kLongestManagedBy);
    }
    for (const CheckedField& job : all) check_replicated_job(job);
    for (const CheckedField& target : spec.at({"successPolicy", "targetReplicatedJobs"}).elements()) {
      if (names.contains(target.text())) continue;
      add_error(faults,
                fmt::format("invalid replicatedJob name '{}' does not appear in .spec.ReplicatedJobs", target.text()));
    }
    check_failure_policy();
    check_coordinator();
    check_claims(find_claim);
  }

  void check_subdomain() {
    const CheckedField subdomain = spec.at({"network", "subdomain"});
    if (subdomain.text().empty()) return;
    for (const std::string& problem : schema::dns_subdomain_problems(subdomain.text())) subdomain.invalid(problem);
    check_made_name(subdomain, std::string(subdomain.text()),
                    ".spec.network.subdomain is too long, must be less than 63 characters");
  }

  void check_replicated_job(const CheckedField& job) {
    const std::string_view own = job.at("name").text();
    names.emplace(own);
    const std::int64_t replicas = job.at("replicas").number(1);
    const CheckedField job_spec = job.at({"template", "spec"});
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (job_spec.at("parallelism").number(1) * replicas > kMost) {
      add_error(faults, fmt::format("the product of replicas and parallelism must not exceed {} for replicatedJob '{}'",
                                    kMost, own));
    }
    check_made_name(job.at("groupName"), std::string(job.at("groupName").text()),
                    ".spec.replicatedJob[].groupName is too long, must be less than 63 characters");
    const std::string longest = fmt::format("{}-{}-{}", name, own, replicas - 1);
    check_made_name(job.at("name"), longest,
                    "JobSet name is too long, job names generated for this JobSet will exceed 63 characters");
    if (is_indexed(job) && job_spec.at("completions").is_set()) {
      const std::string pod = fmt::format("{}-{}-abcde", longest, job_spec.at("completions").number() - 1);
      for (const std::string& problem : schema::dns_1035_label_problems(pod)) {
        const bool is_length = problem.find("must be no more than 63") != std::string::npos;
        job.at("name").invalid(
            Value(longest),
            is_length ? "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"
                      : problem);
      }
    }
    for (const CheckedField& on : job.at("dependsOn").elements()) {
      if (names.contains(on.at("name").text())) continue;
      add_error(faults, fmt::format("replicatedJob: {} cannot depend on replicatedJob: {}", own, on.at("name").text()));
    }
  }

  // ---- failure policy -----------------------------------------------------------------------------------------------
  void check_failure_policy() {
    const std::vector<CheckedField> rules = spec.at({"failurePolicy", "rules"}).elements();
    const bool restarts_jobs = std::any_of(rules.begin(), rules.end(), [](const CheckedField& rule) {
      return rule.at("action").text().starts_with("RestartJob") &&
             !rule.at("action").text().starts_with("RestartJobSet");
    });
    if (restarts_jobs) {
      return add_error(faults,
                       "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed when "
                       "RestartJob feature gate is disabled");
    }
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      places[rules[i].at("name").text()].push_back(i);
      check_failure_rule(rules[i]);
    }
    for (const auto& [rule, indexes] : places) {
      if (indexes.size() < 2) continue;
      add_error(faults, fmt::format("rule names are not unique, rules with indices [{}] all have the same name '{}'",
                                    fmt::join(indexes, " "), rule));
    }
  }

  void check_failure_rule(const CheckedField& rule) {
    const std::string_view own = rule.at("name").text();
    if (own.empty() || own.size() > kLongestRuleName) {
      add_error(faults, fmt::format("invalid failure policy rule name of length {}, the rule name must be at least 1 "
                                    "characters long and at most 128 characters long",
                                    own.size()));
    }
    if (!schema::Pattern::compile("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")->matches(own)) {
      add_error(faults, fmt::format("invalid failure policy rule name '{}', a failure policy rule name must start with "
                                    "an alphabetic character, optionally followed by a string of alphanumeric "
                                    "characters or '_,:', and must end with an alphanumeric character or '_'",
                                    own));
    }
    for (const CheckedField& target : rule.at("targetReplicatedJobs").elements()) {
      if (names.contains(target.text())) continue;
      add_error(faults, fmt::format("invalid replicatedJob name '{}' in failure policy does not appear in "
                                    ".spec.ReplicatedJobs",
                                    target.text()));
    }
    constexpr std::string_view kReasons[] = {"BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes",
                                             "MaxFailedIndexesExceeded", "PodFailurePolicy"};
    for (const CheckedField& reason : rule.at("onJobFailureReasons").elements()) {
      if (std::ranges::find(kReasons, reason.text()) != std::end(kReasons)) continue;
      add_error(faults, fmt::format("invalid job failure reason '{}' in failure policy is not a recognized job failure "
                                    "reason",
                                    reason.text()));
    }
  }

  // ---- coordinator --------------------------------------------------------------------------------------------------
  void check_coordinator() {
    const CheckedField coordinator = spec.at("coordinator");
    if (!coordinator.is_set()) return;
    if (std::string problem = problem_of_coordinator(coordinator); !problem.empty()) {
      add_error(faults, std::move(problem));
    }
    const std::string_view subdomain = spec.at({"network", "subdomain"}).text();
    const std::string address =
        fmt::format("{}-{}-{}-{}.{}", name, coordinator.at("replicatedJob").text(), coordinator.at("jobIndex").number(),
                    coordinator.at("podIndex").number(), subdomain.empty() ? std::string_view(name) : subdomain);
    const kube::NameProblems problems = schema::label_value_problems(address);
    if (problems.empty()) return;
    add_error(faults,
              fmt::format("spec will lead to invalid label value \"{}\" for coordinator label "
                          "\"jobset.sigs.k8s.io/coordinator\" (long JobSet / ReplicatedJob / SubDomain name?): {}",
                          address, fmt::join(problems, ", ")));
  }

  [[nodiscard]] std::string problem_of_coordinator(const CheckedField& coordinator) const {
    const std::string_view wanted = coordinator.at("replicatedJob").text();
    for (const CheckedField& job : spec.at("replicatedJobs").elements()) {
      if (job.at("name").text() != wanted) continue;
      const std::int64_t index = coordinator.at("jobIndex").number();
      if (index < 0 || index >= job.at("replicas").number(1)) {
        return fmt::format("coordinator job index {} is invalid for replicatedJob {}", index, wanted);
      }
      const CheckedField completions = job.at({"template", "spec", "completions"});
      if (!is_indexed(job) || !completions.is_set()) {
        return "job for coordinator pod must be indexed completion mode, and completions number must be set";
      }
      const std::int64_t pod = coordinator.at("podIndex").number();
      if (pod >= 0 && pod < completions.number()) return {};
      return fmt::format("coordinator pod index {} is invalid for replicatedJob {} job index {}", pod, wanted, index);
    }
    return fmt::format("coordinator replicatedJob {} does not exist", wanted);
  }

  // ---- claims -------------------------------------------------------------------------------------------------------
  void check_claims(const FindClaim& find_claim) {
    std::set<std::string, std::less<>> claims;
    for (const CheckedField& policy : spec.at("volumeClaimPolicies").elements()) {
      std::size_t place = 0;
      for (const CheckedField& each : policy.at("templates").elements()) {
        check_claim(policy, each.called(fmt::format("{}.template[{}]", policy.path(), place++)), claims, find_claim);
      }
    }
  }

  void check_claim(const CheckedField& policy, const CheckedField& each, std::set<std::string, std::less<>>& claims,
                   const FindClaim& find_claim) {
    const std::string own(each.at({"metadata", "name"}).text());
    const CheckedField at_name = each.at("name");
    if (!claims.insert(own).second) {
      at_name.invalid(Value(own), "names must be unique for VolumeClaimPolicies template");
    }
    for (const std::string& problem : schema::dns_subdomain_problems(own)) at_name.invalid(Value(own), problem);
    const std::string claim_name = own + '-' + name;
    if (claim_name.size() > kLongestClaim) {
      at_name.invalid(Value(own), "VolumeClaimPolicies template name is too long");
    }
    check_mounts(own);
    const std::optional<Value> existing = find_claim(claim_name);
    if (!existing) return;
    if (!(document::value_at(*existing, {"spec"}) == each.at("spec").value())) {
      each.at("spec").invalid(fmt::format("spec does not match existing PVC {} in namespace {}", claim_name,
                                          whole.at({"metadata", "namespace"}).text()));
    }
    const CheckedField retention = policy.at({"retentionPolicy", "whenDeleted"});
    if (retention.is_set() && retention.text() != "Retain") {
      retention.invalid("retentionPolicy must be retain when PVC exists");
    }
  }

  void check_mounts(const std::string& claim) {
    bool is_mounted = false;
    const CheckedField jobs = spec.at("replicatedJobs");
    for (const CheckedField& job : jobs.elements()) {
      const CheckedField pod = job.at({"template", "spec", "template", "spec"});
      for (const CheckedField& volume : pod.at("volumes").elements()) {
        if (volume.at("name").text() != claim) continue;
        volume.at("name").invalid("volume name conflicts with VolumeClaimPolicy template name: " + claim);
      }
      for (const std::string_view list : {"initContainers", "containers"}) {
        for (const CheckedField& container : pod.at(list).elements()) {
          for (const CheckedField& mount : container.at("volumeMounts").elements()) {
            is_mounted = is_mounted || mount.at("name").text() == claim;
          }
        }
      }
    }
    if (is_mounted) return;
    jobs.invalid(
        fmt::format("replicatedJob containers don't have a matching volumeMount: {} from VolumeClaimPolicies", claim));
  }
};

/// The replicated jobs as they were in what may change while the JobSet is suspended.
Value with_mutable_parts_of(const Value& jobs, const Value& before) {
  if (!jobs.is_array() || !before.is_array()) return jobs;
  Array changed;
  for (const Value& job : jobs.array()) {
    const auto known = std::find_if(before.array().begin(), before.array().end(), [&](const Value& each) {
      return document::text_at(each, {"name"}) == document::text_at(job, {"name"});
    });
    Value now = job;
    if (known != before.array().end()) {
      for (const auto& [part, field] :
           {std::pair{"metadata", "annotations"}, std::pair{"metadata", "labels"}, std::pair{"spec", "nodeSelector"},
            std::pair{"spec", "tolerations"}, std::pair{"spec", "schedulingGates"}}) {
        const Value* old = document::find_at(*known, {"template", "spec", "template", part, field});
        const bool is_there = document::find_at(now, {"template", "spec", "template", part, field}) != nullptr;
        if (old != nullptr) {
          now = with_at(std::move(now), {"template", "spec", "template", part, field}, *old);
        } else if (is_there) {
          now = document::without_at(now, {"template", "spec", "template", part, field});
        }
      }
    }
    changed.push_back(std::move(now));
  }
  return Value(std::move(changed));
}

}  // namespace

Value with_job_set_defaults(Value set) {
  if (document::find_at(set, {"spec"}) == nullptr) return set;
  set = with_default(std::move(set), {"spec", "successPolicy"}, Value(Object{{"operator", Value("All"), {}}}));
  set = with_default(std::move(set), {"spec", "startupPolicy"},
                     Value(Object{{"startupPolicyOrder", Value("AnyOrder"), {}}}));
  set = with_elements(std::move(set), {"spec", "replicatedJobs"},
                      [](const Value& job, std::size_t) { return with_replicated_job_defaults(job); });
  set = with_default(std::move(set), {"spec", "network", "enableDNSHostnames"}, Value(true));
  set = with_default(std::move(set), {"spec", "network", "publishNotReadyAddresses"}, Value(true));
  set = with_elements(std::move(set), {"spec", "failurePolicy", "rules"}, with_rule_name);
  return with_elements(std::move(set), {"spec", "volumeClaimPolicies"},
                       [](const Value& policy, std::size_t) { return with_claim_policy_defaults(policy); });
}

kube::FieldErrors faults_of_job_set(const Value& set, const FindClaim& find_claim) {
  kube::FieldErrors faults;
  const CheckedField whole(faults, set);
  JobSetRules{faults, whole, whole.at("spec"), std::string(document::text_at(set, {"metadata", "name"})), {}}.check(
      find_claim);
  return faults;
}

kube::FieldErrors faults_of_job_set_change(const Value& before, const Value& after) {
  kube::FieldErrors faults;
  const auto is_suspended = [](const Value& set) {
    return document::value_at(set, {"spec", "suspend"}) == Value(true);
  };
  const Value old_jobs = document::value_at(before, {"spec", "replicatedJobs"});
  Value jobs = document::value_at(after, {"spec", "replicatedJobs"});
  if (is_suspended(before) || is_suspended(after)) jobs = with_mutable_parts_of(jobs, old_jobs);
  const Value compared = with_at(after, {"spec", "replicatedJobs"}, std::move(jobs));
  const CheckedField now(faults, compared);
  const CheckedField old(faults, before);
  for (const std::string_view field : {"replicatedJobs", "managedBy"}) {
    now.at({"spec", field}).unchanged_from(old.at({"spec", field}));
  }
  return faults;
}

std::optional<std::string> job_set_refusal(const Value& set, const kube::FieldErrors& faults) {
  if (faults.empty()) return std::nullopt;
  return apiserver::invalid({"jobset.x-k8s.io", "v1alpha2", "JobSet"}, document::text_at(set, {"metadata", "name"}),
                            faults)
      .message;
}

}  // namespace loadline::operators
