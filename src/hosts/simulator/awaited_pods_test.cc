#include "hosts/simulator/awaited_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace loadline::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AwaitedPodsTest : public ::testing::Test {
 protected:
  using Order = std::shared_ptr<workloads::CreationOrder>;

  static Order after(std::vector<workloads::Prerequisite> prerequisites, bool one_suffices = false) {
    auto order = std::make_shared<workloads::CreationOrder>();
    order->after = std::move(prerequisites);
    order->one_suffices = one_suffices;
    return order;
  }
  static workloads::Prerequisite task(const std::string& name, std::int64_t pods) {
    return {"task " + name, {{"job", "train"}, {"task", name}}, pods};
  }
  static kube::Pod pod(const std::string& name, const std::string& task = "", const std::string& name_space = "ml") {
    kube::Pod made;
    made.metadata.name = name;
    made.metadata.namespace_ = name_space;
    if (!task.empty()) made.metadata.labels = {{"job", "train"}, {"task", task}};
    return made;
  }
  void await(const std::string& name, const Order& order) { pods_.add({{pod(name), {}}, order}); }
  std::vector<std::string> due() {
    std::vector<std::string> names;
    for (const Arrival& arrival : pods_.take_due()) names.push_back(arrival.pod.metadata.name);
    return names;
  }
  std::vector<std::string> rest() {
    std::vector<std::string> texts;
    for (const AwaitedPods::Uncreated& each : pods_.take_rest()) {
      texts.push_back(each.arrival.pod.metadata.name + " " + each.message);
    }
    return texts;
  }

  AwaitedPods pods_;
};

TEST_F(AwaitedPodsTest, AreCreatedOnceSoManyOfTheOthersHaveNodes) {
  const Order order = after({task("master", 2)});
  await("w-0", order);
  await("w-1", order);
  EXPECT_THAT(due(), IsEmpty());
  pods_.count(pod("m-0", "master"), 1);
  pods_.count(pod("m-0", "master", "another"), 1);
  pods_.count(pod("x", "worker"), 1);
  EXPECT_THAT(due(), IsEmpty());
  pods_.count(pod("m-1", "master"), 1);
  EXPECT_THAT(due(), ElementsAre("w-0", "w-1"));
  EXPECT_THAT(due(), IsEmpty()) << "each is created once";
  EXPECT_THAT(rest(), IsEmpty());
}

TEST_F(AwaitedPodsTest, WaitAgainForThoseThatLeft) {
  await("w", after({task("master", 2)}));
  pods_.count(pod("m-0", "master"), 1);
  pods_.count(pod("m-0", "master"), -1);
  pods_.count(pod("m-1", "master"), 1);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(rest(), ElementsAre("w waits for task master (1 of 2 pods has a node)"));
}

TEST_F(AwaitedPodsTest, WaitForAllOrForOne) {
  await("all", after({task("a", 1), task("b", 1)}));
  await("any", after({task("a", 1), task("b", 1)}, true));
  pods_.count(pod("b-0", "b"), 1);
  EXPECT_THAT(due(), ElementsAre("any"));
  EXPECT_THAT(rest(), ElementsAre("all waits for task a, which has no node"));
}

}  // namespace
}  // namespace loadline::simulator
