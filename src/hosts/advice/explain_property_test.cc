#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hosts/advice/explain.h"
#include "hosts/simulator/planning.h"
#include "hosts/simulator/settled.h"
#include "hosts/simulator/testing/random_world.h"

namespace loadline::advice {
namespace {

using simulator::Plan;
using simulator::PlannedPod;
using simulator::Planning;
using simulator::PodOutcome;
using simulator::testing::World;

constexpr Instant kStart = Instant{} + Duration::seconds(1'700'000'000);
constexpr std::size_t kMostAsked = 3;  // pods a world

std::unique_ptr<Planning> planned(const kube::Objects& objects, std::uint64_t replacements = 0) {
  simulator::PlanOptions options;
  options.now = kStart;
  options.replacements = replacements;
  return std::move(*Planning::make(objects, {}, options));
}

bool on_a_node(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPlaced || pod.outcome == PodOutcome::kRunning;
}

bool waits(PodOutcome outcome) {
  return outcome == PodOutcome::kPending || outcome == PodOutcome::kGated || outcome == PodOutcome::kRejected ||
         outcome == PodOutcome::kIgnored;
}

std::size_t waiting(const Plan& plan, const simulator::WorkloadName& workload) {
  std::size_t count = 0;
  for (const PlannedPod& pod : plan.pods) {
    if (pod.workload == workload && waits(pod.outcome)) ++count;
  }
  return count;
}

std::string as_text(const Plan& plan) {
  std::string text;
  for (const PlannedPod& pod : plan.pods) {
    text += pod.workload.kind + ' ' + pod.name + ' ' + std::to_string(pod.priority) + ' ' +
            std::to_string(static_cast<int>(pod.outcome)) + ' ' + pod.node + ' ' + pod.message + '\n';
  }
  return text;
}

/// The suggestion's promise: the pod has a node; or, where its workload's pods get other names, fewer of them wait.
bool helps(const Suggestion& suggestion, const PlannedPod& asked, const kube::Objects& objects, const Plan& before,
           std::uint64_t replacements) {
  kube::Objects changed = objects;
  const Target target{{asked.name_space, asked.name}, asked.workload, asked.priority};
  for (const Edit& edit : suggestion.remedy) apply(edit, target, changed);
  const Plan after = planned(changed, replacements)->plan();
  for (const PlannedPod& pod : after.pods) {
    const bool same = pod.name == asked.name && pod.name_space == asked.name_space;
    if (same && on_a_node(pod)) return true;
    if (same) RC_LOG() << "but then: " << pod.message << '\n';
  }
  const bool fewer = asked.workload.kind != "Pod" && waiting(after, asked.workload) < waiting(before, asked.workload);
  if (!fewer) RC_LOG() << "before:\n" << as_text(before) << "after:\n" << as_text(after);
  return fewer;
}

/// Whether every pod is where it was when the plan began.
bool stands_still(const Plan& plan) {
  return std::ranges::all_of(
      plan.pods, [](const PlannedPod& pod) { return pod.outcome == PodOutcome::kRunning || waits(pod.outcome); });
}

/// Some of the pods without a node.
std::vector<std::size_t> to_ask_about(const Planning& planning) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < planning.pods().size() && chosen.size() < kMostAsked; ++i) {
    if (waits(planning.pods()[i].outcome)) chosen.push_back(i);
  }
  return chosen;
}

void log_failure(const Explanation& explanation, const Suggestion& suggestion) {
  RC_LOG() << "asked about " << explanation.pod.name << ", " << explanation.pod.message << '\n';
  for (const Edit& edit : suggestion.remedy) RC_LOG() << "edit " << edit.index() << '\n';
  RC_LOG() << "to node " << suggestion.node << '\n';
}

/// Every suggestion about some pods of a world is put into its objects, and those are planned.
void expect_true_words(std::set<std::size_t>& kinds_of_edits) {
  for (int i = 0; i < 5; ++i) {
    World world;
    world.add_controllers();
    const auto planning = planned(world.objects);
    const Plan before = planning->plan();
    for (const std::size_t subject : to_ask_about(*planning)) {
      const Explanation explanation = explain(*planning, subject, Trying::kByPlan);
      for (const Suggestion& suggestion : explanation.suggestions) {
        for (const Edit& edit : suggestion.remedy) kinds_of_edits.insert(edit.index());
        const bool true_to_its_word = helps(suggestion, explanation.pod, world.objects, before, 0);
        if (!true_to_its_word) log_failure(explanation, suggestion);
        RC_ASSERT(true_to_its_word);
      }
    }
  }
}

TEST(ExplainProperty, WhatIsSuggestedHelpsWhenPlannedAgain) {
  std::set<std::size_t> kinds_of_edits;
  EXPECT_TRUE(rc::check([&] { expect_true_words(kinds_of_edits); }));
  EXPECT_GE(kinds_of_edits.size(), 8U);  // a property of nothing would prove nothing
}

std::int32_t priority_with(const Suggestion& suggestion, const PlannedPod& asked) {
  for (const Edit& edit : suggestion.remedy) {
    if (const auto* higher = std::get_if<UsePriorityClass>(&edit)) return higher->value;
  }
  return asked.priority;
}

enum class Victims : std::uint8_t { kGone, kThere };

/// The scheduler's promise is about the pod's next turn, while all other pods stay where they are: so pods that wait
/// behind this one are left out. Then the pod gets a node, whatever happens to it there later.
bool finds_a_node(const Suggestion& suggestion, const PlannedPod& asked, const kube::Objects& objects,
                  const Plan& before, std::uint64_t replacements, Victims victims) {
  kube::Objects changed = objects;
  const Target target{{asked.name_space, asked.name}, asked.workload, asked.priority};
  for (const Edit& edit : suggestion.remedy) apply(edit, target, changed);
  std::set<std::string> gone;
  if (victims == Victims::kGone) gone.insert(suggestion.victims.begin(), suggestion.victims.end());
  const std::int32_t priority = priority_with(suggestion, asked);
  bool later = false;
  for (const PlannedPod& pod : before.pods) {
    const bool same = pod.name == asked.name && pod.name_space == asked.name_space;
    later = later || same;
    const bool worse = pod.priority < priority || (pod.priority == priority && later);
    if (!same && worse && waits(pod.outcome)) gone.insert(pod.name_space + "/" + pod.name);
  }
  std::erase_if(changed.of<kube::Pod>(),
                [&](const kube::Pod& pod) { return gone.contains(pod.metadata.namespace_ + "/" + pod.metadata.name); });
  const Plan after = planned(changed, replacements)->plan();
  for (const PlannedPod& pod : after.pods) {
    if (pod.name == asked.name && pod.name_space == asked.name_space && !pod.node.empty()) return true;
  }
  const bool fewer = asked.workload.kind != "Pod" && waiting(after, asked.workload) < waiting(before, asked.workload);
  if (!fewer) RC_LOG() << "before:\n" << as_text(before) << "after:\n" << as_text(after);
  return fewer;
}

/// Victims leave after those that go first had their turn, which may have been kept from the node by them. But they may
/// be in the way of nobody else, and the plan's own preemption may choose others.
bool finds_a_node(const Suggestion& suggestion, const PlannedPod& asked, const kube::Objects& objects,
                  const Plan& before, std::uint64_t replacements) {
  return finds_a_node(suggestion, asked, objects, before, replacements, Victims::kGone) ||
         (!suggestion.victims.empty() &&
          finds_a_node(suggestion, asked, objects, before, replacements, Victims::kThere));
}

RC_GTEST_PROP(ExplainProperty, WhatTheSchedulerVouchesForHelpsInTheClusterAsItIs, ()) {
  for (int i = 0; i < 5; ++i) {
    const World world;  // without quotas, which would hinder controllers in replacing those taken away below
    const auto first = planned(world.objects);
    const kube::Objects cluster = simulator::settled(*first);
    const auto planning = planned(cluster, first->replacements());
    const Plan before = planning->plan();
    if (!stands_still(before)) continue;  // quotas that came free let controllers create more
    for (const std::size_t subject : to_ask_about(*planning)) {
      const Explanation explanation = explain(*planning, subject, Trying::kByScheduler);
      for (const Suggestion& suggestion : explanation.suggestions) {
        const bool true_to_its_word =
            suggestion.proof == Proof::kPlanned
                ? helps(suggestion, explanation.pod, cluster, before, first->replacements())
                : finds_a_node(suggestion, explanation.pod, cluster, before, first->replacements());
        if (!true_to_its_word) log_failure(explanation, suggestion);
        RC_ASSERT(true_to_its_word);
      }
    }
  }
}

RC_GTEST_PROP(ExplainProperty, AskingChangesNothing, ()) {
  World world;
  world.add_controllers();
  const auto planning = planned(world.objects);
  const Plan before = planning->plan();
  for (const std::size_t subject : to_ask_about(*planning)) {
    explain(*planning, subject, Trying::kByScheduler);
  }
  const Plan after = planning->plan();
  RC_ASSERT(before.pods.size() == after.pods.size());
  for (std::size_t i = 0; i < before.pods.size(); ++i) {
    RC_ASSERT(before.pods[i].node == after.pods[i].node);
    RC_ASSERT(before.pods[i].outcome == after.pods[i].outcome);
    RC_ASSERT(before.pods[i].nominated_node == after.pods[i].nominated_node);
  }
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    RC_ASSERT(before.nodes[i].pods == after.nodes[i].pods);
    for (const auto& [resource, amounts] : before.nodes[i].resources) {
      RC_ASSERT(after.nodes[i].resources.at(resource).requested == amounts.requested);
    }
  }
}

}  // namespace
}  // namespace loadline::advice
