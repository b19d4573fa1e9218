#include "hosts/trace/json_lines_work.h"

#include <gtest/gtest.h>

#include "hosts/trace/testing/works.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::trace {
namespace {

std::string job(std::string_view name, std::string_view metadata = "", std::string_view spec = "") {
  return R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": ")" + std::string(name) + '"' +
         std::string(metadata) + R"(}, "spec": {"parallelism": 3, "completions": 3, )" + std::string(spec) +
         R"("template": {"metadata": {"labels": {"app": "train"}}, "spec": {"restartPolicy": "Never", "containers": [)"
         R"({"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}}}})";
}

TEST(JsonLinesWork, TheShortFormSaysWhatCsvSays) {
  const WorksRead read = read_all(
      R"({"time": 0.5, "name": "a", "pods": 4, "duration": "1h", "estimate": 7200, "class": "large", "tenant": "t",)"
      R"( "pod": {"cpu": 4, "memory": "16Gi", "gpus": 8, "selector": {"zone": "z"}, "tolerations": "spot"}})"
      "\n\n"
      R"({"time": 1, "deleted": 9, "gang": false, "pods": 2, "pod": {"example.com/dongle": 1, "selector": "zone=z"}})");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 2u);
  const Work& first = read.works[0];
  EXPECT_EQ(first.arrives, Duration{500'000'000});
  EXPECT_EQ(first.pods.front().count, 4u);
  EXPECT_EQ(first.run_time, Duration::seconds(3600));
  EXPECT_EQ(first.estimate, Duration::seconds(7200));
  EXPECT_TRUE(first.is_gang);
  EXPECT_EQ(request(first, "nvidia.com/gpu"), "8");
  EXPECT_EQ(spec_of(first).node_selector.at("zone"), "z");
  EXPECT_EQ(read.works[1].deleted, Duration::seconds(9));
  EXPECT_FALSE(read.works[1].is_gang);
  EXPECT_EQ(request(read.works[1], "example.com/dongle"), "1");
}

TEST(JsonLinesWork, AJobBecomesThePodsThatItsControllerCreates) {
  const WorksRead read =
      read_all(R"({"time": 0, "object": )" + job("a") + "}\n" + R"({"time": 1, "object": )" + job("b") + "}\n" +
               R"({"time": 2, "name": "c", "tenant": "t", "object": )" + job("d") + "}\n");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 3u);
  const Work& first = read.works[0];
  EXPECT_EQ(first.name, "a");
  ASSERT_EQ(first.pods.size(), 1u);
  EXPECT_EQ(first.pods.front().count, 3u);
  EXPECT_FALSE(first.is_gang) << "a Job's pods start one by one";
  const kube::Pod& pod = *first.pods.front().pod;
  EXPECT_EQ(request(first, "nvidia.com/gpu"), "8") << "requests come of limits, as a plan's do";
  EXPECT_EQ(pod.metadata.labels, (kube::StringMap{{"app", "train"}})) << "names of Jobs tell no pods apart";
  EXPECT_TRUE(pod.metadata.owner_references.empty());
  EXPECT_EQ(first.pods.front().pod, read.works[1].pods.front().pod) << "Jobs that differ in their names share pods";
  EXPECT_EQ(read.works[2].name, "c");
  EXPECT_EQ(read.works[2].pods.front().pod->metadata.namespace_, "t");
}

TEST(JsonLinesWork, PodsOfAnIndexedJobAreAlike) {
  const WorksRead read = read_all(R"({"time": 0, "object": )" + job("a", "", R"("completionMode": "Indexed", )") + "}");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works[0].pods.size(), 1u);
  EXPECT_EQ(read.works[0].pods.front().count, 3u);
}

TEST(JsonLinesWork, PodsThatMindEachOtherKeepTheirLabels) {
  std::string spread = job("a");
  spread.replace(
      spread.find(R"("restartPolicy")"), 0,
      R"("topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable":)"
      R"( "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "train"}}, "matchLabelKeys": ["job-name"]}], )");
  const WorksRead read = read_all(R"({"time": 0, "object": )" + spread + "}");
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.works[0].pods.size(), 3u);
  EXPECT_EQ(read.works[0].pods.front().pod->metadata.labels.at("job-name"), "a");
  const auto& selector = *spec_of(read.works[0]).topology_spread_constraints.front().label_selector;
  ASSERT_EQ(selector.match_expressions.size(), 1u) << "what the API server adds on creation";
  EXPECT_EQ(selector.match_expressions.front().values, std::vector<std::string>{"a"});
}

TEST(JsonLinesWork, AnnotationsAndDeadlinesServeWhereTheLineSaysNothing) {
  const std::string annotated =
      job("a", R"(, "annotations": {"loadline.dev/run-time": "10m", "loadline.dev/expected-duration": "1h"})");
  const WorksRead read =
      read_all(R"({"time": 0, "object": )" + annotated + "}\n" +
               R"({"time": 0, "name": "b", "duration": 5, "estimate": 6, "object": )" + annotated + "}\n" +
               R"({"time": 0, "object": )" + job("c", "", R"("activeDeadlineSeconds": 90, )") + "}\n");
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.works[0].run_time, Duration::seconds(600));
  EXPECT_EQ(read.works[0].estimate, Duration::seconds(3600));
  EXPECT_EQ(read.works[1].run_time, Duration::seconds(5));
  EXPECT_EQ(read.works[1].estimate, Duration::seconds(6));
  EXPECT_FALSE(read.works[2].run_time);
  EXPECT_EQ(read.works[2].estimate, Duration::seconds(90));
}

TEST(JsonLinesWork, TemplatesAreObjectsOfTheManifests) {
  const kube::Objects templates = kube::decode_text(job("train")).objects;
  OpenWorkOptions options;
  options.templates = &templates;
  const WorksRead read = read_all(
      "{\"time\": 0, \"template\": \"job/train\", \"name\": \"a\"}\n"
      "{\"time\": 1, \"template\": \"Job/train\", \"class\": \"x\"}\n",
      options);
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.works[0].pods.front().count, 3u);
  EXPECT_EQ(read.works[1].name, "work-2");
  EXPECT_EQ(read_all(R"({"time": 0, "template": "job/tain"})", options).error,
            "trace:1:25: template: there is no job/tain (templates are objects of the manifests)");
  EXPECT_EQ(read_all(R"({"time": 0, "template": "train"})", options).error,
            R"(trace:1:25: template: "train" has no kind (write "job/train"))");
}

TEST(JsonLinesWork, WhatIsWrongIsSaidWithItsPlace) {
  const Fault faults[] = {
      {R"({"time": 0, "pod": {"cpu": 1}})"
       "\n"
       R"({"time": 1, "pod": {"cpus": 1}})",
       R"(trace:2:21: pod: unknown field "cpus" (did you mean cpu?))"},
      {R"({"time": 0, "durration": 1, "pod": {}})",
       R"(trace:1:13: unknown field "durration" (did you mean duration?))"},
      {R"({"time": 0})",
       "trace:1: says not, or more than once, which pods come (give one of object, template and pod)"},
      {R"({"time": [], "pod": {}})", "trace:1:10: time: is no text and no number"},
      {R"({"pod": {}})", "trace:1:1: time: is missing (when it arrives, in seconds, say)"},
      {R"({"time": 5, "pod": {}})"
       "\n"
       R"({"time": 4, "pod": {}})",
       "trace:2:10: time: 4 is before 5, the time of the work before it (sort the trace by time)"},
      {R"({"time": 0, "pod": {"cpu": "x"}})", R"(trace:1:28: pod.cpu: "x" is no quantity (write 4, 500m or 16Gi))"},
      {R"({"time": 0, "pod": {"gpus": 0.5}})", R"(trace:1:29: pod.gpus: Invalid value: "500m": must be an integer)"},
      {R"({"time": 0, "pods": 2, "object": {}})", "trace:1:34: pods: goes with pod only"},
      {R"({"time": 0, "object": {"kind": "Job", "metadata": 5}})", "trace:1:51: object.metadata: is no object"},
      {R"({"time": 0, "object": {"apiVersion": "v1", "kind": "ConfigMap"}})",
       R"(trace:1:23: object: "ConfigMap" is no pod and no workload that is known)"},
      {R"({"time": 0} {"time": 0})", "trace:1: 2 values on one line (a line holds one object)"},
  };
  for (const auto& [text, error] : faults) EXPECT_EQ(read_all(std::string(text)).error, error) << text;
}

TEST(JsonLinesWork, WhatIsWrongInAnObjectIsSaidWithItsPathAndPlace) {
  std::string misspelled = job("a");
  misspelled.replace(misspelled.find("parallelism"), 11, "paralellism");
  const std::string line = R"({"time": 0, "object": )" + misspelled + "}";
  EXPECT_EQ(read_all("{\"time\": 0, \"pod\": {}}\n" + line).error,
            "trace:2:" + std::to_string(line.find("\"paralellism") + 1) +
                R"(: object.spec.paralellism: unknown field "spec.paralellism" (did you mean "parallelism"?))");
  EXPECT_EQ(read_all("{\"time\": 0, \"pod\": }").error.substr(0, 8), "trace:1:");
}

}  // namespace
}  // namespace loadline::trace
