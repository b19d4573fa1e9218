#include "hosts/simulator/intake.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace loadline::simulator {
namespace {

TEST(IntakeTest, WarnsOfQuotasThatLimitNothing) {
  kube::Objects objects;
  kube::ResourceQuota& quota = objects.of<kube::ResourceQuota>().emplace_back();
  quota.metadata.name = "team";
  quota.metadata.namespace_ = "ml";
  quota.metadata.source = {std::make_shared<const std::string>("quota.yaml"), 3, 1};
  for (const char* resource : {"limits.nvidia.com/gpu", "requests.nvidia.com/gpu", "limits.cpu"}) {
    quota.hard.emplace(resource, kube::Quantity::of(8));
  }
  admission::Admission admission(objects);
  const Intake intake = take_in(objects, admission, {});
  ASSERT_EQ(intake.notes.size(), 1U);
  EXPECT_EQ(intake.notes[0].to_string(),
            "quota.yaml:3:1: warning: ResourceQuota ml/team: spec.hard[limits.nvidia.com/gpu]: limits nothing: quotas "
            "count extended resources as requests only (write requests.nvidia.com/gpu)");
}

}  // namespace
}  // namespace loadline::simulator
