#include "hosts/trace/pod_of_one_container.h"

#include <gtest/gtest.h>

#include "foundation/document/writer.h"
#include "objects/kube/defaults.h"
#include "objects/kube/encoder.h"
#include "objects/kube/registry.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::trace {
namespace {

PodOfOneContainer full_row() {
  PodOfOneContainer row;
  row.resources = {{"cpu", kube::Quantity::of(4)},
                   {"memory", *kube::Quantity::parse("16Gi")},
                   {"nvidia.com/gpu", kube::Quantity::of(2)}};
  row.node_selector = {{"zone", "a"}};
  row.affinity_key = "gpu-model";
  row.affinity_values = {"P100", "T4"};
  row.tolerations = {{"spot", kube::TolerationOperator::kExists, "", kube::TaintEffect::kNoSchedule, {}}};
  row.priority = 7;
  return row;
}

TEST(PodOfOneContainer, IsWhatAManifestOfItWouldBe) {
  kube::Pod from_row = *PodsOfOneContainer().pod(full_row(), "team");
  from_row.metadata.name = "p";
  kube::Decoding decoding = kube::decode_text(R"(apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team}
spec:
  restartPolicy: Never
  priority: 7
  nodeSelector: {zone: a}
  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: gpu-model, operator: In, values: [P100, T4]}]
  containers:
  - name: task
    image: task
    resources: {requests: {cpu: 4, memory: 16Gi}, limits: {nvidia.com/gpu: 2}}
)");
  ASSERT_EQ(kube::lines_of(decoding.diagnostics), std::vector<std::string>{});
  const kube::Schema& schema = *kube::kind_of<kube::Pod>().schema;
  EXPECT_EQ(document::write_json(kube::encode_object(schema, &from_row)),
            document::write_json(kube::encode_object(schema, &decoding.objects.of<kube::Pod>().front())));
}

TEST(PodOfOneContainer, ARowComesBackOfItsPod) {
  const auto row = row_of(*PodsOfOneContainer().pod(full_row(), "team"));
  ASSERT_TRUE(row);
  EXPECT_EQ(*row, full_row());
}

TEST(PodOfOneContainer, APodThatSaysMoreIsNoRow) {
  const auto changed = [](auto change) {
    kube::Pod pod = *PodsOfOneContainer().pod(full_row(), "team");
    auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
    change(pod, *spec);
    pod.spec = spec;
    return row_of(pod).has_value();
  };
  EXPECT_TRUE(changed([](kube::Pod&, kube::PodSpec&) {}));
  EXPECT_FALSE(changed([](kube::Pod& pod, kube::PodSpec&) { pod.metadata.labels["app"] = "x"; }));
  EXPECT_FALSE(changed([](kube::Pod&, kube::PodSpec& spec) { spec.containers.push_back(spec.containers.front()); }));
  EXPECT_FALSE(changed([](kube::Pod&, kube::PodSpec& spec) { spec.host_network = true; }));
  EXPECT_FALSE(changed([](kube::Pod&, kube::PodSpec& spec) { spec.affinity->pod_anti.emplace(); }));
  EXPECT_FALSE(changed([](kube::Pod&, kube::PodSpec& spec) {
    spec.containers.front().resources.limits["cpu"] = kube::Quantity::of(4);
  }));
}

}  // namespace
}  // namespace loadline::trace
