#include "app/cli/explain_target.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

using simulator::PodOutcome;

simulator::SimulatedPod subject(const std::string& name_space, const std::string& name,
                                const workloads::WorkloadReference& workload, PodOutcome outcome,
                                const std::string& message = "") {
  simulator::SimulatedPod result;
  result.pod.metadata.namespace_ = name_space;
  result.pod.metadata.name = name;
  result.workload = workload;
  result.outcome = outcome;
  result.message = message;
  return result;
}

class ExplainTargets : public ::testing::Test {
 protected:
  ExplainTargets() {
    const workloads::WorkloadReference web{"Deployment", "a", "web"};
    pods_.add() = subject("a", "web-1", web, PodOutcome::kPlaced);
    pods_.add() = subject("a", "web-2", web, PodOutcome::kPending, "too full");
    pods_.add() = subject("a", "web-3", web, PodOutcome::kPending, "too full");
    pods_.add() = subject("a", "web-4", web, PodOutcome::kRejected, "quota");
    pods_.add() = subject("a", "train", {"Pod", "a", "train"}, PodOutcome::kGated, "gate");
    pods_.add() = subject("b", "train", {"Pod", "b", "train"}, PodOutcome::kRunning);
  }

  std::string ask(const std::string& text, const std::string& name_space = "") {
    const Result<ExplainTarget> target = parse_explain_target(text, name_space);
    if (!target) return target.error().message;
    const Result<std::vector<std::size_t>> chosen = choose_pods(pods_, *target, 10);
    if (!chosen) return chosen.error().message;
    std::string names;
    for (const std::size_t index : *chosen) {
      const kube::ObjectMeta& metadata = pods_[index].pod.metadata;
      names += (names.empty() ? "" : " ") + metadata.namespace_ + "/" + metadata.name;
    }
    return names;
  }

  simulator::SimulatedPods pods_;
};

TEST_F(ExplainTargets, NamesAPod) {
  EXPECT_EQ(ask("pod/web-3"), "a/web-3");
  EXPECT_EQ(ask("web-3"), "a/web-3");
  EXPECT_EQ(ask("po/train", "b"), "b/train");
}

TEST_F(ExplainTargets, OfAWorkloadOnePodForEachReason) {
  EXPECT_EQ(ask("deploy/web"), "a/web-2 a/web-4");
  EXPECT_EQ(ask("deployment.apps/web"), "a/web-2 a/web-4");
  EXPECT_EQ(ask("web"), "a/web-2 a/web-4");
}

TEST_F(ExplainTargets, WithoutANameAllThatWait) {
  EXPECT_EQ(ask(""), "a/web-2 a/web-4 a/train");
  EXPECT_EQ(ask("", "b"), "");
}

TEST_F(ExplainTargets, SaysWhatIsMeantInstead) {
  EXPECT_EQ(ask("train"), "\"train\" is in several namespaces: a, b; choose one with -n");
  EXPECT_EQ(ask("pod/web-33"), "no Pod \"web-33\"; did you mean web-3?");
  EXPECT_EQ(ask("deploy/wbe", "a"), "no Deployment \"wbe\" in namespace a; did you mean web?");
  EXPECT_EQ(ask("pod/web"), "no Pod \"web\"; did you mean deployment/web?");
  EXPECT_EQ(ask("web", "elsewhere"), "no pod is in namespace \"elsewhere\"; there are a, b");
  EXPECT_EQ(ask("depolyment/web"), "there is no kind of workload \"depolyment\"; did you mean \"deployment\"?");
  EXPECT_EQ(ask("pod/"), "\"pod/\" names nothing; write it like pod/web-0");
}

}  // namespace
}  // namespace loadline::cli
