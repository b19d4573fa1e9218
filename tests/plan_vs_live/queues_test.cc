// `plan` and the live cluster let the same jobs start, with the same flavors, and give those that wait the same
// reasons, where Kueue's queues decide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "foundation/document/at.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/simulator/planning.h"
#include "objects/kube/codec.h"
#include "objects/kube/condition.h"
#include "simulation/queue_drafts.h"

namespace loadline::plan_vs_live {
namespace {

using cluster::testing::number_of;
using document::Value;
using embedded::testing::ClusterTest;
using embedded::testing::yaml;

constexpr std::int64_t kQueuesStart = 1'767'225'600;
constexpr Duration kUntilSettled = Duration::seconds(400);

/// Queues and jobs at random: few sizes, so that borders are met. A job that has started stays: how long a victim takes
/// to leave, a plan does not know.
class QueuesWorld {
 public:
  explicit QueuesWorld(std::uint64_t seed) : random_(seed) {
    flavors_ = pick(1, 2);
    for (int i = 0; i < pick(2, 4); ++i) {
      Value node = embedded::testing::node(fmt::format("n{}", i), 8);
      const std::string pool = fmt::format("f{}", i % flavors_);
      nodes.push_back(document::with_at(std::move(node), {"metadata", "labels", "pool"}, Value(pool)));
    }
    for (int i = 0; i < flavors_; ++i) {
      const std::string name = fmt::format("f{}", i);
      flavors.push_back(simulation::flavor_manifest(name, "pool", name));
    }
    queues_ = pick(1, 4);
    for (int i = 0; i < queues_; ++i) add_queue(i);
    const int count = pick(3, 12);
    for (int i = 0; i < count; ++i) add_job(i);
  }

  std::vector<Value> nodes;
  std::vector<std::string> flavors;
  std::vector<std::string> queues;
  std::vector<std::string> local_queues;
  std::vector<std::string> jobs;

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void add_queue(int number) {
    simulation::ClusterQueueDraft queue{.name = fmt::format("q{}", number)};
    if (chance(70)) queue.cohort = fmt::format("c{}", pick(0, 1));
    for (int i = 0; i < flavors_; ++i) {
      const int nominal = pick(0, 8);
      simulation::QuotaDraft quota{"nvidia.com/gpu", std::to_string(nominal)};
      if (!queue.cohort.empty() && chance(30)) quota.borrowing = std::to_string(pick(0, 4));
      if (!queue.cohort.empty() && chance(30)) quota.lending = std::to_string(pick(0, nominal));
      queue.flavors.push_back({fmt::format("f{}", i), {std::move(quota)}});
    }
    queue.tries_next_before_borrowing = chance(50);
    queue.is_strict = chance(40);
    queues.push_back(queue.manifest());
    local_queues.push_back(simulation::local_queue_manifest("default", fmt::format("l{}", number), queue.name));
  }

  void add_job(int number) {
    const std::string created = format_rfc3339(Instant{} + Duration::seconds(kQueuesStart + 1 + number));
    std::string labels = fmt::format("kueue.x-k8s.io/queue-name: l{}", pick(0, queues_ - 1));
    if (chance(40)) labels += fmt::format(", kueue.x-k8s.io/priority-class: {}", chance(50) ? "low" : "high");
    const std::string selector = chance(20) ? fmt::format("nodeSelector: {{pool: f{}}}, ", pick(0, flavors_ - 1)) : "";
    const int pods = pick(1, 6);
    const std::string fewer = pods > 1 && chance(25)
                                  ? fmt::format(", annotations: {{kueue.x-k8s.io/job-min-parallelism: '{}'}}", pods / 2)
                                  : "";
    jobs.push_back(fmt::format(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: j{:02}, namespace: default, creationTimestamp: '{}', "
        "labels: "
        "{{{}}}{}}}, spec: {{suspend: true, parallelism: {}, completions: {}, template: {{metadata: {{annotations: "
        "{{loadline.dev/run-time: forever}}}}, spec: {{restartPolicy: Never, {}containers: [{{name: main, image: "
        "train, "
        "resources: {{limits: {{nvidia.com/gpu: {}}}}}}}]}}}}}}}}",
        number, created, labels, fewer, pods, pods, selector, pick(1, 2)));
  }

  std::mt19937_64 random_;
  int flavors_ = 1;
  int queues_ = 1;
};

std::vector<std::string> workload_classes() {
  return {simulation::priority_class_manifest("low", -5), simulation::priority_class_manifest("high", 5)};
}

/// How a job stands, by name: "f0 ×4" or why it waits.
using Standing = std::map<std::string, std::string>;

/// No round has come to it: a plan says behind how many it is, and its Workload what was said before queues began.
constexpr std::string_view kNotConsidered = "behind others";

Standing planned(const QueuesWorld& world) {
  std::vector<kube::SourceDocument> documents;
  for (const Value& node : world.nodes) documents.push_back({node, "world"});
  for (const std::string& text : workload_classes()) documents.push_back({yaml(text), "world"});
  for (const auto* texts : {&world.flavors, &world.queues, &world.local_queues, &world.jobs}) {
    for (const std::string& text : *texts) documents.push_back({yaml(text), "world"});
  }
  const kube::Decoding decoding = kube::decode(documents);
  for (const Diagnostic& diagnostic : decoding.diagnostics) ADD_FAILURE() << diagnostic.to_string();
  simulator::PlanOptions options;
  options.now = Instant{} + Duration::seconds(kQueuesStart + 100);
  const simulator::Plan plan = std::move(*simulator::Planning::make(decoding.objects, {}, options))->plan();
  Standing standing;
  for (const simulator::PlannedQueuedWorkload& each : plan.queued) {
    std::string& text = standing[each.job.name];
    text = each.message.starts_with("waits in ClusterQueue") ? kNotConsidered : each.message;
    if (each.outcome != simulator::QueuedOutcome::kAdmitted) continue;
    std::size_t pods = 0;
    for (const simulator::PlannedPod& pod : plan.pods) pods += pod.workload.name == each.job.name ? 1 : 0;
    text = fmt::format("{} ×{}", each.flavors.front(), pods);
  }
  return standing;
}

class QueuesAgree : public ClusterTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  static kube::ResourceReference kueue(const std::string& plural) {
    return simulation::kueue_resource(plural, plural == "localqueues" ? "default" : "");
  }

  /// All wait until the flavors come, with which all queues begin to admit at once.
  Standing lived(const QueuesWorld& world) {
    start(world.nodes);
    for (const std::string& text : workload_classes()) apply(kueue("workloadpriorityclasses"), text);
    for (const std::string& text : world.queues) apply(kueue("clusterqueues"), text);
    for (const std::string& text : world.local_queues) apply(kueue("localqueues"), text);
    for (const std::string& text : world.jobs) {
      loop_.advance(Duration::seconds(1));
      apply({"batch", "v1", "jobs", "default"}, text);
    }
    for (const std::string& text : world.flavors) {
      client_->create(kueue("resourceflavors"), yaml(text),
                      [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    }
    loop_.advance(kUntilSettled);
    loop_.run_until_idle();
    std::map<std::string, std::size_t> pods;
    for (const Value& pod : list({"", "v1", "pods"})) {
      ++pods[std::string(document::text_at(pod, {"metadata", "labels", "batch.kubernetes.io/job-name"}))];
    }
    Standing standing;
    for (const Value& workload : list({"kueue.x-k8s.io", "v1beta2", "workloads"})) {
      const Value& owner = document::items_at(workload, {"metadata", "ownerReferences"}).at(0);
      const std::string job(document::text_at(owner, {"name"}));
      const document::Array& sets = document::items_at(workload, {"status", "admission", "podSetAssignments"});
      if (kube::has_true_condition(workload, "Admitted")) {
        standing[job] = fmt::format("{} ×{}", document::text_at(sets.at(0), {"flavors", "nvidia.com/gpu"}), pods[job]);
        continue;
      }
      for (const Value& condition : document::items_at(workload, {"status", "conditions"})) {
        if (document::text_at(condition, {"type"}) == "QuotaReserved") {
          const std::string_view message = document::text_at(condition, {"message"});
          standing[job] = message.ends_with("is inactive") ? kNotConsidered : message;
        }
      }
    }
    return standing;
  }
};

TEST_P(QueuesAgree, TheSameJobsStartWithTheSameFlavors) {
  const QueuesWorld world(GetParam());
  std::string story;
  for (const auto* texts : {&world.flavors, &world.queues, &world.local_queues, &world.jobs}) {
    for (const std::string& text : *texts) story += text + "\n";
  }
  const Standing in_plan = planned(world);
  const Standing in_cluster = lived(world);
  EXPECT_EQ(in_plan.size(), in_cluster.size()) << story;
  for (const auto& [job, standing] : in_plan) {
    const auto found = in_cluster.find(job);
    EXPECT_EQ(standing, found == in_cluster.end() ? "no Workload" : found->second) << job << " of\n" << story;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueuesAgree,
                         ::testing::Range<std::uint64_t>(number_of("LOADLINE_QUEUES_AGREE_FIRST_SEED", 1),
                                                         number_of("LOADLINE_QUEUES_AGREE_FIRST_SEED", 1) +
                                                             number_of("LOADLINE_QUEUES_AGREE_SEEDS", 60)));

}  // namespace
}  // namespace loadline::plan_vs_live
