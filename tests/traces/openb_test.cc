#include "traces/openb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "hosts/simulator/plan.h"
#include "hosts/trace/openb.h"

namespace loadline::traces {
namespace {

TEST(Openb, TheWholeTraceIsPlannedAndNoNodeIsOvercommitted) {
  const kube::Objects objects = openb_objects(openb_folder());
  if (objects.of<kube::Pod>().empty()) GTEST_SKIP() << "no trace in " << openb_folder() << "; set LOADLINE_OPENB";
  EXPECT_EQ(objects.of<kube::Node>().size(), 1523u);
  EXPECT_EQ(objects.of<kube::Pod>().size(), 8152u);

  const auto plan = simulator::make_plan(objects, {}, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->pods.size(), objects.of<kube::Pod>().size());
  std::map<simulator::PodOutcome, std::size_t> outcomes;
  for (const simulator::PlannedPod& pod : plan->pods) ++outcomes[pod.outcome];
  EXPECT_EQ(outcomes[simulator::PodOutcome::kPlaced] + outcomes[simulator::PodOutcome::kPending],
            objects.of<kube::Pod>().size());

  std::int64_t free_gpus = 0;
  for (const simulator::PlannedNode& node : plan->nodes) {
    EXPECT_LE(static_cast<std::int64_t>(node.pods.size()), node.allowed_pods) << node.name;
    for (const auto& [name, resource] : node.resources) {
      EXPECT_LE(resource.requested, resource.allocatable) << node.name << ' ' << name;
      if (name == "nvidia.com/gpu") free_gpus += (resource.allocatable - resource.requested).value();
    }
  }
  // The trace asks for more whole GPUs than there are, so next to none may stay free.
  EXPECT_LT(free_gpus, 100);
  EXPECT_GT(outcomes[simulator::PodOutcome::kPlaced], 7000u);
}

/// What a pod list of the trace comes to.
struct Totals {
  std::size_t works = 0;
  std::int64_t gpus = 0;
  std::int64_t cpu_milli = 0;
  Duration last_arrival;
  Duration last_deletion;
  std::map<std::string, std::size_t> of_class;
};

Totals add_up(trace::WorkSource& source, const std::string& gpus) {
  Totals totals;
  while (const auto work = source.next().value()) {
    ++totals.works;
    EXPECT_GE(work->arrives, totals.last_arrival) << work->name;
    totals.last_arrival = work->arrives;
    totals.last_deletion = std::max(totals.last_deletion, work->deleted.value_or(Duration{}));
    ++totals.of_class[work->work_class];
    const kube::ResourceList& requests = work->pods.front().pod->spec->containers.front().resources.requests;
    totals.cpu_milli += requests.at("cpu").milli_value();
    if (const auto found = requests.find(gpus); found != requests.end()) totals.gpus += found->second.value();
  }
  return totals;
}

TEST(Openb, ThePublishedListAddsUpToWhatItsAuthorsSay) {
  const std::string file = openb_folder() + "/openb_pod_list_default.csv";
  const auto whole = trace::open_openb(file);
  if (!whole) GTEST_SKIP() << whole.error().message << "; set LOADLINE_OPENB";
  const Totals totals = add_up(**whole, "nvidia.com/gpu");
  EXPECT_EQ(totals.works, 8152u);
  EXPECT_EQ(totals.gpus, 6989 + 2 * 16 + 4 * 15 + 8 * 44);
  EXPECT_EQ(totals.cpu_milli, 85'436'012);
  EXPECT_EQ(totals.last_arrival, Duration::seconds(12'901'761));
  EXPECT_EQ(totals.last_deletion, Duration::seconds(12'902'960));
  const std::map<std::string, std::size_t> classes = {
      {"LS", 4647}, {"BE", 3398}, {"Burstable", 100}, {"Guaranteed", 7}};
  EXPECT_EQ(totals.of_class, classes);

  const auto pooled = trace::open_openb(file, {trace::GpuShares::kPooled});
  EXPECT_EQ(add_up(**pooled, "loadline.dev/gpu-milli").gpus, 6'086'800);
}

TEST(Openb, EveryPublishedListAndNodeListIsRead) {
  std::size_t lists = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(openb_folder(), none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("openb_pod_list_")) continue;
    const auto works = trace::open_openb(entry.path().string());
    ASSERT_TRUE(works) << works.error().message;
    const Totals totals = add_up(**works, "nvidia.com/gpu");
    EXPECT_GT(totals.works, 6000u) << name;
    EXPECT_EQ(totals.last_deletion > Duration{}, !name.starts_with("openb_pod_list_multigpu")) << name;
    ++lists;
  }
  if (lists == 0) GTEST_SKIP() << "no trace in " << openb_folder() << "; set LOADLINE_OPENB";
  EXPECT_GE(lists, 23u);

  const auto with_gpus = trace::read_openb_nodes(openb_folder() + "/openb_node_list_gpu_node.csv");
  ASSERT_TRUE(with_gpus) << with_gpus.error().message;
  EXPECT_EQ(with_gpus->size(), 1213u);
  std::int64_t gpus = 0;
  for (const kube::Node& node : *with_gpus) gpus += node.allocatable.at("nvidia.com/gpu").value();
  EXPECT_EQ(gpus, 6212);
}

}  // namespace
}  // namespace loadline::traces
