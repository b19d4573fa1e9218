#include "brain/capacity/node_template_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadline::capacity {
namespace {

using ::testing::HasSubstr;

NodeTemplate parsed(std::string_view text) {
  const auto nodes = parse_node_template(text);
  EXPECT_TRUE(nodes) << text << ": " << nodes.error().message;
  return nodes.value_or(NodeTemplate());
}

std::string complaint(std::string_view text) {
  const auto nodes = parse_node_template(text);
  return nodes ? "none" : nodes.error().message;
}

TEST(NodeTemplateText, SaysHowManyAndWhatTheyLookLike) {
  EXPECT_EQ(parsed("100"), (NodeTemplate{100, "", NodeShape()}));
  EXPECT_EQ(parsed("0").count, 0U);
  EXPECT_EQ(parsed("4:like=gpu-a"), nodes_like("gpu-a", 4));
  EXPECT_EQ(parsed("4:name=big,like=gpu-a"), (NodeTemplate{4, "big", LikeNode{"gpu-a"}}));
  const NodeTemplate nodes = parsed(
      "20:name=big,cpu=64,memory=256Gi,storage=1Ti,pods=50,gpu=H100:4,device-plugin=required,instance-type=p5,"
      "capacity-type=spot,arch=arm64,label=team=ml,label=empty,taint=spot=true:NoSchedule,taint=old:NoExecute");
  EXPECT_EQ(nodes.count, 20U);
  EXPECT_EQ(nodes.name, "big");
  ASSERT_NE(nodes.shape(), nullptr);
  EXPECT_EQ(nodes.like(), nullptr);
  const NodeShape& shape = *nodes.shape();
  EXPECT_EQ(shape.capacity.at("cpu").value(), 64);
  EXPECT_EQ(shape.capacity.at("ephemeral-storage").value(), std::int64_t{1} << 40);
  EXPECT_EQ(shape.gpu, find_gpu_model("h100"));
  EXPECT_EQ(shape.gpus, 4);
  EXPECT_TRUE(shape.needs_device_plugin);
  EXPECT_EQ(shape.capacity_type, "spot");
  EXPECT_EQ(shape.arch, "arm64");
  EXPECT_EQ(shape.labels, (kube::StringMap{{"empty", ""}, {"team", "ml"}}));
  ASSERT_EQ(shape.taints.size(), 2U);
  EXPECT_EQ(shape.taints[0], (kube::Taint{"spot", "true", kube::TaintEffect::kNoSchedule, std::nullopt}));
  EXPECT_EQ(shape.taints[1], (kube::Taint{"old", "", kube::TaintEffect::kNoExecute, std::nullopt}));
}

TEST(NodeTemplateText, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("many"), "\"many\": begin with a number of nodes, at most 200000");
  EXPECT_EQ(complaint(""), "\"\": begin with a number of nodes, at most 200000");
  EXPECT_EQ(complaint("-1"), "\"-1\": begin with a number of nodes, at most 200000");
  EXPECT_EQ(complaint("200001"), "\"200001\": begin with a number of nodes, at most 200000");
  EXPECT_THAT(
      complaint("3:instance-type=g4dn.xlage"),
      HasSubstr("the size of instance type \"g4dn.xlage\" is not known here (did you mean \"g4dn.xlarge\"?); say "
                "cpu, memory and gpu, too"));
  EXPECT_THAT(complaint("3:gpu=a9000"), HasSubstr("\"a9000\" is no GPU known here: a10, a10g, a100"));
  EXPECT_THAT(complaint("3:gpu=a100:0"), HasSubstr("a node has 1 to 1024 GPUs"));
  EXPECT_EQ(complaint("3:"), "\"\" is not KEY=VALUE");
  EXPECT_EQ(complaint("3:cpu"), "\"cpu\" is not KEY=VALUE");
  EXPECT_EQ(complaint("3:cpu=fast"), "\"fast\" is no amount of cpu");
  EXPECT_EQ(complaint("3:storage=-1"), "\"-1\" is no amount of ephemeral-storage");
  EXPECT_EQ(complaint("3:name=Big"), "\"Big\" cannot begin the names of nodes");
  EXPECT_EQ(complaint("3:label=a b=c"), "\"a b=c\" is no label: write label=KEY=VALUE");
  EXPECT_EQ(complaint("3:arch=a b"), "\"a b\" is no label value");
  EXPECT_EQ(complaint("3:capacity-type=cheap"), "capacity-type is spot or on-demand, not \"cheap\"");
  EXPECT_EQ(complaint("3:device-plugin=no"), "device-plugin can only be \"required\", not \"no\"");
  EXPECT_THAT(complaint("3:taint=x"), HasSubstr("is no taint"));
  EXPECT_THAT(complaint("3:taint=a b:NoSchedule"), HasSubstr("its key or value is not valid"));
  EXPECT_THAT(complaint("3:disk=1"), HasSubstr("\"disk\" says nothing about nodes"));
  EXPECT_EQ(complaint("3:like=a,cpu=4"),
            "like=a says what the nodes look like, so cpu cannot go with it; only name can");
  EXPECT_THAT(complaint("3:taint=x:NoSchedule,like=a"), HasSubstr("so taint cannot go with it"));
}

TEST(NodeTemplateText, WritesWhatItReads) {
  for (const std::string_view settings :
       {"like=gpu-a", "name=big,like=gpu-a", "gpu=a100:8", "arch=arm64",
        "name=big,gpu=h100:4,cpu=64,memory=256Gi,storage=1Ti,pods=50,device-plugin=required,instance-type=p5,"
        "capacity-type=spot,arch=arm64,label=empty=,label=team=ml,taint=spot=true:NoSchedule,taint=old:NoExecute"}) {
    EXPECT_EQ(settings_text(parsed("2:" + std::string(settings))), settings);
  }
  EXPECT_EQ(settings_text(parsed("2")), "");
  EXPECT_EQ(settings_text(parsed("2:gpu=A100,memory=1024Mi,arch=amd64")), "gpu=a100:1,memory=1Gi");
}

}  // namespace
}  // namespace loadline::capacity
