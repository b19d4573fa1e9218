#include "objects/schema/defaults/missing_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/published.h"

namespace loadline::schema {
namespace {

using document::Value;

/// What an object of the type lacks, "spec.type=\"ClusterIP\" …".
std::string missing(std::string_view type, std::string_view json,
                    const ObjectDefaults::IsUnreadable& is_unreadable = nullptr) {
  const ObjectDefaults defaults(*find_built_in(type));
  const Value object = document::read_json(json, "test").documents.at(0);
  std::string text;
  for (const MissingField& each : defaults.missing_in(object, is_unreadable)) {
    text += (text.empty() ? "" : " ") + std::string(defaults.rows()[each.row].field->field) + "=" +
            document::write_json(each.value);
  }
  return text;
}

constexpr std::string_view kStrategy = "io.k8s.api.apps.v1.StatefulSetUpdateStrategy";
constexpr std::string_view kJob = "io.k8s.api.batch.v1.Job";
constexpr std::string_view kItem = "io.k8s.api.core.v1.LimitRangeItem";
constexpr std::string_view kPodSpec = "io.k8s.api.core.v1.PodSpec";

TEST(MissingFields, NameTypesAndFieldsThatExist) {
  for (const DefaultField& row : default_fields()) {
    ASSERT_NE(find_built_in(row.type), nullptr) << row.type;
    EXPECT_FALSE(ObjectDefaults(*find_built_in(row.type)).rows().empty()) << row.type;
  }
  for (const AmountsField& row : amounts_fields()) {
    ASSERT_NE(find_built_in(row.type), nullptr) << row.type;
    EXPECT_NE(find_built_in(row.type)->find(row.field), nullptr) << row.type << " " << row.field;
  }
}

TEST(MissingFields, SeeTheObjectAsTheRowsBeforeHaveFilledItIn) {
  EXPECT_EQ(missing(kStrategy, "{}"), R"(rollingUpdate={} type="RollingUpdate" rollingUpdate.partition=0)");
  EXPECT_EQ(missing(kStrategy, R"({"type":"RollingUpdate"})"), "");
  EXPECT_EQ(missing(kStrategy, R"({"type":"RollingUpdate","rollingUpdate":{}})"), "rollingUpdate.partition=0");
  EXPECT_EQ(missing(kStrategy, R"({"type":"OnDelete","rollingUpdate":{}})"), "");
}

TEST(MissingFields, DependOnOtherFields) {
  const auto about = [](std::string_view spec, std::string_view field) {
    const std::string text = " " + missing(kJob, R"({"spec":)" + std::string(spec) + "}") + " ";
    const std::size_t at = text.find(" " + std::string(field) + "=");
    return at == std::string::npos ? "" : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
  };
  EXPECT_EQ(about("{}", "spec.completions"), "spec.completions=1");
  EXPECT_EQ(about("{}", "spec.parallelism"), "spec.parallelism=1");
  EXPECT_EQ(about(R"({"parallelism":0})", "spec.completions"), "");
  EXPECT_EQ(about("{}", "spec.backoffLimit"), "spec.backoffLimit=6");
  EXPECT_EQ(about(R"({"backoffLimitPerIndex":0})", "spec.backoffLimit"), "spec.backoffLimit=2147483647");
  EXPECT_EQ(about(R"({"podFailurePolicy":{}})", "spec.podReplacementPolicy"), R"(spec.podReplacementPolicy="Failed")");
}

TEST(MissingFields, ComeFromOtherFields) {
  EXPECT_EQ(missing(kItem, R"({"type":"Container","max":{"cpu":"4"},"min":{"cpu":"1","memory":"1Mi"}})"),
            R"(default={"cpu":"4"} defaultRequest={"cpu":"4"} defaultRequest={"cpu":"4","memory":"1Mi"})");
  EXPECT_EQ(missing(kItem, R"({"type":"Pod","max":{"cpu":"4"}})"), "");
  const std::string others = R"("restartPolicy":"Never","terminationGracePeriodSeconds":0,"dnsPolicy":"Default",)"
                             R"("securityContext":{},"schedulerName":"x")";
  EXPECT_EQ(missing(kPodSpec, R"({"serviceAccount":"a",)" + others + "}"), R"(serviceAccountName="a")");
  EXPECT_EQ(missing(kPodSpec, R"({"serviceAccount":"a","serviceAccountName":"b",)" + others + "}"),
            R"(serviceAccount="b")");
  EXPECT_EQ(missing(kPodSpec, "{" + others + "}"), "");
}

TEST(MissingFields, CountZeroAsAbsentUnlessItIsAPointerInGo) {
  constexpr std::string_view kSpec = "io.k8s.api.apps.v1.ReplicaSetSpec";
  EXPECT_EQ(missing(kSpec, "{}"), "replicas=1");
  EXPECT_EQ(missing(kSpec, R"({"replicas":null})"), "replicas=1");
  EXPECT_EQ(missing(kSpec, R"({"replicas":0})"), "");
  EXPECT_EQ(missing("io.k8s.api.core.v1.Secret", R"({"type":""})"), R"(type="Opaque")");
}

TEST(MissingFields, NeedAnObjectAroundThem) {
  constexpr std::string_view kVolume = "io.k8s.api.core.v1.PersistentVolume";
  const std::string all =
      R"(spec.persistentVolumeReclaimPolicy="Retain" spec.volumeMode="Filesystem" status.phase="Pending")";
  // Go writes a struct even if it is empty.
  EXPECT_EQ(missing(kVolume, "{}"), all);
  EXPECT_EQ(missing(kVolume, R"({"spec":"text"})"), R"(status.phase="Pending")");
  const auto is_text = [](const FieldChain& chain) { return chain.front()->name == "spec"; };
  EXPECT_EQ(missing(kVolume, R"({"spec":"text"})", is_text), all);
}

}  // namespace
}  // namespace loadline::schema
