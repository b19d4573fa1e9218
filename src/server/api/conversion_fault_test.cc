#include "server/api/conversion_fault.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

using schema::Catalog;
namespace {

std::string fault(std::string_view kind, std::string_view json) {
  static const Catalog* catalog = new Catalog(Catalog::published());
  const document::Reading reading = document::read_json(json, {});
  return find_conversion_fault(reading.documents.at(0), *catalog->find_type(kind));
}

// As recorded from a kube-apiserver 1.36.
TEST(ConversionFaultTest, SpeaksAsUpstreamsConverter) {
  constexpr std::string_view kDeployment = "io.k8s.api.apps.v1.Deployment";
  EXPECT_EQ(fault(kDeployment, R"({"spec":{"strategy":-1}})"), "cannot restore struct from: int64");
  EXPECT_EQ(fault(kDeployment, R"({"spec":{"selector":"3"}})"), "cannot restore struct from: string");
  EXPECT_EQ(fault(kDeployment, R"({"spec":{"template":{"spec":{"containers":3}}}})"),
            "cannot restore slice from int64");
  constexpr std::string_view kPod = "io.k8s.api.core.v1.Pod";
  EXPECT_EQ(fault(kPod, R"({"spec":{"activeDeadlineSeconds":[{"name":"d"}]}})"), "unrecognized type: int64");
  EXPECT_EQ(fault(kPod, R"({"spec":{"activeDeadlineSeconds":1.5}})"), "cannot convert float64 to int64");
  EXPECT_EQ(fault(kPod, R"({"spec":{"priorityClassName":{}}})"), "unrecognized type: string");
  EXPECT_EQ(fault(kPod, R"({"spec":{"priorityClassName":1}})"), "cannot convert int64 to string");
  EXPECT_EQ(fault(kPod, R"({"metadata":{"labels":[]}})"), "cannot restore map from slice");
  EXPECT_EQ(fault("io.k8s.api.core.v1.ConfigMap", R"({"binaryData":{"x":"x"}})"),
            "error decoding from json: illegal base64 data at input byte 0");
}

TEST(ConversionFaultTest, LetsPassWhatCanBeConverted) {
  EXPECT_EQ(fault("io.k8s.api.core.v1.Pod",
                  R"({"metadata":{"labels":null},"spec":{"activeDeadlineSeconds":2.0,"unknown":1}})"),
            "");
}

}  // namespace
}  // namespace loadline::api
