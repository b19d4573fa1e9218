#include <gtest/gtest.h>

#include "app/report/edit_text.h"
#include "app/report/group_obstacle_text.h"
#include "app/report/suggestion_text.h"

namespace loadline::report {
namespace {

using advice::GroupObstacle;
using placement::ReasonKind;

GroupObstacle lacking(std::int64_t needs, std::int64_t has, std::int64_t of) {
  GroupObstacle it;
  it.kind = ReasonKind::kInsufficientResource;
  it.subject = "nvidia.com/gpu";
  it.nearest = "gpu-a";
  it.needs = needs;
  it.has = has;
  it.of = of;
  return it;
}

TEST(ObstacleText, TellsAbsentTooSmallFullAndScarceApart) {
  EXPECT_EQ(group_obstacle_text(lacking(2, 0, 0), 3), "has no nvidia.com/gpu (needs 2)");
  EXPECT_EQ(group_obstacle_text(lacking(8, 1, 4), 3), "too small: at most 4 nvidia.com/gpu in all (gpu-a), needs 8");
  EXPECT_EQ(group_obstacle_text(lacking(8, 1, 4), 1), "too small: 4 nvidia.com/gpu in all, needs 8");
  EXPECT_EQ(group_obstacle_text(lacking(2, 0, 8), 3), "full: no nvidia.com/gpu free, needs 2");
  EXPECT_EQ(group_obstacle_text(lacking(4, 3, 8), 3), "nvidia.com/gpu: needs 4, at most 3 of 8 free (gpu-a)");
  GroupObstacle uniform = lacking(4, 3, 8);
  uniform.uniform = true;
  EXPECT_EQ(group_obstacle_text(uniform, 3), "nvidia.com/gpu: needs 4, 3 of 8 free on each");
}

TEST(ObstacleText, SaysWhatALabelIsInstead) {
  GroupObstacle it;
  it.kind = ReasonKind::kNodeAffinityMismatch;
  it.subject = "gpu-type";
  it.wanted = "a100";
  it.found = {{"", 1}, {"t4", 2}, {"v100", 3}};
  EXPECT_EQ(group_obstacle_text(it, 6), "gpu-type is v100 (3 nodes), t4 (2 nodes), no such label (1 node), wants a100");
  it.found = {{"v100", 3}};
  EXPECT_EQ(group_obstacle_text(it, 3), "gpu-type is v100, wants a100");
  it.found = {{"", 3}};
  EXPECT_EQ(group_obstacle_text(it, 3), "no label gpu-type (wants a100)");
}

TEST(ObstacleText, FallsBackToKubernetesWords) {
  GroupObstacle it;
  it.kind = ReasonKind::kVolumeBindConflict;
  it.message = "node(s) didn't find available persistent volumes to bind";
  EXPECT_EQ(group_obstacle_text(it, 3), it.message);
}

TEST(EditText, WritesARuntimeClassThatAnApiServerTakes) {
  EXPECT_EQ(edit_text(advice::AddRuntimeClass{"1.5"}).patch,
            (std::vector<std::string>{"apiVersion: node.k8s.io/v1", "kind: RuntimeClass",
                                      "metadata:", "  name: \"1.5\"", "handler: 1-5"}));
}

TEST(EditText, SaysWhatToTypeAndWhatToWrite) {
  EXPECT_EQ(edit_text(advice::Uncordon{"gpu-a"}).command, "kubectl uncordon gpu-a");
  EXPECT_EQ(edit_text(advice::LabelNode{"gpu-a", "disk", "ssd"}).command, "kubectl label node gpu-a disk=ssd");
  EXPECT_EQ(edit_text(advice::Scale{{"Deployment", "serving", "chat"}, 6, 4}).command,
            "kubectl scale deployment chat -n serving --replicas=4");
  EXPECT_EQ(edit_text(advice::Scale{{"Pod", "lab", "sweep"}, 1, 0}).headline, "Delete Pod lab/sweep");
  const EditText select = edit_text(advice::SelectLabel{"gpu", "yes", "true"});
  EXPECT_EQ(select.patch, (std::vector<std::string>{"nodeSelector:", "  gpu: \"true\""})) << "a text, not a boolean";
}

TEST(OutcomeText, TellsWhichPodsGainAndWhichLose) {
  advice::Explanation explanation;
  explanation.pod.workload = {"Job", "lab", "train"};
  explanation.siblings = 4;
  explanation.placed_siblings = 2;
  advice::Suggestion suggestion;
  suggestion.siblings = 4;
  suggestion.placed = 3;
  suggestion.node = "gpu-a";
  EXPECT_EQ(outcome_text(suggestion, explanation), "3 of 4 pods have a node then, 2 now; this one goes to gpu-a.");
  suggestion.proof = advice::Proof::kProbed;
  EXPECT_EQ(outcome_text(suggestion, explanation), "This one goes to gpu-a; of the others nothing was asked.");
  suggestion.proof = advice::Proof::kPlanned;
  suggestion.placed = 4;
  suggestion.victims = {"lab/a", "lab/b", "lab/c", "lab/d"};
  suggestion.harm = {{{"Deployment", "web", "chat"}, 1}};
  EXPECT_EQ(
      outcome_text(suggestion, explanation),
      "All 4 pods have a node then; this one goes to gpu-a. It preempts lab/a, lab/b, lab/c and 1 more pod. But 1 "
      "pod of Deployment web/chat lacks a node then.");
}

TEST(TrialText, SaysOfEachSuggestionHowItWasTried) {
  using enum advice::Proof;
  const auto text_of = [](std::initializer_list<advice::Proof> proofs) {
    std::vector<advice::Suggestion> suggestions;
    for (const advice::Proof proof : proofs) suggestions.emplace_back().proof = proof;
    return trial_text(suggestions);
  };
  const std::string as_it_is = "on the cluster as the plan leaves it, all other pods staying where they are";
  EXPECT_EQ(text_of({kPlanned, kPlanned}), "each tried by planning anew");
  EXPECT_EQ(text_of({kProbed}), "each tried " + as_it_is);
  EXPECT_EQ(text_of({kProbed, kPlanned}), "each tried by planning anew, or " + as_it_is);
  EXPECT_EQ(text_of({kProbed, kUntried}),
            "each tried " + as_it_is + ", but for fewer replicas: as many as have a node");
  EXPECT_EQ(text_of({kUntried}), "fewer replicas were not tried: as many as have a node");
}

}  // namespace
}  // namespace loadline::report
