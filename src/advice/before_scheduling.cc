#include <algorithm>

#include "admission/quota_scopes.h"
#include "admission/quota_usage.h"
#include "advice/candidate.h"
#include "advice/obstacle_edits.h"
#include "base/closest.h"
#include "kube/pod_resources.h"
#include "kube/resource_names.h"

namespace loadline::advice {
namespace {

using simulator::Outcome;
using simulator::Subject;

Candidate all_of(Remedy remedy) {
  Candidate candidate{std::move(remedy), {}, 0};
  for (const Edit& edit : candidate.remedy) candidate.cost += cost_of(edit);
  return candidate;
}

std::vector<Candidate> without_gates(const kube::PodSpec& spec) {
  Remedy remedy;
  for (const std::string& gate : spec.scheduling_gates) remedy.push_back(DropGate{gate});
  return {all_of(std::move(remedy))};
}

std::vector<Candidate> known_schedulers(const simulator::Planning& planning, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const kube::SchedulerProfile& profile : planning.configuration().profiles)
    names.push_back(profile.scheduler_name);
  std::vector<Candidate> candidates;
  if (const std::string_view nearest = closest(wanted, names); !nearest.empty()) {
    candidates.push_back(all_of({UseScheduler{std::string(nearest)}}));
  }
  if (candidates.empty() && std::ranges::find(names, "default-scheduler") != names.end()) {
    candidates.push_back(all_of({UseScheduler{"default-scheduler"}}));
  }
  return candidates;
}

std::vector<Candidate> known_classes(const simulator::Planning& planning, const kube::PodSpec& spec) {
  std::vector<std::string_view> names;
  for (const kube::PriorityClass& each : planning.objects().priority_classes) names.push_back(each.metadata.name);
  if (spec.priority_class_name.empty() || std::ranges::find(names, spec.priority_class_name) != names.end()) return {};
  const std::string_view nearest = closest(spec.priority_class_name, names);
  if (nearest.empty()) return {};
  for (const kube::PriorityClass& each : planning.objects().priority_classes) {
    if (each.metadata.name != nearest) continue;
    Candidate candidate = all_of({UsePriorityClass{each.metadata.name, each.value, each.preemption_policy}});
    candidate.cost = 0.5;
    return {candidate};
  }
  return {};
}

bool counts(const kube::ResourceQuota& quota, const kube::PodSpec& spec) {
  const auto holds = [&](const kube::ScopedResourceSelectorRequirement& scope) {
    return admission::in_scope(scope, spec);
  };
  return std::ranges::all_of(quota.scope_selector, holds) &&
         std::ranges::all_of(quota.scopes, [&](kube::ResourceQuotaScope scope) {
           return holds({scope, kube::LabelSelectorOperator::kExists, {}});
         });
}

/// The name of a request that a quota counts: "requests.nvidia.com/gpu" and "cpu" are the pod's "nvidia.com/gpu",
/// "cpu".
std::string request_name(const std::string& quota_name) {
  return quota_name.starts_with(kube::kRequestsPrefix) ? quota_name.substr(kube::kRequestsPrefix.size()) : quota_name;
}

/// What the quotas lack for the pods of the workload that were refused; or what one pod would have to do without.
class QuotaCandidates {
 public:
  QuotaCandidates(const simulator::Planning& planning, const Subject& subject, std::size_t refused)
      : planning_(planning), subject_(subject), refused_(refused) {}

  std::vector<Candidate> run() {
    const kube::ResourceList usage = admission::pod_usage(*subject_.pod.spec, nullptr);
    Remedy raise;
    for (const kube::ResourceQuota& quota : planning_.objects().resource_quotas) {
      const bool applies =
          quota.metadata.namespace_ == subject_.pod.metadata.namespace_ && counts(quota, *subject_.pod.spec);
      if (applies) look_at(quota, usage, raise);
    }
    std::vector<Candidate> candidates;
    if (!raise.empty()) candidates.push_back(all_of(std::move(raise)));
    if (!less_.empty() && !hopeless_) candidates.push_back(all_of(std::move(less_)));
    return candidates;
  }

 private:
  void look_at(const kube::ResourceQuota& quota, const kube::ResourceList& usage, Remedy& raise) {
    const kube::ResourceList* used = planning_.admission().quota_used(quota.metadata.namespace_, quota.metadata.name);
    for (const auto& [resource, hard] : quota.hard) {
      const auto one = usage.find(resource);
      if (one == usage.end() || one->second.is_zero()) continue;
      kube::Quantity taken;
      if (used != nullptr && used->contains(resource)) taken = used->find(resource)->second;
      if (taken + one->second <= hard) continue;
      const kube::Quantity to = taken + one->second.times(static_cast<std::int64_t>(refused_));
      raise.push_back(RaiseQuota{quota.metadata.namespace_, quota.metadata.name, resource, hard, to});
      ask_less(resource, hard - taken);
    }
  }

  void ask_less(const std::string& quota_resource, const kube::Quantity& room) {
    const std::string resource = request_name(quota_resource);
    const kube::ResourceList requests = kube::pod_requests(*subject_.pod.spec, nullptr, {});
    const auto from = requests.find(resource);
    if (from == requests.end() || room.sign() <= 0 || room >= from->second) {
      hopeless_ = true;
    } else {
      less_.push_back(RequestLess{resource, from->second, room});
    }
  }

  const simulator::Planning& planning_;
  const Subject& subject_;
  std::size_t refused_;
  Remedy less_;
  bool hopeless_ = false;  // one of the quotas has nothing left that a smaller request could use
};

/// Requests above a LimitRange's maximum, cut down to it.
std::vector<Candidate> within_limits(const simulator::Planning& planning, const kube::Pod& pod) {
  const kube::ResourceList requests = kube::pod_requests(*pod.spec, nullptr, {});
  Remedy remedy;
  for (const kube::LimitRange& range : planning.objects().limit_ranges) {
    if (range.metadata.namespace_ != pod.metadata.namespace_) continue;
    for (const kube::LimitRangeItem& item : range.limits) {
      const bool fits = item.type == kube::LimitType::kPod ||
                        (item.type == kube::LimitType::kContainer && pod.spec->containers.size() == 1);
      if (!fits) continue;
      for (const auto& [resource, most] : item.max) {
        const auto asked = requests.find(resource);
        if (asked != requests.end() && asked->second > most)
          remedy.push_back(RequestLess{resource, asked->second, most});
      }
    }
  }
  if (remedy.empty()) return {};
  return {all_of(std::move(remedy))};
}

std::size_t refused_siblings(const simulator::Planning& planning, const Target& target) {
  std::size_t refused = 0;
  for (const Subject& subject : planning.subjects().list()) {
    const bool own = simulator::WorkloadName{subject.workload.kind, subject.workload.namespace_,
                                             subject.workload.name} == target.workload;
    if (own && subject.outcome == Outcome::kRejected) ++refused;
  }
  return refused;
}

}  // namespace

std::vector<Candidate> candidates_before_scheduling(const simulator::Planning& planning, std::size_t index,
                                                    const Target& target) {
  const Subject& subject = planning.subjects()[index];
  const kube::PodSpec& spec = *subject.pod.spec;
  std::vector<Candidate> candidates;
  if (subject.outcome == Outcome::kGated) candidates = without_gates(spec);
  if (subject.outcome == Outcome::kIgnored) candidates = known_schedulers(planning, spec.scheduler_name);
  if (subject.outcome == Outcome::kRejected) {
    candidates = known_classes(planning, spec);
    for (Candidate& each : within_limits(planning, subject.pod)) candidates.push_back(std::move(each));
    QuotaCandidates quotas(planning, subject, refused_siblings(planning, target));
    for (Candidate& each : quotas.run()) candidates.push_back(std::move(each));
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  return candidates;
}

}  // namespace loadline::advice
