#include "objects/kube/retired_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

document::Value pool_of(const std::string& version, const std::string& spec) {
  return document::read_yaml("{apiVersion: karpenter.sh/" + version + ", kind: NodePool, spec: " + spec + "}", "t")
      .documents.at(0);
}

std::vector<std::string> retired_paths(const document::Value& object) {
  std::vector<std::string> paths;
  for (const RetiredField& field : find_retired_fields(object)) paths.push_back(field.path);
  return paths;
}

TEST(RetiredFields, AreReadAsWhatTheyMean) {
  const document::Value pool =
      pool_of("v1",
              "{template: {spec: {requirements: [{key: karpenter.azure.com/sku-family, operator: Exists}]}}, "
              "disruption: {consolidationPolicy: WhenUnderutilized}}");
  EXPECT_THAT(retired_paths(pool),
              ElementsAre("spec.template.spec.nodeClassRef", "spec.disruption.consolidationPolicy"));
  const document::Value meant = without_retired_fields(pool);
  EXPECT_THAT(retired_paths(meant), IsEmpty());
  EXPECT_EQ(document::text_at(meant, {"spec", "disruption", "consolidationPolicy"}), "WhenEmptyOrUnderutilized");
  EXPECT_EQ(document::text_at(meant, {"spec", "template", "spec", "nodeClassRef", "kind"}), "AKSNodeClass");
}

TEST(RetiredFields, AVersionedClassHasAGroupNow) {
  const document::Value pool =
      pool_of("v1", "{template: {spec: {nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: C, name: gpus}}}}");
  EXPECT_THAT(retired_paths(pool), ElementsAre("spec.template.spec.nodeClassRef.group"));
  const document::Value meant = without_retired_fields(pool);
  const document::Value reference = document::value_at(meant, {"spec", "template", "spec", "nodeClassRef"});
  EXPECT_EQ(document::text_at(reference, {"group"}), "karpenter.k8s.aws");
  EXPECT_EQ(document::text_at(reference, {"name"}), "gpus");
  EXPECT_EQ(reference.find("apiVersion"), nullptr);
}

TEST(RetiredFields, AreThoseOfOneVersion) {
  EXPECT_THAT(retired_paths(pool_of("v1beta1", "{disruption: {consolidationPolicy: WhenUnderutilized}}")), IsEmpty());
  EXPECT_THAT(retired_paths(pool_of("v1", "{template: 3, disruption: []}")), IsEmpty());
  EXPECT_THAT(retired_paths(pool_of("v1", "{template: {spec: {nodeClassRef: {group: g.io, kind: K, name: gpus}}}}")),
              IsEmpty());
}

}  // namespace
}  // namespace loadline::kube
