#include "brain/workloads/pod_clique_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_clique_set_rules.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/testing/decoding.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using ::testing::MatchesRegex;
using testing::names;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kCliquePods = "podSpec: {containers: [{name: c, image: i}]}";

/// A set "llm": a router, and a group "decode" of a leader and two workers; `more` is of its template.
kube::Objects served(const std::string& more = "", const std::string& of_group = "replicas: 2, minAvailable: 1, ") {
  const auto clique = [](const std::string& name, const std::string& spec) {
    return "{name: " + name + ", spec: {roleName: " + name + ", " + spec + ", " + std::string(kCliquePods) + "}}";
  };
  return std::move(
      kube::decode_text("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: llm, namespace: default, "
                        "uid: u}, spec: {replicas: 1, template: {" +
                        more + "cliques: [" + clique("router", "replicas: 1") + ", " + clique("leader", "replicas: 1") +
                        ", " + clique("worker", "replicas: 2, startsAfter: [leader]") +
                        "], podCliqueScalingGroups: [{name: decode, " + of_group + "cliqueNames: [leader, worker]}]}}}")
          .objects);
}
const kube::PodCliqueSet& set_of(const kube::Objects& objects) { return objects.of<kube::PodCliqueSet>().at(0); }

std::vector<std::string> set_refusals(const kube::Objects& objects) {
  std::vector<std::string> lines;
  for (const kube::FieldError& each : refusals_of(set_of(objects))) lines.push_back(each.path + ": " + each.message);
  return lines;
}

TEST(PodCliqueSet, HasThePodsOfItsCliquesAndOfEachReplicaOfItsGroups) {
  const Expansion expansion = expand(served(), kNow, kSeed);
  EXPECT_THAT(
      names(expansion),
      ElementsAre(MatchesRegex("llm-0-router-[a-z0-9]{5}"), MatchesRegex("llm-0-decode-0-leader-[a-z0-9]{5}"),
                  MatchesRegex("llm-0-decode-0-worker-[a-z0-9]{5}"), MatchesRegex("llm-0-decode-0-worker-[a-z0-9]{5}"),
                  MatchesRegex("llm-0-decode-1-leader-[a-z0-9]{5}"), MatchesRegex("llm-0-decode-1-worker-[a-z0-9]{5}"),
                  MatchesRegex("llm-0-decode-1-worker-[a-z0-9]{5}")));
  const kube::Pod& pod = expansion.pods.at(3).pod;
  EXPECT_EQ(expansion.pods.at(3).workload.to_string(), "PodCliqueSet default/llm");
  EXPECT_EQ(clique_of(pod.metadata), "worker");
  EXPECT_EQ(pod.metadata.controller()->kind, "PodClique");
  EXPECT_EQ(pod.metadata.labels.at(std::string(kube::kGrovePodIndex)), "1");
  EXPECT_THAT(expansion.made.of<kube::Service>(), SizeIs(1));
}

TEST(PodCliqueSet, IsOneGangWithTheReplicasThatItsGroupsNeed) {
  const kube::Objects objects = served("cliqueStartupType: CliqueStartupTypeExplicit, ");
  std::map<std::string, std::string> gangs;
  for_each_clique(set_of(objects),
                  [&](const CliqueOfSet& clique) { gangs[clique.name()] = clique.gang() + "<" + clique.base_gang(); });
  EXPECT_THAT(gangs,
              ElementsAre(Pair("llm-0-decode-0-leader", "llm-0<"), Pair("llm-0-decode-0-worker", "llm-0<"),
                          Pair("llm-0-decode-1-leader", "llm-0-decode-0<llm-0"),
                          Pair("llm-0-decode-1-worker", "llm-0-decode-0<llm-0"), Pair("llm-0-router", "llm-0<")));
  for_each_clique(set_of(objects), [&](const CliqueOfSet& clique) {
    if (clique.clique.name != "worker") return;
    const std::string leader = clique.group_replica == 0 ? "llm-0-decode-0-leader" : "llm-0-decode-1-leader";
    EXPECT_THAT(clique.starts_after(), ElementsAre(leader));
  });
}

TEST(PodCliqueSet, StartsInTheOrderOfItsCliquesIfItSaysSo) {
  const kube::Objects objects = served("cliqueStartupType: CliqueStartupTypeInOrder, ");
  std::vector<std::vector<std::string>> parents;
  for_each_clique(set_of(objects), [&](const CliqueOfSet& clique) {
    if (clique.group_replica == 0) parents.push_back(clique.starts_after());
  });
  EXPECT_THAT(parents, ElementsAre(IsEmpty(), ElementsAre("llm-0-router"), ElementsAre("llm-0-decode-0-leader")));
}

TEST(PodCliqueSetRules, SayInGrovesWordsWhatIsWrong) {
  EXPECT_THAT(set_refusals(served()), IsEmpty());
  EXPECT_THAT(
      set_refusals(served("", "replicas: 1, minAvailable: 2, ")),
      ElementsAre("spec.template.podCliqueScalingGroups[0].minAvailable: Invalid value: 2: minAvailable must not "
                  "be greater than replicas"));
}

}  // namespace
}  // namespace loadline::workloads
