#include "brain/cluster/facts/resources.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"

namespace loadline::cluster {
namespace {

using testing::quantity;

TEST(ResourceNamesTest, AreScalarAsTheSchedulerSeesThem) {
  struct Case {
    const char* name;
    bool scalar;
  };
  const Case cases[] = {
      {"cpu", false},
      {"memory", false},
      {"ephemeral-storage", false},
      {"pods", false},
      {"storage", false},
      {"nvidia.com/gpu", true},
      {"nvidia.com/mig-1g.5gb", true},
      {"example.com/hugepages-2Mi", true},
      {"hugepages-2Mi", true},
      {"attachable-volumes-aws-ebs", true},
      {"kubernetes.io/something", true},
      {"example.kubernetes.io/device", true},
      {"requests.nvidia.com/gpu", false},  // a quota's name
      {"gpu", false},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(is_scalar_resource(each.name), each.scalar);
  }
}

struct ResourceIndexTest : ::testing::Test {
  SymbolTable symbols;
  ResourceIndex index{symbols};
};

TEST_F(ResourceIndexTest, BeginsWithTheThreeNativeResources) {
  EXPECT_EQ(index.find("cpu"), kCpu);
  EXPECT_EQ(index.find("memory"), kMemory);
  EXPECT_EQ(index.find("ephemeral-storage"), kEphemeralStorage);
  EXPECT_EQ(index.size(), 3U);
  EXPECT_FALSE(index.find("nvidia.com/gpu").valid());
}

TEST_F(ResourceIndexTest, NumbersEachNameOnce) {
  const ResourceId gpu = index.intern("nvidia.com/gpu");
  EXPECT_EQ(index.intern("nvidia.com/gpu"), gpu);
  EXPECT_EQ(index.find("nvidia.com/gpu"), gpu);
  EXPECT_EQ(index.name(gpu), "nvidia.com/gpu");
  symbols.intern("not a resource");
  EXPECT_FALSE(index.find("not a resource").valid());
}

TEST_F(ResourceIndexTest, CountsMilliCpusAndWholeUnitsAndLeavesOutWhatTheSchedulerIgnores) {
  const auto amounts = index.amounts({{"memory", quantity("1Ki")},
                                      {"cpu", quantity("1500m")},
                                      {"nvidia.com/gpu", quantity("2")},
                                      {"ephemeral-storage", quantity("0")},
                                      {"pods", quantity("110")},
                                      {"storage", quantity("1Gi")}});
  const std::vector<ResourceAmount> expected = {{kCpu, 1500}, {kMemory, 1024}, {index.find("nvidia.com/gpu"), 2}};
  EXPECT_EQ(amounts, expected);
}

TEST_F(ResourceIndexTest, RoundsFractionsUp) {
  const auto amounts = index.amounts({{"cpu", quantity("100u")}, {"memory", quantity("1500m")}});
  const std::vector<ResourceAmount> expected = {{kCpu, 1}, {kMemory, 2}};
  EXPECT_EQ(amounts, expected);
}

}  // namespace
}  // namespace loadline::cluster
