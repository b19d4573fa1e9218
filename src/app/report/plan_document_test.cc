#include "app/report/plan_document.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using document::Value;

const Value& at(const Value& value, std::initializer_list<const char*> path) {
  const Value* current = &value;
  for (const char* key : path) {
    current = current->find(key);
    if (current == nullptr) throw std::out_of_range(key);
  }
  return *current;
}

TEST(PlanDocument, NamesItsKindAndVersion) {
  const Value plan = plan_document(testing::example_plan());
  EXPECT_EQ(at(plan, {"apiVersion"}).string(), "loadline/v1alpha1");
  EXPECT_EQ(at(plan, {"kind"}).string(), "Plan");
}

TEST(PlanDocument, SumsUpWhichPodsWaitAndWhy) {
  const Value plan = plan_document(testing::example_plan());
  EXPECT_EQ(at(plan, {"summary", "pods", "pending"}).integer(), 2);
  EXPECT_FALSE(at(plan, {"summary", "allPlaced"}).boolean());
  const document::Array& waiting = at(plan, {"summary", "waiting"}).array();
  ASSERT_EQ(waiting.size(), 3U);  // train, etl and later; the preempted notebook does not wait
  EXPECT_EQ(at(waiting[0], {"workload", "name"}).string(), "train");
  EXPECT_EQ(at(waiting[0], {"pods"}).integer(), 2);
  EXPECT_EQ(at(waiting[0], {"reasons"}).array().size(), 2U);
}

TEST(PlanDocument, TellsEachPodsDevices) {
  const Value plan = plan_document(testing::example_plan());
  const document::Array& pods = at(plan, {"pods"}).array();
  ASSERT_EQ(pods.size(), 10U);
  const document::Array& held = at(pods[4], {"devices", "nvidia.com/gpu"}).array();
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[1].integer(), 1);
  EXPECT_EQ(pods[0].find("devices"), nullptr);
  EXPECT_EQ(at(pods[4], {"afterSeconds"}).integer(), 30);
}

TEST(PlanDocument, TellsEachNodesPodsAndFreeDevices) {
  const Value plan = plan_document(testing::example_plan());
  const Value& node = at(plan, {"nodes"}).array()[1];
  EXPECT_EQ(at(node, {"pods"}).array()[0].string(), "ml/train-0");
  const document::Array& slots = at(node, {"devices", "nvidia.com/gpu"}).array();
  EXPECT_EQ(slots[0].string(), "ml/train-0");
  EXPECT_TRUE(slots[3].is_null());
}

TEST(PlanDocument, OfANamespaceHasItsPodsAndEveryNode) {
  const Value plan = plan_document(testing::example_plan(), Scope{"elsewhere"});
  EXPECT_TRUE(at(plan, {"pods"}).array().empty());
  EXPECT_EQ(at(plan, {"nodes"}).array().size(), 3U);
}

TEST(PlanDocument, NamesRefusedObjectsAndWorkloadsThatWantNoPods) {
  simulator::Plan source = testing::example_plan();
  source.refused = {{{"PersistentVolumeClaim", "ml", "data"}, "too large"}};
  source.idle = {{"DaemonSet", "ml", "agent"}};
  const Value plan = plan_document(source);
  const document::Array& refused = at(plan, {"refused"}).array();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(at(refused[0], {"kind"}).string(), "PersistentVolumeClaim");
  EXPECT_EQ(at(refused[0], {"namespace"}).string(), "ml");
  EXPECT_EQ(at(refused[0], {"name"}).string(), "data");
  EXPECT_EQ(at(refused[0], {"message"}).string(), "too large");
  EXPECT_EQ(at(at(plan, {"idleWorkloads"}).array()[0], {"name"}).string(), "agent");
  EXPECT_TRUE(at(plan_document(source, Scope{"elsewhere"}), {"refused"}).array().empty());
}

}  // namespace
}  // namespace loadline::report
