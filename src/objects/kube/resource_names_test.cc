#include "objects/kube/resource_names.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::kube {
namespace {

TEST(ResourceNamesTest, ToldApartAsUpstreamDoes) {
  struct Case {
    std::string name;
    bool native;
    bool extended;
    bool overcommit;
  };
  const Case cases[] = {
      {"cpu", true, false, true},
      {"gpu", true, false, true},
      {"hugepages-2Mi", true, false, false},
      {"kubernetes.io/something", true, false, true},
      {"example.kubernetes.io/device", true, false, true},
      {"nvidia.com/gpu", false, true, false},
      {"nvidia.com/mig-1g.5gb", false, true, false},
      {"example.com/hugepages-2Mi", false, true, false},
      {"limits.nvidia.com/gpu", false, true, false},
      {"requests.nvidia.com/gpu", false, false, false},
      {"nvidia.com/", false, false, false},
      {"/gpu", false, false, false},
      {"nvidia.com/gpu/0", false, false, false},
      {"NVIDIA.com/gpu", false, false, false},
      {"nvidia.com/" + std::string(63, 'g'), false, true, false},
      {"nvidia.com/" + std::string(64, 'g'), false, false, false},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(is_native_resource(each.name), each.native);
    EXPECT_EQ(is_extended_resource(each.name), each.extended);
    EXPECT_EQ(is_overcommit_allowed(each.name), each.overcommit);
  }
}

}  // namespace
}  // namespace loadline::kube
