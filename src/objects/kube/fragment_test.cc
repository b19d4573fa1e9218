// Documents that are no objects, or do not say of which kind: what is said of them.
#include "objects/kube/fragment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/kube/codec.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;

TEST(Codec, ReportsDocumentsWithoutAKindOnceAFile) {
  const Decoding decoding = decode_text(
      "spec:\n  template:\n    spec:\n      containers:\n      - {name: c, $patch: delete}\n---\n{op: replace}\n---\n"
      "{replicaCount: 1}\n");
  ASSERT_EQ(decoding.diagnostics.size(), 1U) << lines_of(decoding.diagnostics)[1];
  EXPECT_EQ(decoding.diagnostics[0].at.line, 1U);
}

TEST(Codec, LooksForMistakesInADocumentWithoutAKind) {
  const Decoding decoding = decode_text(
      "spec:\n  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "      - matchExpressions: []\n");
  ASSERT_EQ(decoding.diagnostics.size(), 2U);
  EXPECT_EQ(lines_of(decoding.diagnostics)[1],
            "5:7 error spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: expected an object, "
            "got a list");
}

struct Untold {
  std::string_view name;
  std::string_view text;
  std::string_view line;
  std::string_view hint;
};

class UntoldDocuments : public testing::TestWithParam<Untold> {};

TEST_P(UntoldDocuments, AreExplained) {
  const Decoding decoding = decode_text(GetParam().text);
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(std::string(GetParam().line)));
  EXPECT_THAT(hints_of(decoding.diagnostics), ElementsAre(std::string(GetParam().hint)));
}

const Untold kUntold[] = {
    {"WithoutKind", "apiVersion: v1\nmetadata: {name: a}\nspec: {containers: []}\n",
     "1:1 error Object 'Kind' is missing in "
     "'{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[]}}'",
     "this looks like a Pod: add \"apiVersion: v1\", \"kind: Pod\""},
    {"WithoutApiVersion", "kind: Deployment\nmetadata: {name: a}\n",
     "1:1 error Object 'apiVersion' is missing in '{\"kind\":\"Deployment\",\"metadata\":{\"name\":\"a\"}}'",
     "add \"apiVersion: apps/v1\""},
    {"OnlyASpec", "spec: {nodeSelector: {a: b}}\n",
     "1:1 error Object 'Kind' is missing in '{\"spec\":{\"nodeSelector\":{\"a\":\"b\"}}}'",
     "this looks like a Pod: add \"apiVersion: v1\", \"kind: Pod\" and \"metadata:\" with a name"},
    {"OnlyTolerations", "tolerations: []\n", "1:1 error Object 'Kind' is missing in '{\"tolerations\":[]}'",
     "this looks like a piece of a Pod: its fields belong below \"spec:\" of an object with \"apiVersion: v1\", "
     "\"kind: Pod\" and \"metadata:\""},
    {"ListOfObjects", "- {apiVersion: v1, kind: Node}\n", "1:1 error expected an object, got a list",
     "give the objects one document each, or put them into the \"items\" of \"apiVersion: v1\", \"kind: List\""},
    {"PlainText", "hello\n", "1:1 error expected an object, got string \"hello\"",
     "an object begins with \"apiVersion\" and \"kind\""},
    {"MisspelledKind", "apiVersion: apps/v1\nkind: Deploymnet\n",
     "2:7 error kind: no matches for kind \"Deploymnet\" in version \"apps/v1\"", "did you mean \"Deployment\"?"},
    {"KindOfAnotherVersion", "apiVersion: v1\nkind: Deployment\n",
     "2:7 error kind: no matches for kind \"Deployment\" in version \"v1\"", "write \"apiVersion: apps/v1\""},
};

INSTANTIATE_TEST_SUITE_P(Codec, UntoldDocuments, testing::ValuesIn(kUntold),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace loadline::kube
