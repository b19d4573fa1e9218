#include "hosts/controllers/pod_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "brain/workloads/pod_draft.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/observe.h"

namespace loadline::controllers {
namespace {

using document::Value;
using workloads::PodDraft;

Value json(std::string_view text) { return document::read_json(text, "test").documents.at(0); }

kube::PodAffinityTerm term(std::string_view key) {
  return workloads::domain_of_pods("rack", {{std::string(key), kube::LabelSelectorOperator::kExists, {}}});
}

PodDraft with_everything() {
  PodDraft draft;
  draft.labels = {{"role", "worker"}};
  draft.init_containers = {json(R"({"name": "wait", "image": "w", "resources": {"requests": {"cpu": "50m"}}})")};
  draft.containers = {json(R"({"name": "aside", "image": "a"})")};
  draft.node_selector = {{"disk", "ssd"}};
  kube::Toleration any;
  any.key = "busy";
  any.op = kube::TolerationOperator::kExists;
  draft.tolerations = {any};
  draft.near = {term("near")};
  draft.away_from = {term("away")};
  return draft;
}

constexpr std::string_view kPod = R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
  "containers": [{"name": "main", "image": "m", "command": ["run"]}],
  "nodeSelector": {"zone": "a"},
  "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}]}}}})";

TEST(PodTemplate, WhatADraftAddsStandsBehindWhatTheTemplateHas) {
  const Value pod = with_draft(json(kPod), with_everything());
  EXPECT_EQ(document::write_json(pod),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"role":"worker"}},"spec":{)"
            R"("containers":[{"name":"main","image":"m","command":["run"]},{"name":"aside","image":"a"}],)"
            R"("nodeSelector":{"zone":"a","disk":"ssd"},)"
            R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
            R"({"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"x"}}},)"
            R"({"labelSelector":{"matchExpressions":[{"key":"near","operator":"Exists"}]},"topologyKey":"rack"}]},)"
            R"("podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
            R"({"labelSelector":{"matchExpressions":[{"key":"away","operator":"Exists"}]},"topologyKey":"rack"}]}},)"
            R"("initContainers":[{"name":"wait","image":"w","resources":{"requests":{"cpu":"50m"}}}],)"
            R"("tolerations":[{"key":"busy","operator":"Exists"}]}})");
}

/// A plan applies the same draft to structs.
TEST(PodTemplate, IsWhatAPlanMakesOfTheDraft) {
  const kube::Pod live = read_view<kube::Pod>(with_draft(json(kPod), with_everything()));
  auto planned = read_view<kube::Pod>(json(kPod));
  workloads::apply(with_everything(), planned);
  EXPECT_EQ(live.metadata.labels, planned.metadata.labels);
  EXPECT_EQ(live.spec->node_selector, planned.spec->node_selector);
  EXPECT_EQ(live.spec->tolerations, planned.spec->tolerations);
  EXPECT_EQ(live.spec->affinity->pod->required, planned.spec->affinity->pod->required);
  EXPECT_EQ(live.spec->affinity->pod_anti->required, planned.spec->affinity->pod_anti->required);
  ASSERT_EQ(live.spec->containers.size(), planned.spec->containers.size());
  ASSERT_EQ(live.spec->init_containers.size(), 1U);
  EXPECT_EQ(live.spec->init_containers[0].resources.requests, planned.spec->init_containers.at(0).resources.requests);
}

}  // namespace
}  // namespace loadline::controllers
