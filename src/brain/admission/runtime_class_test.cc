#include "brain/admission/runtime_class.h"

#include <gtest/gtest.h>

#include "objects/kube/core/node.h"

namespace loadline::admission {
namespace {

kube::Toleration toleration(std::string key, kube::TolerationOperator op, std::string value = "") {
  kube::Toleration result;
  result.key = std::move(key);
  result.op = op;
  result.value = std::move(value);
  return result;
}

kube::RuntimeClass vm() {
  kube::RuntimeClass result;
  result.metadata.name = "vm";
  result.handler = "kata";
  result.overhead = {{{"memory", *kube::Quantity::parse("64Mi")}}};
  result.scheduling.emplace();
  result.scheduling->node_selector = {{"vm", "yes"}};
  result.scheduling->tolerations = {toleration("vm", kube::TolerationOperator::kExists)};
  return result;
}

kube::PodSpec of_class(std::string name) {
  kube::PodSpec spec;
  spec.runtime_class_name = std::move(name);
  return spec;
}

kube::Objects with_classes() {
  kube::Objects objects;
  objects.of<kube::RuntimeClass>() = {vm()};
  return objects;
}

TEST(RuntimeClasses, GiveOverheadAndPlacement) {
  const RuntimeClasses classes(with_classes());
  kube::PodSpec spec = of_class("vm");
  spec.tolerations = {toleration("vm", kube::TolerationOperator::kEqual, "1"),
                      toleration("gpu", kube::TolerationOperator::kExists)};
  EXPECT_FALSE(classes.complete(spec));
  EXPECT_EQ(spec.overhead.at("memory").to_string(), "64Mi");
  EXPECT_EQ(spec.node_selector.at("vm"), "yes");
  ASSERT_EQ(spec.tolerations.size(), 2U) << "the pod's own is covered by the class's";
  EXPECT_EQ(spec.tolerations[0].key, "gpu");
  EXPECT_EQ(spec.tolerations[1].op, kube::TolerationOperator::kExists);
  EXPECT_FALSE(classes.review(spec));
}

TEST(RuntimeClasses, RefuseWhatContradictsThem) {
  const RuntimeClasses classes(with_classes());
  kube::PodSpec elsewhere = of_class("vm");
  elsewhere.node_selector = {{"vm", "no"}};
  EXPECT_EQ(classes.complete(elsewhere)->details.front(),
            "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no");
  kube::PodSpec heavier = of_class("vm");
  heavier.overhead = {{"memory", *kube::Quantity::parse("1Gi")}};
  EXPECT_EQ(classes.complete(heavier)->details.front(),
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  kube::PodSpec unnamed;
  unnamed.overhead = heavier.overhead;
  EXPECT_FALSE(classes.complete(unnamed));
  EXPECT_EQ(classes.review(unnamed)->details.front(),
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

TEST(RuntimeClasses, AreMissedWhereTheInputShowsThem) {
  kube::PodSpec spec = of_class("nvidia");
  EXPECT_EQ(RuntimeClasses(with_classes()).complete(spec)->details.front(),
            "pod rejected: RuntimeClass \"nvidia\" not found");
  kube::Objects by_hand;
  by_hand.of<kube::Node>().resize(1);
  EXPECT_TRUE(RuntimeClasses(by_hand).complete(spec)) << "nodes written by hand stand for a whole cluster";

  kube::Objects dump = by_hand;
  dump.of<kube::Node>()[0].metadata.uid = "u";
  EXPECT_FALSE(RuntimeClasses(dump).complete(spec)) << "the dump may have been made without them";
  EXPECT_TRUE(RuntimeClasses(dump).is_unseen(spec));
  dump.of<kube::RuntimeClass>() = {vm()};
  EXPECT_FALSE(RuntimeClasses(dump).complete(spec)) << "a class of the user's own says nothing of the cluster's";
  EXPECT_TRUE(RuntimeClasses(dump).is_unseen(spec));
  kube::Objects dumped_with_them = dump;
  dumped_with_them.of<kube::RuntimeClass>()[0].metadata.uid = "u";
  EXPECT_TRUE(RuntimeClasses(dumped_with_them).complete(spec));
  dump.is_whole_cluster = true;
  EXPECT_TRUE(RuntimeClasses(dump).complete(spec));
}

}  // namespace
}  // namespace loadline::admission
