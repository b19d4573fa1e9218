#include "hosts/simulator/node_choice.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"

namespace loadline::simulator {
namespace {

using cluster::testing::node;

std::vector<kube::Node> nodes() {
  return {node("gpu-a").label("pool", "gpu"), node("gpu-b").label("pool", "gpu").label("spot", "true"),
          node("cpu-a").label("pool", "cpu")};
}

std::vector<std::size_t> chosen(std::string_view text) {
  const auto result = choose_nodes(text, nodes());
  return result ? *result : std::vector<std::size_t>{99};
}

std::string error(std::string_view text) {
  const auto result = choose_nodes(text, nodes());
  return result ? "" : result.error().message;
}

TEST(NodeChoice, ReadsNamesGlobsAndSelectors) {
  using Indices = std::vector<std::size_t>;
  EXPECT_EQ(chosen("cpu-a"), (Indices{2}));
  EXPECT_EQ(chosen("cpu-a, gpu-a,cpu-a"), (Indices{0, 2}));
  EXPECT_EQ(chosen("gpu-*"), (Indices{0, 1}));
  EXPECT_EQ(chosen("*-a"), (Indices{0, 2}));
  EXPECT_EQ(chosen("?pu-b,cpu-*"), (Indices{1, 2}));
  EXPECT_EQ(chosen("*"), (Indices{0, 1, 2}));
  EXPECT_EQ(chosen("pool=gpu"), (Indices{0, 1}));
  EXPECT_EQ(chosen("pool=gpu,!spot"), (Indices{0}));
  EXPECT_EQ(chosen("pool in (cpu,tpu)"), (Indices{2}));
  EXPECT_EQ(chosen("pool notin (gpu)"), (Indices{2}));
}

TEST(NodeChoice, StarsGoBackToTheLastOneOnly) {
  const std::vector<kube::Node> all = {node("aaab"), node("abab"), node("b")};
  EXPECT_EQ(*choose_nodes("*ab", all), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(*choose_nodes("a*b*", all), (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(choose_nodes("a*c", all));
}

TEST(NodeChoice, SaysWhatWasMeant) {
  EXPECT_EQ(error("gpu-aa"), "there is no node \"gpu-aa\"; did you mean \"gpu-a\"?");
  EXPECT_EQ(error("warehouse"), "there is no node \"warehouse\"; there is \"gpu-a\" and 2 more");
  EXPECT_EQ(error("tpu-*"), "no node's name matches \"tpu-*\"");
  EXPECT_EQ(error("pool=tpu"), "no node matches the label selector \"pool=tpu\"");
  EXPECT_EQ(error("  "), "no node is named");
  EXPECT_NE(error("pool in gpu"), "");
}

}  // namespace
}  // namespace loadline::simulator
