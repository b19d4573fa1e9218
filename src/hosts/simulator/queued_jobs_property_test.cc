#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "hosts/simulator/planning.h"
#include "hosts/simulator/settled.h"
#include "objects/kube/core/node.h"
#include "objects/kube/defaults.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_priority_class.h"

namespace loadline::simulator {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr Instant kBegin = Instant{} + Duration::seconds(1'700'000'000);

/// Nodes, flavors, queues and jobs at random: few sizes, so that borders are met.
class QueuedWorld {
 public:
  explicit QueuedWorld(std::uint64_t seed) : random_(seed) {
    add_nodes();
    add_queues();
    const int jobs = pick(4, 14);
    for (int i = 0; i < jobs; ++i) add_job(i);
  }

  kube::Objects objects;

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void add_nodes() {
    flavors_ = pick(1, 2);
    for (int i = 0; i < pick(2, 4); ++i) {
      kube::Node& node = objects.of<kube::Node>().emplace_back();
      node.metadata.name = "n" + std::to_string(i);
      node.metadata.labels = {{"pool", "f" + std::to_string(i % flavors_)}};
      node.allocatable = {{std::string(kGpu), kube::Quantity::of(8)}, {"pods", kube::Quantity::of(110)}};
    }
    for (int i = 0; i < flavors_; ++i) {
      kube::ResourceFlavor& flavor = objects.of<kube::ResourceFlavor>().emplace_back();
      flavor.metadata.name = "f" + std::to_string(i);
      flavor.node_labels = {{"pool", flavor.metadata.name}};
    }
    for (const char* name : {"low", "high"}) {
      kube::WorkloadPriorityClass& of = objects.of<kube::WorkloadPriorityClass>().emplace_back();
      of.metadata.name = name;
      of.value = name[0] == 'l' ? -5 : 5;
    }
  }

  void add_queues() {
    queues_ = pick(1, 4);
    for (int i = 0; i < queues_; ++i) {
      kube::ClusterQueue& queue = objects.of<kube::ClusterQueue>().emplace_back();
      queue.metadata.name = "q" + std::to_string(i);
      if (chance(70)) queue.cohort = "c" + std::to_string(pick(0, 1));
      queue.namespace_selector = kube::LabelSelector{};
      if (chance(40)) queue.queueing_strategy = kube::QueueingStrategy::kStrictFifo;
      using Policy = kube::QueuePreemptionPolicy;
      if (chance(60)) queue.preemption.within_cluster_queue = Policy::kLowerPriority;
      if (chance(60)) queue.preemption.reclaim_within_cohort = chance(50) ? Policy::kAny : Policy::kLowerPriority;
      kube::ResourceGroup& group = queue.resource_groups.emplace_back();
      group.covered_resources = {std::string(kGpu)};
      for (int flavor = 0; flavor < flavors_; ++flavor) {
        kube::FlavorQuota quota{std::string(kGpu), kube::Quantity::of(pick(0, 8)), {}, {}};
        if (!queue.cohort.empty() && chance(30)) quota.borrowing_limit = kube::Quantity::of(pick(0, 4));
        if (!queue.cohort.empty() && chance(30)) quota.lending_limit = kube::Quantity::of(pick(0, 4));
        group.flavors.push_back({"f" + std::to_string(flavor), {quota}});
      }
      kube::LocalQueue& local = objects.of<kube::LocalQueue>().emplace_back();
      local.metadata.name = "l" + std::to_string(i);
      local.metadata.namespace_ = "ml";
      local.cluster_queue = queue.metadata.name;
    }
  }

  std::shared_ptr<const kube::PodSpec> spec() {
    auto result = std::make_shared<kube::PodSpec>();
    result->termination_grace_period_seconds = 30;
    result->restart_policy = kube::RestartPolicy::kNever;
    kube::Container& container = result->containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/main:1";
    container.resources.requests[std::string(kGpu)] = kube::Quantity::of(pick(1, 2));
    container.resources.limits = container.resources.requests;
    return result;
  }

  void describe(kube::ObjectMeta& metadata, int number) {
    metadata.name = "w" + std::to_string(number);
    metadata.namespace_ = "ml";
    metadata.labels.insert_or_assign(std::string(kube::kQueueName), "l" + std::to_string(pick(0, queues_ - 1)));
    if (chance(40)) {
      metadata.labels.insert_or_assign(std::string(kube::kWorkloadPriorityClassLabel), chance(50) ? "low" : "high");
    }
  }

  void add_job(int number) {
    const int kind = pick(0, 9);
    if (kind == 0) {
      kube::Pod& pod = objects.of<kube::Pod>().emplace_back();
      describe(pod.metadata, number);
      pod.spec = spec();
    } else if (kind == 1) {
      kube::JobSet& set = objects.of<kube::JobSet>().emplace_back();
      describe(set.metadata, number);
      kube::ReplicatedJob& job = set.replicated_jobs.emplace_back();
      job.name = "workers";
      job.replicas = pick(1, 2);
      job.job_spec.parallelism = job.job_spec.completions = pick(1, 2);
      job.job_spec.template_.spec = spec();
    } else if (kind == 2) {
      kube::PyTorchJob& job = objects.of<kube::PyTorchJob>().emplace_back();
      describe(job.metadata, number);
      job.spec.replicas["Worker"].replicas = pick(1, 3);
      job.spec.replicas["Worker"].template_.spec = spec();
    } else {
      kube::Job& job = objects.of<kube::Job>().emplace_back();
      describe(job.metadata, number);
      job.spec.parallelism = job.spec.completions = pick(1, 5);
      job.spec.template_.spec = spec();
      if (chance(20)) job.metadata.annotations.insert_or_assign(std::string(kube::kJobMinParallelism), "1");
    }
  }

  std::mt19937_64 random_;
  int flavors_ = 1;
  int queues_ = 1;
};

std::unique_ptr<Planning> made(const kube::Objects& objects) {
  PlanOptions options;
  options.now = kBegin;
  return std::move(*Planning::make(objects, {}, options));
}

/// How each workload stands; not why, which depends on what was tried last.
std::map<std::string, std::string> standings(const Plan& plan) {
  std::map<std::string, std::string> result;
  for (const PlannedQueuedWorkload& each : plan.queued) {
    std::string& text = result[each.job.kind + " " + each.job.name];
    text = std::to_string(static_cast<int>(each.outcome)) + " " + each.cluster_queue;
    for (const auto& [resource, amount] : each.usage) text += " " + amount.to_string();
  }
  return result;
}

std::string outcomes(const Plan& plan) {
  std::string text;
  for (const PlannedPod& pod : plan.pods) {
    text += fmt::format("{} {} {} {}\n", pod.name, static_cast<int>(pod.outcome), pod.node, pod.message);
  }
  return text;
}

/// Nobody is preempted twice for the same one, nor in turn.
void expect_preemption_to_end(const Plan& plan) {
  std::size_t stops = 0;
  for (const PlannedQueuedWorkload& each : plan.queued) {
    stops += each.evictions;
    EXPECT_FALSE(each.outcome == QueuedOutcome::kHeld && each.evictions > 0) << each.job.name << " was given up";
  }
  EXPECT_LE(stops, plan.queued.size() * plan.queued.size() / 2);
}

std::string events(const Plan& plan) {
  std::string text;
  for (const PlannedEvent& each : plan.events) {
    text += fmt::format("{} s {} {}: {}\n", each.after.nanoseconds / 1'000'000'000, each.subject, each.reason,
                        each.message);
  }
  return text;
}

void expect_nothing_starts_without_quota(const Plan& plan) {
  std::set<WorkloadName> admitted;
  for (const PlannedQueuedWorkload& each : plan.queued) {
    if (each.outcome == QueuedOutcome::kAdmitted) admitted.insert(each.job);
  }
  for (const PlannedPod& pod : plan.pods) {
    const bool is_there = has_node(pod) || pod.outcome == PodOutcome::kPending;
    if (is_there) {
      EXPECT_TRUE(admitted.contains(pod.workload)) << pod.name << " of " << pod.workload.name;
    }
    if (pod.outcome == PodOutcome::kQueued) {
      EXPECT_FALSE(admitted.contains(pod.workload)) << pod.name;
    }
    if (pod.outcome == PodOutcome::kQueued) {
      EXPECT_NE(pod.message, "") << pod.name;
    }
    EXPECT_EQ(pod.undecided, "") << pod.name;
  }
}

/// Recounts what each ClusterQueue uses, and no node of the tree uses more than it may.
void expect_books_to_be_right(const Plan& plan) {
  std::map<std::string, kube::Quantity> used;
  for (const PlannedQueuedWorkload& each : plan.queued) {
    if (each.outcome != QueuedOutcome::kAdmitted && each.outcome != QueuedOutcome::kLeaving) continue;
    for (const auto& [resource, amount] : each.usage) used[each.cluster_queue] += amount;
  }
  for (const PlannedQueue& queue : plan.queues) {
    kube::Quantity told;
    for (const PlannedQuota& quota : queue.quotas) {
      told += quota.used;
      if (quota.most) {
        EXPECT_LE(quota.used, *quota.most) << queue.name;
      }
    }
    if (queue.kind == "ClusterQueue") {
      EXPECT_EQ(told.to_string(), used[queue.name].to_string()) << queue.name;
    }
  }
}

/// A workload has as many pods on nodes, or waiting for one, as it has quota for.
void expect_as_many_pods_as_quota(const Plan& plan) {
  std::map<WorkloadName, kube::Quantity> asked;
  for (const PlannedPod& pod : plan.pods) {
    const bool is_there = has_node(pod) || pod.outcome == PodOutcome::kPending;
    const auto gpus = pod.requests.find(kGpu);
    if (is_there && gpus != pod.requests.end()) asked[pod.workload] += gpus->second;
  }
  for (const PlannedQueuedWorkload& each : plan.queued) {
    if (each.outcome != QueuedOutcome::kAdmitted) continue;
    const auto usage = each.usage.find(std::string(kGpu));
    ASSERT_NE(usage, each.usage.end()) << each.job.name;
    EXPECT_EQ(usage->second.to_string(), asked[each.job].to_string()) << each.job.kind << " " << each.job.name << "\n"
                                                                      << outcomes(plan);
  }
}

TEST(QueuedJobsProperty, PlansKeepQuotaAndSettle) {
  const int first = cluster::testing::number_of("LOADLINE_QUEUED_FIRST_SEED", 1);
  const int seeds = cluster::testing::number_of("LOADLINE_QUEUED_SEEDS", 150);
  for (int seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QueuedWorld world(static_cast<std::uint64_t>(seed));
    const std::unique_ptr<Planning> planning = made(world.objects);
    const Plan plan = planning->plan();
    expect_nothing_starts_without_quota(plan);
    expect_books_to_be_right(plan);
    expect_as_many_pods_as_quota(plan);
    EXPECT_EQ(outcomes(plan), outcomes(made(world.objects)->plan())) << "the same input, the same plan";

    expect_preemption_to_end(plan);
    const kube::Objects after = settled(*planning);
    const Plan again = made(after)->plan();
    EXPECT_EQ(standings(plan), standings(again)) << "planned again, it moves nothing\n" << events(plan);
    EXPECT_TRUE(std::ranges::none_of(again.pods, [](const PlannedPod& pod) {
      return pod.outcome == PodOutcome::kEvicted || pod.outcome == PodOutcome::kPreempted;
    }));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace loadline::simulator
