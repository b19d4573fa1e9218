#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"

namespace loadline::queue::kueue::testing {

using kube::QueuePreemptionPolicy;

/// A ClusterQueue, part by part: groups of one resource "gpu", unless said otherwise.
class QueueBuilder {
 public:
  explicit QueueBuilder(std::string name) {
    queue_.metadata.name = std::move(name);
    queue_.namespace_selector = kube::LabelSelector{};
  }
  QueueBuilder& cohort(std::string name) {
    queue_.cohort = std::move(name);
    return *this;
  }
  /// A flavor of the last group; `group` opens another one.
  QueueBuilder& quota(const std::string& flavor, const std::string& nominal, std::optional<std::string> borrowing = {},
                      std::optional<std::string> lending = {}) {
    return quotas(flavor, {{"gpu", nominal}}, std::move(borrowing), std::move(lending));
  }
  QueueBuilder& quotas(const std::string& flavor, const std::vector<std::pair<std::string, std::string>>& nominal,
                       std::optional<std::string> borrowing = {}, std::optional<std::string> lending = {}) {
    if (queue_.resource_groups.empty()) group();
    kube::ResourceGroup& it = queue_.resource_groups.back();
    it.covered_resources.clear();
    it.flavors.push_back({flavor, {}});
    const auto quantity = [](const std::optional<std::string>& text) {
      return text ? std::optional(*kube::Quantity::parse(*text)) : std::nullopt;
    };
    for (const auto& [resource, amount] : nominal) {
      it.covered_resources.push_back(resource);
      it.flavors.back().resources.push_back({resource, *quantity(amount), quantity(borrowing), quantity(lending)});
    }
    return *this;
  }
  QueueBuilder& group() {
    queue_.resource_groups.emplace_back();
    return *this;
  }
  QueueBuilder& within(QueuePreemptionPolicy policy) {
    queue_.preemption.within_cluster_queue = policy;
    return *this;
  }
  QueueBuilder& reclaim(QueuePreemptionPolicy policy) {
    queue_.preemption.reclaim_within_cohort = policy;
    return *this;
  }
  QueueBuilder& borrow_within(QueuePreemptionPolicy policy, std::optional<std::int32_t> threshold = {}) {
    queue_.preemption.borrow_within_cohort = policy;
    queue_.preemption.max_priority_threshold = threshold;
    return *this;
  }
  QueueBuilder& strict() {
    queue_.queueing_strategy = kube::QueueingStrategy::kStrictFifo;
    return *this;
  }
  QueueBuilder& fungibility(bool next_before_borrowing, bool next_before_preempting,
                            std::optional<kube::FlavorPreference> preference = {}) {
    queue_.flavor_fungibility = {next_before_borrowing, next_before_preempting, preference};
    return *this;
  }
  QueueBuilder& weight(const std::string& weight) {
    queue_.fair_sharing_weight = *kube::Quantity::parse(weight);
    return *this;
  }
  [[nodiscard]] kube::ClusterQueue& object() { return queue_; }
  operator const kube::ClusterQueue&() const { return queue_; }

 private:
  kube::ClusterQueue queue_;
};

/// A workload of one pod set, whose queue is the LocalQueue of the same name.
class WorkloadBuilder {
 public:
  WorkloadBuilder(std::string name, std::string queue) {
    workload_.metadata.name = std::move(name);
    workload_.metadata.namespace_ = "ns";
    workload_.metadata.uid = workload_.metadata.name;
    workload_.queue_name = std::move(queue);
  }
  WorkloadBuilder& pods(std::int32_t count, const std::vector<std::pair<std::string, std::string>>& requests,
                        const std::string& name = "main") {
    auto spec = std::make_shared<kube::PodSpec>();
    spec->containers.emplace_back();
    for (const auto& [resource, amount] : requests) {
      spec->containers[0].resources.requests[resource] = *kube::Quantity::parse(amount);
    }
    kube::PodSet& set = workload_.pod_sets.emplace_back();
    set.name = name;
    set.count = count;
    set.template_.spec = spec;
    return *this;
  }
  WorkloadBuilder& gpus(const std::string& amount) { return pods(1, {{"gpu", amount}}); }
  WorkloadBuilder& priority(std::int32_t priority) {
    workload_.priority = priority;
    return *this;
  }
  WorkloadBuilder& created(std::int64_t seconds) {
    workload_.metadata.creation_timestamp = Instant{} + Duration::seconds(seconds);
    return *this;
  }
  WorkloadBuilder& least(std::int32_t count) {
    workload_.pod_sets.back().min_count = count;
    return *this;
  }
  WorkloadBuilder& condition(const std::string& type, const std::string& status, const std::string& reason = "",
                             std::int64_t seconds = 0) {
    workload_.status.conditions.push_back({type, status, 0, Instant{} + Duration::seconds(seconds), reason, ""});
    return *this;
  }
  /// The spec of its last pod set, to be changed.
  [[nodiscard]] kube::PodSpec& spec() {
    auto copy = std::make_shared<kube::PodSpec>(*workload_.pod_sets.back().template_.spec);
    kube::PodSpec& spec = *copy;
    workload_.pod_sets.back().template_.spec = std::move(copy);
    return spec;
  }
  [[nodiscard]] kube::KueueWorkload& object() { return workload_; }
  operator const kube::KueueWorkload&() const { return workload_; }

 private:
  kube::KueueWorkload workload_;
};

inline kube::ResourceFlavor flavor(const std::string& name, const kube::StringMap& labels = {}) {
  kube::ResourceFlavor it;
  it.metadata.name = name;
  it.node_labels = labels;
  return it;
}

/// A scheduler with a clock that stands still unless it is moved, and objects that are known by name.
class World {
 public:
  explicit World(Settings settings = {}) : scheduler(tree, std::move(settings)) {
    scheduler.set_namespace("ns", {}, now);
  }
  World& add(const kube::ResourceFlavor& it) {
    scheduler.set(it, now);
    flavors_.insert(it.metadata.name);
    return *this;
  }
  /// The queue with a LocalQueue of its name in "ns", and its flavors, if they are not there.
  World& add(const kube::ClusterQueue& queue) {
    for (const kube::ResourceGroup& group : queue.resource_groups) {
      for (const kube::FlavorQuotas& it : group.flavors) {
        if (!flavors_.contains(it.flavor)) add(flavor(it.flavor));
      }
    }
    scheduler.set(queue, now);
    kube::LocalQueue local;
    local.metadata.name = queue.metadata.name;
    local.metadata.namespace_ = "ns";
    local.cluster_queue = queue.metadata.name;
    scheduler.set(local);
    return *this;
  }
  World& add_cohort(const std::string& name, const std::string& parent) {
    kube::Cohort cohort;
    cohort.metadata.name = name;
    cohort.parent = parent;
    scheduler.set(cohort, now);
    return *this;
  }
  WorkloadId submit(const kube::KueueWorkload& workload) { return scheduler.submit(workload, now); }
  Round round() { return scheduler.decide_round(now); }
  /// Submits it, and expects that rounds admit it.
  WorkloadId run(const kube::KueueWorkload& workload) {
    const WorkloadId id = submit(workload);
    settle();
    return id;
  }
  /// As many rounds as there is something to decide. The last decision about each, by name: see say().
  std::map<std::string, std::string> settle() {
    std::map<std::string, std::string> said;
    for (int rounds = 0; rounds < 1000 && scheduler.is_due(now); ++rounds) {
      for (const Decision& it : round().decisions) said[name(it.workload)] = say(it);
    }
    return said;
  }
  World& pass(std::int64_t seconds) {
    now = now + Duration::seconds(seconds);
    return *this;
  }
  /// Without its namespace.
  [[nodiscard]] std::string name(WorkloadId workload) const {
    return scheduler.workloads().at(workload).name.substr(3);
  }
  [[nodiscard]] bool runs(WorkloadId workload) const {
    const Workload& it = scheduler.workloads().at(workload);
    return it.has_quota && !it.is_evicted;
  }
  [[nodiscard]] std::string flavor_name(FlavorId it) const {
    return std::string(tree.symbols().text(scheduler.flavors().name(it)));
  }
  /// "admitted f", "preempting b:InClusterQueue", "no fit", …
  [[nodiscard]] std::string say(const Decision& it) const {
    constexpr const char* kWords[] = {"admitted",       "preempting",    "no fit",         "no victims",
                                      "spared",         "overlapping",   "taken",          "no room",
                                      "waits for pods", "failed checks", "inactive queue", "other namespace",
                                      "no namespace",   "pods refused"};
    constexpr const char* kReasons[] = {"own", "reclaim", "fair", "borrowing"};
    std::string text = kWords[static_cast<std::size_t>(it.code)];
    if (it.code == Decision::Code::kAdmitted) {
      for (const PodSetAssignment& set : it.assignment.pod_sets) {
        for (const FlavorChoice& choice : set.choices) text += " " + flavor_name(choice.flavor);
      }
    }
    std::vector<std::string> victims;
    for (const Victim& victim : it.victims) {
      victims.push_back(" " + name(victim.workload) + ":" + kReasons[static_cast<std::size_t>(victim.reason)]);
    }
    for (const std::string& victim : victims) text += victim;
    return text;
  }
  [[nodiscard]] std::int64_t used(const std::string& queue, const std::string& resource = "gpu",
                                  const std::string& of = "f") {
    const QuotaCellId cell = tree.find_cell(scheduler.queues().find(queue),
                                            tree.column({tree.symbols().intern(of), tree.symbols().intern(resource)}));
    return cell.valid() ? tree.used(cell) : 0;
  }

  cluster::QuotaTree tree;
  KueueScheduler scheduler;
  Instant now{1'000'000'000'000};

 private:
  std::set<std::string> flavors_;
};

}  // namespace loadline::queue::kueue::testing
