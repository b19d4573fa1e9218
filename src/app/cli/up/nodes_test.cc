#include "app/cli/up/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"

namespace loadline::cli {
namespace {

using document::Object;
using document::Value;
using ::testing::ElementsAre;

class ChosenNodesTest : public ::testing::Test {
 protected:
  UpArguments arguments_;
  std::vector<Value> of_files_;
  embedded::ClusterOptions options_;

  ChosenNodesTest() { options_.runs_pods = true; }

  void add_file_node(const std::string& name) {
    const Value cpu(Object{{"cpu", Value("3"), {}}});
    of_files_.emplace_back(Object{{"kind", Value("Node"), {}},
                                  {"metadata", Value(Object{{"name", Value(name), {}}}), {}},
                                  {"status", Value(Object{{"capacity", cpu, {}}}), {}}});
  }

  std::string complaint() {
    const Result<void> chosen = choose_nodes(arguments_, of_files_, {}, options_);
    return chosen ? "" : chosen.error().message;
  }

  std::vector<std::string> names() {
    EXPECT_EQ(complaint(), "");
    std::vector<std::string> names;
    for (const Value& node : options_.nodes) names.emplace_back(document::text_at(node, {"metadata", "name"}));
    return names;
  }
};

TEST_F(ChosenNodesTest, AreAFewIfTheUserNamesNone) {
  EXPECT_THAT(names(), ElementsAre("node-1", "node-2", "gpu-a100-1", "gpu-a100-2"));
  EXPECT_TRUE(options_.nodes_only_if_empty);
}

TEST_F(ChosenNodesTest, AreThoseOfTheUserWithTheGpus) {
  arguments_.nodes = {"1", "1:gpu=l4:2", "1:like=gpu-l4-1"};
  arguments_.gpu = "h100:8";
  EXPECT_THAT(names(), ElementsAre("gpu-h100-1", "gpu-l4-1", "gpu-l4-1-added-1"));
  EXPECT_EQ(document::text_at(options_.nodes[2], {"status", "allocatable", "nvidia.com/gpu"}), "2");
}

TEST_F(ChosenNodesTest, MayBeLikeThoseOfFiles) {
  add_file_node("mine");
  add_file_node("node-1");
  arguments_.nodes = {"1:like=mine", "1"};
  EXPECT_THAT(names(), ElementsAre("mine-added-1", "node-2", "mine", "node-1"));
  EXPECT_EQ(document::text_at(options_.nodes[0], {"status", "allocatable", "cpu"}), "3");
}

TEST_F(ChosenNodesTest, SayWhichNodeIsNotThere) {
  arguments_.nodes = {"4:like=node-a"};
  EXPECT_EQ(complaint(),
            "--nodes: there is no node \"node-a\": there are no nodes; nodes can be like one of the files, or of a "
            "--nodes before");
  add_file_node("node-b");
  EXPECT_THAT(complaint(), ::testing::HasSubstr("there is no node \"node-a\"; did you mean \"node-b\"?"));
  arguments_.nodes = {"4:gpu=a9"};
  EXPECT_THAT(complaint(), ::testing::HasSubstr("\"a9\" is no GPU known here"));
}

}  // namespace
}  // namespace loadline::cli
