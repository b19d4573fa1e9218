// Works that are admitted where there are nodes for them (policy `admission: Feasible`), beside those that need quota.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "brain/queue/kueue/testing/world.h"
#include "foundation/base/rng.h"
#include "hosts/replay/replay.h"
#include "hosts/replay/testing/nodes.h"
#include "hosts/trace/testing/listed_works.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_priority_class.h"

namespace loadline::replay {
namespace {

using Teams = queue::kueue::testing::QueueBuilder;
using kube::QueuePreemptionPolicy;
using queue::kueue::Admission;
using trace::testing::ListedWorks;

/// Which admitted works have waited for nodes; and that all is told once.
class Waits final : public Observer {
 public:
  void happened(const Event& event) override {
    if (event.at > now_) {
      waited.insert(without_nodes_.begin(), without_nodes_.end());
      now_ = event.at;
    }
    switch (event.kind) {
      case EventKind::kAdmitted:
        ++admissions;
        without_nodes_.insert(event.work->name);
        return;
      case EventKind::kStarted:
      case EventKind::kStopped:
      case EventKind::kEnded:
      case EventKind::kDeleted:
        without_nodes_.erase(event.work->name);
        return;
      default:
        return;
    }
  }
  void sampled(const Sample&) override {}

  std::set<std::string> waited;
  std::size_t admissions = 0;

 private:
  Duration now_;
  std::set<std::string> without_nodes_;
};

/// Small nodes and large ones, in two flavors; teams whose quota may be more than there is.
kube::Objects random_cluster(Rng& rng) {
  kube::Objects cluster = testing::nodes(2 + rng.below(6), 32, 8);
  for (std::size_t i = 0; i < cluster.of<kube::Node>().size(); ++i) {
    kube::Node& node = cluster.of<kube::Node>()[i];
    node.metadata.labels["gpu"] = i % 3 == 2 ? "h100" : "a100";
    if (rng.below(3) == 0) node.allocatable["nvidia.com/gpu"] = kube::Quantity::of(4);
  }
  for (const char* name : {"a100", "h100"}) {
    kube::ResourceFlavor& flavor = cluster.of<kube::ResourceFlavor>().emplace_back();
    flavor.metadata.name = name;
    flavor.node_labels["gpu"] = name;
  }
  const bool borrows = rng.below(2) == 0;
  const bool preempts = rng.below(2) == 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string team = fmt::format("team-{}", i);
    Teams queue(team);
    if (borrows) queue.cohort("org");
    for (const char* flavor : {"a100", "h100"}) {
      queue.quotas(flavor, {{"cpu", "1000"}, {"nvidia.com/gpu", fmt::format("{}", 2 + rng.below(20))}});
    }
    if (preempts) queue.within(QueuePreemptionPolicy::kLowerPriority).reclaim(QueuePreemptionPolicy::kAny);
    if (rng.below(3) == 0) queue.strict();
    cluster.of<kube::ClusterQueue>().push_back(queue);
    kube::LocalQueue& local = cluster.of<kube::LocalQueue>().emplace_back();
    local.metadata.name = "queue";
    local.metadata.namespace_ = team;
    local.cluster_queue = team;
  }
  for (std::int32_t value = 1; value <= 3; ++value) {
    kube::WorkloadPriorityClass& each = cluster.of<kube::WorkloadPriorityClass>().emplace_back();
    each.metadata.name = fmt::format("p{}", value);
    each.value = value;
  }
  return cluster;
}

/// More than there is room for at one time. Pods are of one priority, as among teams that share by quota.
std::vector<trace::Work> works_of_teams(Rng& rng) {
  std::vector<trace::Work> works;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < 48; ++i) {
    at += static_cast<std::int64_t>(rng.below(40));
    const std::int64_t sizes[] = {1, 1, 2, 3, 4, 8};
    const std::int64_t gpus = sizes[rng.below(6)];
    const std::size_t pods = rng.below(2) == 0 ? 1 + rng.below(6) : 1;
    kube::Pod pod = *trace::testing::pod_of(1000, gpus);
    pod.metadata.namespace_ = fmt::format("team-{}", rng.below(3));
    if (rng.below(3) == 0) {
      pod.metadata.labels[std::string(kube::kWorkloadPriorityClassLabel)] = fmt::format("p{}", 1 + rng.below(3));
    }
    trace::Work one = trace::testing::work(fmt::format("w{}", i), at, 30 + static_cast<std::int64_t>(rng.below(600)),
                                           std::make_shared<const kube::Pod>(std::move(pod)), pods);
    one.tenant = one.pods.front().pod->metadata.namespace_;
    one.is_gang = pods > 1 && rng.below(2) == 0;
    if (rng.below(10) == 0) one.deleted = Duration::seconds(at + static_cast<std::int64_t>(rng.below(500)));
    works.push_back(std::move(one));
  }
  return works;
}

struct FeasibleRun {
  double gpu_hours = 0;
  Waits waits;
  std::size_t pending = 0;
};

void run_until(const kube::Objects& cluster, std::vector<trace::Work> works, Admission admission,
               std::optional<Duration> until, FeasibleRun& outcome) {
  ListedWorks source(std::move(works));
  ReplayOptions options;
  options.until = until;
  options.policy.queues.admission = admission;
  const Result<Summary> summary = replay(cluster, {}, source, options, outcome.waits);
  ASSERT_TRUE(summary) << summary.error().message;
  outcome.gpu_hours = summary->gpu_hours;
  outcome.pending = summary->all.pending_at_end;
}

std::size_t number_of(const char* name, std::size_t otherwise) {
  const char* const said = std::getenv(name);
  return said == nullptr ? otherwise : static_cast<std::size_t>(std::strtoull(said, nullptr, 10));
}

/// GPU-hours of works within a time in which there is always more to do than there is room for.
TEST(Feasible, NoAdmittedWorkWaitsForNodesAndGpusAreUsedNoLess) {
  const std::size_t first = number_of("LOADLINE_FEASIBLE_FIRST_SEED", 1);
  const std::size_t seeds = number_of("LOADLINE_FEASIBLE_SEEDS", 60);
  double feasible_hours = 0;
  double quota_hours = 0;
  std::size_t loses = 0;
  std::size_t gains = 0;
  std::size_t waits = 0;
  std::size_t admissions = 0;
  for (std::size_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const kube::Objects cluster = random_cluster(rng);
    const std::vector<trace::Work> works = works_of_teams(rng);
    const Duration until = works.back().arrives;
    FeasibleRun feasible;
    FeasibleRun quota;
    run_until(cluster, works, Admission::kFeasible, until, feasible);
    run_until(cluster, works, Admission::kQuota, until, quota);
    EXPECT_THAT(feasible.waits.waited, ::testing::IsEmpty());
    waits += quota.waits.waited.size();
    admissions += feasible.waits.admissions;
    feasible_hours += feasible.gpu_hours;
    quota_hours += quota.gpu_hours;
    loses += feasible.gpu_hours < quota.gpu_hours * (1 - 1e-9) ? 1 : 0;
    gains += feasible.gpu_hours > quota.gpu_hours * (1 + 1e-9) ? 1 : 0;
    if (seed % 8 != 0) continue;
    FeasibleRun whole;  // until nothing is left
    run_until(cluster, works, Admission::kFeasible, std::nullopt, whole);
    EXPECT_THAT(whole.waits.waited, ::testing::IsEmpty());
  }
  EXPECT_GE(feasible_hours, quota_hours);
  fmt::print(
      "{} clusters, {} admissions: {:.1f} GPU-hours, with quota alone {:.1f}, where {} works waited for nodes; "
      "more in {}, less in {}\n",
      seeds, admissions, feasible_hours, quota_hours, waits, gains, loses);
}

}  // namespace
}  // namespace loadline::replay
