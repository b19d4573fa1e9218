#include "traces/openb.h"

#include <gtest/gtest.h>

#include <map>

#include "foundation/document/reader.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/codec.h"

namespace loadline::traces {
namespace {

kube::Objects read_objects(const OpenbManifests& manifests) {
  std::vector<kube::SourceDocument> documents;
  for (const std::string* text : {&manifests.nodes, &manifests.pods}) {
    document::Reading reading = document::read(*text, "openb.yaml");
    EXPECT_TRUE(reading.problems.empty());
    for (document::Value& value : reading.documents) documents.push_back({std::move(value), "openb.yaml"});
  }
  kube::Decoding decoding = kube::decode(documents);
  EXPECT_FALSE(has_errors(decoding.diagnostics));
  return std::move(decoding.objects);
}

TEST(Openb, TheWholeTraceIsPlannedAndNoNodeIsOvercommitted) {
  const OpenbManifests manifests = openb_manifests(openb_folder());
  if (manifests.pods.empty()) GTEST_SKIP() << "no trace in " << openb_folder() << "; set LOADLINE_OPENB";
  const kube::Objects objects = read_objects(manifests);
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

}  // namespace
}  // namespace loadline::traces
