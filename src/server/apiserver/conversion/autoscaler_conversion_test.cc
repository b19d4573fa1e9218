#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Value json(std::string_view text) { return document::read_json(text, "test").documents.at(0); }
std::string converted(std::string_view object, std::string_view version) {
  return document::write_json(convert(json(object), {"autoscaling", std::string(version), "HorizontalPodAutoscaler"}));
}

constexpr std::string_view kSecond =
    R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"h","annotations":{"a":"b"}},)"
    R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":1,"maxReplicas":3,"metrics":[)"
    R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}},)"
    R"({"type":"Pods","pods":{"metric":{"name":"rps"},"target":{"type":"AverageValue","averageValue":"10"}}},)"
    R"({"type":"Object","object":{"metric":{"name":"hits"},"target":{"type":"AverageValue","averageValue":"5"},)"
    R"("describedObject":{"kind":"Ingress","name":"i"}}},)"
    R"({"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"7"}}}],)"
    R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods",)"
    R"("value":4,"periodSeconds":60}]}}},)"
    R"("status":{"desiredReplicas":2,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":)"
    R"({"averageValue":"100m","averageUtilization":40}}}],"conditions":[{"type":"AbleToScale","status":"True",)"
    R"("lastTransitionTime":"2026-11-21T12:00:00Z","message":"a < b"}]}})";

TEST(Autoscalers, FirstVersionKeepsTheRestInAnnotations) {
  const Value first = json(converted(kSecond, "v1"));
  EXPECT_EQ(document::write_json(*first.find("spec")),
            R"({"scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":1,"maxReplicas":3,)"
            R"("targetCPUUtilizationPercentage":50})");
  EXPECT_EQ(document::write_json(*first.find("status")),
            R"({"currentReplicas":0,"desiredReplicas":2,"currentCPUUtilizationPercentage":40})");
  const Value& annotations = *first.find("metadata")->find("annotations");
  const auto annotation = [&](std::string_view name) {
    const Value* found = annotations.find("autoscaling.alpha.kubernetes.io/" + std::string(name));
    return found == nullptr ? std::string() : found->string();
  };
  EXPECT_EQ(
      annotation("metrics"),
      R"([{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"10"}},)"
      R"({"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},"metricName":"hits","targetValue":"0",)"
      R"("averageValue":"5"}},{"type":"External","external":{"metricName":"q","targetValue":"7"}}])");
  EXPECT_EQ(annotation("current-metrics"),
            R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,)"
            R"("currentAverageValue":"100m"}}])");
  EXPECT_EQ(annotation("behavior"),
            R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,)"
            R"("PeriodSeconds":60}],"Tolerance":null},"ScaleDown":null})");
  EXPECT_EQ(annotation("conditions"), R"([{"type":"AbleToScale","status":"True","lastTransitionTime":)"
                                      R"("2026-11-21T12:00:00Z","message":"a \u003c b"}])");
  EXPECT_EQ(annotations.find("a")->string(), "b");
}

TEST(Autoscalers, ComeBackAsTheyWere) {
  const Value back = json(converted(converted(kSecond, "v1"), "v2"));
  const Value before = json(kSecond);
  EXPECT_EQ(*back.find("metadata"), *before.find("metadata"));
  EXPECT_EQ(document::write_json(*back.find("spec")->find("behavior")),
            document::write_json(*before.find("spec")->find("behavior")));
  EXPECT_EQ(document::write_json(*back.find("status")), document::write_json(*before.find("status")));
  // The metric that v1 has a field for comes last now, as upstream has it.
  const document::Array& metrics = back.find("spec")->find("metrics")->array();
  ASSERT_EQ(metrics.size(), 4U);
  EXPECT_EQ(document::write_json(metrics.at(3)),
            R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}})");
  const document::Array& old = before.find("spec")->find("metrics")->array();
  for (std::size_t index = 0; index < 3; ++index) {
    EXPECT_EQ(*metrics[index].find("type"), *old[index + 1].find("type"));
  }
  EXPECT_EQ(document::write_json(*metrics[1].find("object")->find("target")),
            R"({"type":"AverageValue","averageValue":"5"})");
}

TEST(Autoscalers, FirstVersionGetsADefaultMetric) {
  EXPECT_EQ(converted(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"h"},)"
                      R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":3}})",
                      "v2"),
            R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"h"},"spec":{)"
            R"("scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":3,"metrics":[{"type":"Resource",)"
            R"("resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]},)"
            R"("status":{"desiredReplicas":0,"currentMetrics":null}})");
}

TEST(Autoscalers, AnnotationsThatCannotBeReadAreDropped) {
  for (const std::string_view text : {"x", "{", "3", "[3]", "null", R"([{\"type\":5,\"resource\":3}])"}) {
    const std::string object =
        R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"h","annotations":{)"
        R"("autoscaling.alpha.kubernetes.io/metrics":")" +
        std::string(text) + R"(","autoscaling.alpha.kubernetes.io/behavior":")" + std::string(text) +
        R"(","autoscaling.alpha.kubernetes.io/conditions":")" + std::string(text) +
        R"("}},"spec":{"targetCPUUtilizationPercentage":10}})";
    const Value result = json(converted(object, "v2"));
    EXPECT_EQ(document::write_json(*result.find("metadata")), R"({"name":"h"})") << text;
  }
}

}  // namespace
}  // namespace loadline::apiserver
