#include "hosts/advice/lint/contradictions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace loadline::advice::lint {
namespace {

using enum kube::NodeSelectorOperator;
using Requirement = kube::NodeSelectorRequirement;

/// A pod that requires one term of these, beside a node selector.
struct Required {
  kube::ObjectMeta metadata;
  JudgedWorkload workload;

  explicit Required(std::vector<std::vector<Requirement>> terms, kube::StringMap selector = {}) {
    kube::PodSpec spec;
    spec.node_selector = std::move(selector);
    kube::NodeSelector required;
    for (std::vector<Requirement>& expressions : terms) {
      kube::NodeSelectorTerm term;
      term.match_expressions = std::move(expressions);
      required.terms.push_back(std::move(term));
    }
    kube::NodeAffinity node;
    node.required = std::move(required);
    spec.affinity.emplace().node = std::move(node);
    workload.kind = "Pod";
    workload.metadata = &metadata;
    workload.written = std::make_shared<const kube::PodSpec>(std::move(spec));
  }
};

bool contradicts(std::vector<Requirement> requirements) {
  return contradiction_of(Required({std::move(requirements)}).workload).has_value();
}

TEST(Contradictions, OfTwoRequirementsOnOneLabel) {
  EXPECT_TRUE(contradicts({{"gpu", kIn, {"a"}}, {"gpu", kIn, {"b", "c"}}}));
  EXPECT_FALSE(contradicts({{"gpu", kIn, {"a", "b"}}, {"gpu", kIn, {"b", "c"}}}));
  EXPECT_TRUE(contradicts({{"gpu", kIn, {"a", "b"}}, {"gpu", kNotIn, {"b", "a"}}}));
  EXPECT_FALSE(contradicts({{"gpu", kNotIn, {"a"}}, {"gpu", kIn, {"a", "b"}}}));
  EXPECT_TRUE(contradicts({{"gpu", kExists, {}}, {"gpu", kDoesNotExist, {}}}));
  EXPECT_TRUE(contradicts({{"gpu", kDoesNotExist, {}}, {"gpu", kGt, {"1"}}}));
  EXPECT_FALSE(contradicts({{"gpu", kDoesNotExist, {}}, {"gpu", kNotIn, {"a"}}}));  // NotIn holds without the label
  EXPECT_FALSE(contradicts({{"gpu", kIn, {"a"}}, {"cpu", kIn, {"b"}}}));
}

TEST(Contradictions, OfRanges) {
  EXPECT_TRUE(contradicts({{"count", kGt, {"7"}}, {"count", kLt, {"4"}}}));
  EXPECT_TRUE(contradicts({{"count", kGt, {"7"}}, {"count", kLt, {"8"}}}));  // nothing between
  EXPECT_FALSE(contradicts({{"count", kGt, {"7"}}, {"count", kLt, {"9"}}}));
  EXPECT_FALSE(contradicts({{"count", kGt, {"7"}}, {"count", kGt, {"9"}}}));
  EXPECT_FALSE(contradicts({{"count", kGt, {"seven"}}, {"count", kLt, {"4"}}}));  // validation's to judge
  EXPECT_FALSE(contradicts({{"count", kGt, {"9223372036854775807"}}, {"count", kLt, {"4"}}}));
}

TEST(Contradictions, OneTermThatCanBeMetIsEnough) {
  const std::vector<Requirement> hopeless = {{"gpu", kIn, {"a"}}, {"gpu", kIn, {"b"}}};
  const std::vector<Requirement> fine = {{"gpu", kIn, {"a"}}};
  EXPECT_TRUE(contradiction_of(Required({hopeless, hopeless}).workload));
  EXPECT_FALSE(contradiction_of(Required({hopeless, fine}).workload));
}

TEST(Contradictions, TheNodeSelectorHoldsForEveryTerm) {
  const Required pod({{{"gpu", kIn, {"a"}}}, {{"gpu", kNotIn, {"b"}}}}, {{"gpu", "b"}});
  const auto found = contradiction_of(pod.workload);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path,
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
            "matchExpressions[0]");
  EXPECT_NE(found->message.find("spec.nodeSelector[gpu]"), std::string::npos);
}

}  // namespace
}  // namespace loadline::advice::lint
