#include "hosts/advice/explain.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

TEST(Explain, ReportsNoProgressOfWhatItTries) {
  kube::Objects objects;
  objects.nodes = {node("a").allocatable("cpu", "4").cordoned()};
  objects.pods = {pod("waits").request("cpu", "1")};
  std::size_t reports = 0;
  simulator::PlanOptions options;
  options.progress = [&](std::size_t, std::size_t) { ++reports; };
  const auto planning = std::move(*simulator::Planning::make(objects, {}, options));
  const std::size_t of_the_plan = reports;
  EXPECT_FALSE(explain(*planning, 0, Trying::kByPlan).suggestions.empty());
  EXPECT_EQ(reports, of_the_plan) << "the observer of the plan's progress may be gone";
}

}  // namespace
}  // namespace loadline::advice
