// Each part of the format of cases, replayed from a case of a few objects whose decisions were worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "recorded_decisions/testing/tiny_case.h"

namespace loadline::recorded_decisions {
namespace {

using testing::case_text;
using testing::configuration;
using ::testing::HasSubstr;
using testing::node;
using testing::outcome_of;
using testing::pod;
using testing::pod_on;
using testing::profile;

/// The text with the first `from` replaced. REQUIRES: it is there.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// ---- configuration --------------------------------------------------------------------------------------------------

/// n1 has 2 of 4 cpus taken, n2 none. One profile spreads, the other fills up.
std::string two_profiles() {
  const std::string strategy =
      R"(,"pluginConfig":[{"name":"NodeResourcesFit","args":{"apiVersion":"kubescheduler.config.k8s.io/v1",)"
      R"("kind":"NodeResourcesFitArgs","scoringStrategy":{"resources":[{"name":"cpu","weight":1}],"type":")";
  const std::string profiles = profile("spread", {"NodeResourcesFit"}, strategy + R"(LeastAllocated"}}}])") + "," +
                               profile("pack", {"NodeResourcesFit"}, strategy + R"(MostAllocated"}}}])");
  const std::string input = R"({"nodes":[)" + node("n1", "4") + "," + node("n2", "4") + R"(],"pods":[)" +
                            pod_on("x", "n1") + "," + pod_on("y", "n1") + R"(],"pendingPods":[)" +
                            pod("p", R"(,"schedulerName":"spread")") + "," + pod("q", R"(,"schedulerName":"pack")") +
                            R"(],"configuration":)" + configuration(profiles) + "}";
  // p: (4-3)/4 and (4-1)/4 free. q, with p on n2: 3/4 and 2/4 taken.
  const std::string expected =
      R"({"nodeNames":["n1","n2"],"scorePlugins":["NodeResourcesFit"],"attempts":[
      {"seq":0,"pod":"a/p","feasible":[0,1],"scores":[[0,25,25],[1,75,75]],"maxScore":75,"maxNodes":[1],
       "result":"scheduled","node":1},
      {"seq":1,"pod":"a/q","feasible":[0,1],"scores":[[0,75,75],[1,50,50]],"maxScore":75,"maxNodes":[0],
       "result":"scheduled","node":0}]})";
  return case_text(input, expected);
}

TEST(ReplayOfConfiguration, ThePodsSchedulerNamePicksTheProfile) { EXPECT_EQ(outcome_of(two_profiles()), ""); }

TEST(ReplayOfConfiguration, TheProfilesArgumentsCount) {
  EXPECT_THAT(outcome_of(with(two_profiles(), "MostAllocated", "LeastAllocated")),
              HasSubstr("tiny attempt 1 (a/q): score of NodeResourcesFit for n1\n  expected: 75\n  actual:   25"));
}

TEST(ReplayOfConfiguration, APluginThatOnlyTheRecordingHasMustHaveScoredNothing) {
  const std::string text = with(two_profiles(), R"("scorePlugins":[)", R"("scorePlugins":["Imaginary",)");
  const std::string nothing = with(with(text, "[0,25,25]", "[0,25,0,25]"), "[1,75,75]", "[1,75,0,75]");
  const std::string more = with(with(nothing, "[0,75,75]", "[0,75,0,75]"), "[1,50,50]", "[1,50,0,50]");
  EXPECT_EQ(outcome_of(more), "");
  EXPECT_THAT(outcome_of(with(more, "[0,75,0,75]", "[0,75,3,75]")), HasSubstr("score of Imaginary for n1"));
}

TEST(ReplayOfConfiguration, APodOfNoProfileIsAnError) {
  EXPECT_EQ(outcome_of(with(two_profiles(), R"("schedulerName":"pack"}})", R"("schedulerName":"none"}})")),
            "tiny: attempt 1 (a/q): no profile answers to schedulerName \"none\"");
}

TEST(ReplayOfConfiguration, AnErrorNamesTheField) {
  EXPECT_THAT(outcome_of(with(two_profiles(), R"("type":"MostAllocated")", R"("type":"Most")")),
              HasSubstr("case: input: configuration:1:"));
  EXPECT_THAT(outcome_of(with(two_profiles(), R"("type":"MostAllocated")", R"("type":"Most")")),
              HasSubstr("scoringStrategy.type"));
  EXPECT_THAT(
      outcome_of(case_text(R"({"configuration":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}})", "{}")),
      HasSubstr("case: input: configuration: expected a KubeSchedulerConfiguration"));
  EXPECT_EQ(outcome_of(case_text(R"({"configuration":[]})", "{}")),
            "case: input: configuration: expected an object, got a list");
}

// ---- volumes --------------------------------------------------------------------------------------------------------

const char* const kClaim =
    R"({"metadata":{"name":"data","namespace":"a"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"local",)"
    R"("resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}})";
const char* const kBoundClaim =
    R"({"metadata":{"name":"data","namespace":"a","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},)"
    R"("spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"local","volumeName":"disk",)"
    R"("resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}})";

std::string disk(const std::string& claim, const std::string& phase) {
  return R"({"metadata":{"name":"disk"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"
         R"("storageClassName":"local","local":{"path":"/disk"},"nodeAffinity":{"required":{"nodeSelectorTerms":)"
         R"([{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["n1"]}]}]}})" +
         claim + R"(},"status":{"phase":")" + phase + R"("}})";
}

/// Two pods share a claim that waits for the first of them. The only disk is on n1.
std::string one_disk() {
  const std::string uses_claim = R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])";
  const std::string input =
      R"({"nodes":[)" + node("n1", "4") + "," + node("n2", "4") + R"(],"pendingPods":[)" + pod("p", uses_claim) + "," +
      pod("q", uses_claim) + R"(],"storageClasses":[{"metadata":{"name":"local"},)" +
      R"("provisioner":"kubernetes.io/no-provisioner","volumeBindingMode":"WaitForFirstConsumer"}],)" +
      R"("persistentVolumes":[)" + disk("", "Available") + R"(],"persistentVolumeClaims":[)" + kClaim +
      R"(],"configuration":)" + configuration(profile("default-scheduler", {"NodeResourcesFit", "VolumeBinding"})) +
      "}";
  // LeastAllocated of cpu and memory on n1, a pod that requests no memory counting for 200Mi.
  const auto scheduled = [](const std::string& score) {
    return R"("maxScore":)" + score + R"(,"maxNodes":[0],"result":"scheduled","node":0)";
  };
  const std::string updates =
      R"(,"volumeUpdates":{"persistentVolumes":[)" +
      disk(R"(,"claimRef":{"kind":"PersistentVolumeClaim","namespace":"a","name":"data"})", "Bound") +
      R"(],"persistentVolumeClaims":[)" + kBoundClaim + "]}";
  const std::string expected =
      R"({"nodeNames":["n1","n2"],"scorePlugins":[],"attempts":[{"seq":0,"pod":"a/p","feasible":[0],)"
      R"("infeasible":[{"plugin":"VolumeBinding","code":"UnschedulableAndUnresolvable",)"
      R"("reasons":["node(s) didn't find available persistent volumes to bind"],"nodes":[1]}],)"
      R"("skippedScore":["VolumeBinding"],)" +
      scheduled("86") + updates +
      R"(},{"seq":1,"pod":"a/q","feasible":[0],"infeasible":[{"plugin":"VolumeBinding",)"
      R"("code":"UnschedulableAndUnresolvable","reasons":["node(s) didn't match PersistentVolume's node affinity"],)"
      R"("nodes":[1]}],"skippedScore":["VolumeBinding"],)" +
      scheduled("72") + "}]}";
  return case_text(input, expected);
}

TEST(ReplayOfVolumes, TheBindingIsSeenByTheNextAttempt) { EXPECT_EQ(outcome_of(one_disk()), ""); }

TEST(ReplayOfVolumes, WithoutTheUpdateTheClaimWouldStillWait) {
  EXPECT_EQ(
      outcome_of(with(one_disk(), "volumeUpdates", "otherUpdates")),
      "tiny attempt 1 (a/q): refusal by n2\n"
      "  expected: VolumeBinding UnschedulableAndUnresolvable [node(s) didn't match PersistentVolume's node "
      "affinity]\n"
      "  actual:   VolumeBinding UnschedulableAndUnresolvable [node(s) didn't find available persistent volumes to "
      "bind]\n");
}

TEST(ReplayOfVolumes, AVolumeThatWasNotAvailableIsNotMadeSo) {
  for (const std::string phase : {"Pending", "Failed", ""}) {
    EXPECT_THAT(outcome_of(with(one_disk(), R"("phase":"Available")", R"("phase":")" + phase + '"')),
                HasSubstr("tiny attempt 0 (a/p): feasible nodes\n  expected: n1\n  actual:   \n"))
        << phase;
  }
}

TEST(ReplayOfVolumes, AClaimWithoutClassDoesNotGetTheDefaultOne) {
  const std::string text = with(one_disk(), R"("storageClassName":"local","resources")", R"("resources")");
  const std::string marked = with(text, R"({"metadata":{"name":"local"})",
                                  R"({"metadata":{"name":"local","annotations":{)"
                                  R"("storageclass.kubernetes.io/is-default-class":"true"}})");
  EXPECT_THAT(outcome_of(marked), HasSubstr("pod has unbound immediate PersistentVolumeClaims"));
}

TEST(ReplayOfVolumes, AnErrorNamesTheField) {
  EXPECT_THAT(
      outcome_of(with(one_disk(), R"("volumeBindingMode":"WaitForFirstConsumer")", R"("volumeBindingMode":"Late")")),
      HasSubstr("case: input: storageClasses[0]:1:"));
  EXPECT_THAT(outcome_of(with(one_disk(), R"("volumeName":"disk")", R"("volumeName":7)")),
              HasSubstr("case: expected: attempts[0].volumeUpdates.persistentVolumeClaims[0]:1:"));
  EXPECT_THAT(outcome_of(with(one_disk(), R"("volumeName":"disk")", R"("volumeName":7)")),
              HasSubstr("PersistentVolumeClaim a/data: spec.volumeName: "));
  EXPECT_EQ(outcome_of(case_text(R"({"csiNodes":{}})", "{}")), "case: input: csiNodes: expected a list, got an object");
  EXPECT_EQ(outcome_of(case_text(R"({"persistentVolumes":[null]})", "{}")),
            "case: input: persistentVolumes[0]: expected an object, got null");
}

// ---- events ---------------------------------------------------------------------------------------------------------

/// n1 is full. Its pod goes, a second node comes, and grows.
std::string busy_days() {
  const std::string input =
      R"({"nodes":[)" + node("n1", "1") + R"(],"pods":[)" + pod_on("old", "n1") + "," + pod_on("early", "n2") +
      R"(],"pendingPods":[)" + pod("p") + "," + pod("q") + R"(],"events":[{"beforeAttempt":3,"updateNode":)" +
      node("n2", "2") + R"(},{"beforeAttempt":1,"deletePod":"a/old"},{"beforeAttempt":2,"addNode":)" + node("n2", "1") +
      R"(}],"configuration":)" + configuration(profile("default-scheduler", {"NodeResourcesFit"})) + "}";
  const std::string full = R"("code":"Unschedulable","plugin":"NodeResourcesFit","reasons":["Insufficient cpu"])";
  // The score is that of a node whose cpu is all taken, and of whose memory 200Mi a pod: 97/2, and 95/2.
  const std::string expected =
      R"({"nodeNames":["n1","n2"],"attempts":[
      {"seq":0,"pod":"a/p","infeasible":[{)" +
      full + R"(,"nodes":[0]}],"result":"unschedulable",
       "message":"0/1 nodes are available: 1 Insufficient cpu.","unschedulablePlugins":["NodeResourcesFit"]},
      {"seq":1,"pod":"a/p","feasible":[0],"maxScore":48,"maxNodes":[0],"result":"scheduled","node":0},
      {"seq":2,"pod":"a/q","infeasible":[{)" +
      full + R"(,"nodes":[0,1]}],"result":"unschedulable",
       "message":"0/2 nodes are available: 2 Insufficient cpu.","unschedulablePlugins":["NodeResourcesFit"]},
      {"seq":3,"pod":"a/q","feasible":[1],"infeasible":[{)" +
      full + R"(,"nodes":[0]}],
       "maxScore":47,"maxNodes":[1],"result":"scheduled","node":1}]})";
  return case_text(input, expected);
}

TEST(ReplayOfEvents, TheyHappenBeforeTheirAttempts) { EXPECT_EQ(outcome_of(busy_days()), ""); }

TEST(ReplayOfEvents, OneAtAnotherTimeIsNoticed) {
  EXPECT_THAT(outcome_of(with(busy_days(), R"("beforeAttempt":1,"deletePod")", R"("beforeAttempt":0,"deletePod")")),
              HasSubstr("tiny attempt 0 (a/p): result\n  expected: unschedulable\n  actual:   scheduled\n"));
  EXPECT_THAT(outcome_of(with(busy_days(), R"("beforeAttempt":3,"updateNode")", R"("beforeAttempt":4,"updateNode")")),
              HasSubstr("tiny attempt 3 (a/q): result\n  expected: scheduled\n  actual:   unschedulable\n"));
}

TEST(ReplayOfEvents, ANominationToANodeThatIsNotThereCountsForNothing) {
  const std::string attempt = R"({"seq":2,"pod":"a/q",)";
  const std::string nominated = R"({"seq":2,"pod":"a/q","nominatedBefore":"gone","otherNominated":["a/old@gone"],)";
  const std::string text = with(busy_days(), attempt, nominated);
  EXPECT_EQ(outcome_of(with(text, R"("otherNominated":["a/old@gone"],)", "")), "");
  EXPECT_EQ(outcome_of(text), "tiny: attempt 2 (a/q): nomination: there is no pod a/old") << "it was deleted";
}

/// A pod that avoids those with its label in the namespaces of team x, twice: n1 is such a place once "b" joins the
/// team.
TEST(ReplayOfEvents, ANamespacesLabelsChange) {
  const std::string avoids =
      R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{},)"
      R"("namespaceSelector":{"matchLabels":{"team":"x"}},"topologyKey":"kubernetes.io/hostname"}]}})";
  const std::string other = with(pod_on("old", "n1"), R"("namespace":"a")", R"("namespace":"b")");
  const std::string input =
      R"({"namespaces":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"nodes":[)" + node("n1", "9") +
      R"(],"pods":[)" + other + R"(],"pendingPods":[)" + pod("p", avoids) + "," + pod("q", avoids) +
      R"(],"events":[{"beforeAttempt":1,"updateNamespace":{"metadata":{"name":"b","labels":{"team":"x"}}}}],)" +
      R"("configuration":)" + configuration(profile("default-scheduler", {"NodeResourcesFit", "InterPodAffinity"})) +
      "}";
  // (9-2)/9 of cpu and 95/100 of memory.
  const std::string expected =
      R"({"nodeNames":["n1"],"attempts":[
      {"seq":0,"pod":"a/p","feasible":[0],"skippedScore":["InterPodAffinity"],"maxScore":86,"maxNodes":[0],
       "result":"scheduled","node":0},
      {"seq":1,"pod":"a/q","infeasible":[{"plugin":"InterPodAffinity","code":"Unschedulable",
       "reasons":["node(s) didn't match pod anti-affinity rules"],"nodes":[0]}],"result":"unschedulable",
       "message":"0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
       "unschedulablePlugins":["InterPodAffinity"]}]})";
  EXPECT_EQ(outcome_of(case_text(input, expected)), "");
  EXPECT_THAT(outcome_of(case_text(with(input, R"("team":"x"}}}}],)", R"("team":"y"}}}}],)"), expected)),
              HasSubstr("tiny attempt 1 (a/q): result"));
}

TEST(ReplayOfEvents, AnErrorNamesTheField) {
  const auto outcome = [](const std::string& event) {
    return outcome_of(case_text(R"({"events":[)" + event + "]}", "{}"));
  };
  EXPECT_EQ(outcome(R"({"deletePod":"a/b"})"),
            "case: input: events[0].beforeAttempt: expected the sequence number of an attempt");
  const std::string one_of =
      "case: input: events[0]: expected one of deletePod, addPod, updateNode, addNode, updateNamespace, addPodGroup, "
      "deletePodGroup";
  EXPECT_EQ(outcome(R"({"beforeAttempt":1})"), one_of);
  EXPECT_EQ(outcome(R"({"beforeAttempt":1,"deletePod":"a/b","addNode":{}})"), one_of);
  EXPECT_EQ(outcome(R"({"beforeAttempt":1,"deletePod":5})"),
            "case: input: events[0].deletePod: expected a string, got number 5");
  EXPECT_THAT(outcome(R"({"beforeAttempt":1,"addNode":{"metadata":{"name":"n"},"spec":{"unschedulable":5}}})"),
              HasSubstr("case: input: events[0].addNode:1:"));
  EXPECT_THAT(outcome(R"({"beforeAttempt":1,"addNode":{"metadata":{"name":"n"},"spec":{"unschedulable":5}}})"),
              HasSubstr("Node n: spec.unschedulable: "));
}

TEST(ReplayOfEvents, OneThatCannotHappenIsAnError) {
  const auto outcome = [](const std::string& from, const std::string& to) {
    return outcome_of(with(busy_days(), from, to));
  };
  EXPECT_EQ(outcome("\"a/old\"", "\"a/new\""), "tiny: attempt 1 (a/p): event before attempt 1: there is no pod a/new");
  EXPECT_EQ(outcome(R"("beforeAttempt":3,"updateNode")", R"("beforeAttempt":1,"updateNode")"),
            "tiny: attempt 1 (a/p): event before attempt 1: there is no node n2");
  EXPECT_EQ(outcome(R"("beforeAttempt":3,"updateNode")", R"("beforeAttempt":3,"addNode")"),
            "tiny: attempt 3 (a/q): event before attempt 3: node n2 is there already");
}

}  // namespace
}  // namespace loadline::recorded_decisions
