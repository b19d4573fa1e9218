#include "app/cli/live/left_out.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

std::string left(LeftOut& left_out, const std::string& yaml) {
  return document::write_json(left_out.without(document::read_yaml(yaml, "test").documents.front()));
}

TEST(LeftOut, ValuesOfVariablesAreNumberedByNameAndValue) {
  LeftOut left_out;
  const std::string pod =
      "{kind: Pod, spec: {containers: [{env: [{name: A, value: x}, {name: B, value: x}, {name: A, value: z}, {name: A, "
      "value: x}, {name: C}, {name: D, value: ''}]}]}}";
  EXPECT_EQ(left(left_out, pod), R"-({"kind":"Pod","spec":{"containers":[{"env":[{"name":"A","value":"left out (1)"},)-"
                                 R"-({"name":"B","value":"left out (2)"},{"name":"A","value":"left out (3)"},)-"
                                 R"-({"name":"A","value":"left out (1)"},{"name":"C"},{"name":"D","value":""}]}]}})-");
  // What is equal in a template and in what was made of it stays equal; and there is no depth too deep.
  const std::string revision =
      "{kind: ControllerRevision, data: {spec: {template: {spec: {initContainers: [{env: [{name: A, value: z}]}]}}}}}";
  EXPECT_EQ(left(left_out, revision),
            R"-({"kind":"ControllerRevision","data":{"spec":{"template":{"spec":{"initContainers":)-"
            R"-([{"env":[{"name":"A","value":"left out (3)"}]}]}}}}})-");
  EXPECT_EQ(left_out.variables(), 5U);
}

TEST(LeftOut, NamesOfSourcesStay) {
  LeftOut left_out;
  const std::string container =
      R"({"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],"envFrom":[{"secretRef":{"name":"s"}}]})";
  EXPECT_EQ(left(left_out, container), container);
  EXPECT_EQ(left_out.variables(), 0U);
}

TEST(LeftOut, LastAppliedConfigurationsRepeatEverything) {
  LeftOut left_out;
  EXPECT_EQ(left(left_out,
                 "{kind: Pod, metadata: {annotations: {a: b, kubectl.kubernetes.io/last-applied-configuration: "
                 "'{}'}}}"),
            R"({"kind":"Pod","metadata":{"annotations":{"a":"b"}}})");
}

TEST(LeftOut, OfConfigMapsTheKeysStayAndWhatDecisionsRead) {
  LeftOut left_out;
  EXPECT_EQ(left(left_out, "{kind: ConfigMap, metadata: {name: a}, data: {k: v, l: ''}, binaryData: {b: eA==}}"),
            R"({"kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"","l":""}})");
  EXPECT_EQ(left_out.config_maps(), 1U);
  const std::string scheduler =
      R"({"kind":"ConfigMap","metadata":{"name":"b"},"data":{"c.yaml":"kind: KubeSchedulerConfiguration\n"}})";
  EXPECT_EQ(left(left_out, scheduler), scheduler);
  const std::string sharing =
      R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"any":"sharing: {timeSlicing: {resources: )"
      R"([{name: nvidia.com/gpu, replicas: 4}]}}"}})";
  EXPECT_EQ(left(left_out, sharing), sharing);
  const std::string ray = R"({"kind":"ConfigMap","metadata":{"name":"ray-dashboard"},"data":{"status":"FAILED"}})";
  EXPECT_EQ(left(left_out, ray), ray);
  EXPECT_EQ(left_out.config_maps(), 1U);
  EXPECT_EQ(left(left_out, "{kind: ConfigMap, metadata: {name: d}, data: {k: 'sharing is caring'}}"),
            R"({"kind":"ConfigMap","metadata":{"name":"d"},"data":{"k":""}})");
}

}  // namespace
}  // namespace loadline::cli
