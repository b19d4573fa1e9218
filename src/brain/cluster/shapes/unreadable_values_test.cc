#include "brain/cluster/shapes/unreadable_values.h"

#include <gmock/gmock.h>

namespace loadline::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines(const std::vector<UnreadableValue>& values) {
  std::vector<std::string> lines;
  for (const UnreadableValue& value : values) lines.push_back(value.field + ": " + value.message);
  return lines;
}

TEST(UnreadableValues, OfRunsAreToldWithWhatWasExpected) {
  kube::ObjectMeta metadata;
  metadata.annotations = {{"loadline.dev/expected-duration", "1 hour"},
                          {"loadline.dev/last-checkpoint", "yesterday"},
                          {"loadline.dev/checkpoint-interval", "0"},
                          {"loadline.dev/minimum-run-time", "-5m"},
                          {"kueue.x-k8s.io/estimated-duration", ""}};
  metadata.labels = {{"kueue.x-k8s.io/max-exec-time-seconds", "1h"}};
  EXPECT_THAT(
      lines(unreadable_run_values(metadata)),
      ElementsAre(
          "annotations[loadline.dev/expected-duration]: counts as absent: \"1 hour\" is no span of time; write seconds "
          "or 1h30m",
          "annotations[kueue.x-k8s.io/estimated-duration]: counts as absent: \"\" is no span of time; write seconds or "
          "1h30m",
          "annotations[loadline.dev/minimum-run-time]: counts as absent: \"-5m\" is negative",
          "annotations[loadline.dev/checkpoint-interval]: counts as absent: \"0\" is no interval; it must be longer",
          "annotations[loadline.dev/last-checkpoint]: counts as absent: \"yesterday\" is no time; write it as "
          "2026-01-31T12:00:00Z",
          "labels[kueue.x-k8s.io/max-exec-time-seconds]: counts as absent: \"1h\" is no number of seconds; write a "
          "whole number from 1 on"));
}

TEST(UnreadableValues, OfRunsThatCanBeReadAreNone) {
  kube::ObjectMeta metadata;
  EXPECT_THAT(unreadable_run_values(metadata), IsEmpty());
  metadata.annotations = {{"loadline.dev/expected-duration", "3600"},
                          {"loadline.dev/last-checkpoint", "2026-01-01T00:00:00.5+01:00"},
                          {"loadline.dev/minimum-run-time", "1h30m"},
                          {"example.com/expected-duration", "long"}};
  metadata.labels = {{"kueue.x-k8s.io/max-exec-time-seconds", "60"}};
  EXPECT_THAT(unreadable_run_values(metadata), IsEmpty());
}

TEST(UnreadableValues, OfTopologiesAreToldWithWhatWasExpected) {
  kube::ObjectMeta pod;
  pod.annotations = {{"kueue.x-k8s.io/podset-required-topology", "the rack"},
                     {"kueue.x-k8s.io/podset-slice-size", "4x"}};
  EXPECT_THAT(lines(unreadable_topology_values(pod)),
              ElementsAre("annotations[kueue.x-k8s.io/podset-required-topology]: \"the rack\" is no level of a "
                          "topology; write the label that nodes have",
                          "annotations[kueue.x-k8s.io/podset-slice-size]: counts as absent: \"4x\" is no number of "
                          "pods; write a whole number from 1 on"));
  pod.annotations = {{"kueue.x-k8s.io/podset-slice-size", "4"}};
  EXPECT_THAT(lines(unreadable_topology_values(pod)),
              ElementsAre("annotations[kueue.x-k8s.io/podset-slice-size]: slices have a size, and no "
                          "kueue.x-k8s.io/podset-slice-required-topology says within what each is to be"));
  pod.annotations = {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"}};
  EXPECT_THAT(lines(unreadable_topology_values(pod)),
              ElementsAre("annotations[kueue.x-k8s.io/podset-slice-required-topology]: slices are asked for, and no "
                          "kueue.x-k8s.io/podset-slice-size says how many pods each has"));
}

TEST(UnreadableValues, OfTopologiesThatCanBeReadAreNone) {
  kube::ObjectMeta pod;
  EXPECT_THAT(unreadable_topology_values(pod), IsEmpty());
  pod.annotations = {{"kueue.x-k8s.io/podset-required-topology", "example.com/block"},
                     {"kueue.x-k8s.io/podset-preferred-topology", "rack"},
                     {"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"},
                     {"kueue.x-k8s.io/podset-slice-size", "4"}};
  EXPECT_THAT(unreadable_topology_values(pod), IsEmpty());
}

}  // namespace
}  // namespace loadline::cluster
