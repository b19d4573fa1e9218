#include "objects/kube/retired_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/kube/apps/apps.h"
#include "objects/kube/codec.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kRetiredBudget =
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
    "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n";

TEST(Codec, RefusesRetiredVersionsAndNamesTheOneToWrite) {
  const Decoding decoding = decode_text(kRetiredBudget);
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("1:13 error apiVersion: policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use "
                          "policy/v1 PodDisruptionBudget"));
  EXPECT_THAT(hints_of(decoding.diagnostics),
              ElementsAre("write \"apiVersion: policy/v1\"; --accept-retired reads it as that"));
  EXPECT_THAT(decoding.objects.of<PodDisruptionBudget>(), IsEmpty());
}

TEST(Codec, ReadsRetiredVersionsIfToldTo) {
  const Decoding decoding = decode_text(kRetiredBudget, RetiredVersions::kAccepted);
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("1:13 warning apiVersion: policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use "
                          "policy/v1 PodDisruptionBudget"));
  EXPECT_EQ(decoding.objects.of<PodDisruptionBudget>().size(), 1U);
}

TEST(Codec, ReadsRetiredVersionsThatAClusterHas) {
  std::string text(kRetiredBudget);
  text.replace(text.find("name: b"), 7, "name: b, uid: u");
  const Decoding decoding = decode_text(text);
  EXPECT_FALSE(has_errors(decoding.diagnostics));
  EXPECT_EQ(decoding.objects.of<PodDisruptionBudget>().size(), 1U);
}

TEST(Codec, WritesOutTheSelectorThatARetiredVersionFilledIn) {
  const std::string text =
      "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: d}\n"
      "spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n";
  const Decoding decoding = decode_text(text, RetiredVersions::kAccepted);
  EXPECT_FALSE(has_errors(decoding.diagnostics));
  ASSERT_EQ(decoding.objects.of<Deployment>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<Deployment>()[0].selector->match_labels.at("a"), "b");
  EXPECT_THAT(hints_of(decode_text(text).diagnostics),
              ElementsAre("write \"apiVersion: apps/v1\", which wants spec.selector.matchLabels written out; "
                          "--accept-retired reads it as that"));
}

TEST(Codec, RefusesRetiredVersionsOfKindsThatItDoesNotReadToo) {
  const std::string ingress = "{apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: {name: i}}\n";
  EXPECT_THAT(lines_of(decode_text(ingress).diagnostics),
              ElementsAre("1:14 error apiVersion: networking.k8s.io/v1beta1 Ingress is unavailable in v1.22+; use "
                          "networking.k8s.io/v1 Ingress"));
  const Decoding accepted = decode_text(ingress, RetiredVersions::kAccepted);
  EXPECT_THAT(accepted.diagnostics, IsEmpty());
  EXPECT_EQ(accepted.objects.skipped.size(), 1U);
  EXPECT_THAT(
      lines_of(decode_text("{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: {name: p}}\n").diagnostics),
      ElementsAre("1:14 error apiVersion: policy/v1beta1 PodSecurityPolicy is unavailable in v1.25+"));
}

TEST(Codec, ReadsListsOfARetiredVersion) {
  const Decoding decoding = decode_text(
      "{apiVersion: policy/v1beta1, kind: PodDisruptionBudgetList, items: [{metadata: {name: b}, spec: {selector: "
      "{matchLabels: {a: b}}}}]}\n",
      RetiredVersions::kAccepted);
  EXPECT_FALSE(has_errors(decoding.diagnostics));
  EXPECT_EQ(decoding.objects.of<PodDisruptionBudget>().size(), 1U);
}

}  // namespace
}  // namespace loadline::kube
