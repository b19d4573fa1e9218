#include "objects/schema/conform.h"

#include <gtest/gtest.h>

#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/testing/types.h"

namespace loadline::schema {
namespace {

using testing::Types;

/// A pod, as far as these tests need one: names, tags and pointers are those of k8s.io/api/core/v1.
class ConformTest : public ::testing::Test {
 protected:
  ConformTest() {
    const Type* string = types_.scalar(Form::kString);
    const Type* integer = types_.scalar(Form::kInt32);
    const Type* boolean = types_.scalar(Form::kBoolean);
    const Type* time = types_.scalar(Form::kTime);
    const Type* strings = types_.map(string);
    const Type* quantities = types_.map(types_.scalar(Form::kQuantity));
    const Type* fields = types_.scalar(Form::kFieldsV1);
    const Type* entry = types_.object("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
                                      {Types::optional("manager", string), Types::pointer("fieldsV1", fields)});
    const Type* meta = types_.object("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
                                     {Types::optional("name", string), Types::optional("creationTimestamp", time),
                                      Types::pointer("deletionTimestamp", time), Types::optional("labels", strings),
                                      Types::optional("managedFields", types_.list(entry))});
    const Type* resources =
        types_.object("io.k8s.api.core.v1.ResourceRequirements",
                      {Types::optional("limits", quantities), Types::optional("requests", quantities)});
    const Type* port = types_.object("io.k8s.api.core.v1.ContainerPort", {Types::always("containerPort", integer)});
    const Type* get =
        types_.object("io.k8s.api.core.v1.HTTPGetAction", {Types::always("port", types_.scalar(Form::kIntOrString))});
    Field http = Types::pointer("httpGet", get);
    http.inside = 1;
    const Type* probe = types_.object("io.k8s.api.core.v1.Probe", {http, Types::optional("periodSeconds", integer)});
    const Type* container = types_.object(
        "io.k8s.api.core.v1.Container",
        {Types::always("name", string), Types::optional("image", string), Types::optional("args", types_.list(string)),
         Types::optional("ports", types_.list(port)), Types::always("resources", resources),
         Types::pointer("livenessProbe", probe), Types::optional("tty", boolean)});
    const Type* spec =
        types_.object("io.k8s.api.core.v1.PodSpec",
                      {Types::always("containers", types_.list(container)), Types::pointer("priority", integer),
                       Types::optional("nodeSelector", strings), Types::optional("hostNetwork", boolean)});
    const Type* condition = types_.object("io.k8s.api.core.v1.PodCondition",
                                          {Types::always("type", string), Types::always("lastProbeTime", time)});
    const Type* status =
        types_.object("io.k8s.api.core.v1.PodStatus",
                      {Types::optional("phase", string), Types::optional("conditions", types_.list(condition))});
    pod_ = types_.object("io.k8s.api.core.v1.Pod",
                         {Types::optional("kind", string), Types::optional("apiVersion", string),
                          Types::always("metadata", meta), Types::always("spec", spec), Types::always("status", status),
                          Types::optional("secret", types_.scalar(Form::kBytes)),
                          Types::always("raw", types_.scalar(Form::kRawObject))});
  }

  Conformed conformed(std::string_view json) const {
    const document::Reading reading = document::read_json(json, "body");
    EXPECT_EQ(reading.documents.size(), 1U) << json;
    return conform(reading.documents.at(0), *pod_, reading.problems);
  }
  std::string shape(std::string_view json) const {
    const Conformed done = conformed(json);
    return done.error.empty() ? document::write_json(done.value) : done.error;
  }
  std::string findings(std::string_view json) const { return joined(conformed(json).findings, ", "); }

  Types types_;
  const Type* pod_ = nullptr;
};

TEST_F(ConformTest, AddsWhatGoWritesAndDropsWhatItDoesNot) {
  EXPECT_EQ(shape(R"({"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":false,"nodeSelector":{},"priority":0,)"
                  R"("containers":[{"image":"x","args":[],"name":"c","tty":null,"ports":null}]}})"),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[{"name":"c","image":"x",)"
            R"("resources":{}}],"priority":0},"status":{},"raw":null})");
  EXPECT_EQ(shape("{}"), R"({"metadata":{},"spec":{"containers":null},"status":{},"raw":null})");
  EXPECT_EQ(shape(R"({"spec":{"containers":[null]},"raw":{"b":null,"a":1}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{},"raw":{"b":null,"a":1}})");
}

TEST_F(ConformTest, CanonicalScalars) {
  EXPECT_EQ(shape(R"({"metadata":{"labels":{"b":"2","a":null},"creationTimestamp":null,"deletionTimestamp":)"
                  R"("2026-01-01T02:00:00.5+02:00","managedFields":[{"fieldsV1":{"f:z":{},"f:a":{}}}]},)"
                  R"("spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"1024Mi","cpu":0.5,"x":" 1 "}},)"
                  R"("livenessProbe":{"httpGet":{"port":"web"}}}]},)"
                  R"("status":{"conditions":[{"type":"Ready","lastProbeTime":null}]},"secret":"YQ=\n=","raw":1})"),
            R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"","b":"2"},"managedFields":)"
            R"([{"fieldsV1":{"f:z":{},"f:a":{}}}]},"spec":{"containers":[{"name":"c","resources":{"limits":)"
            R"({"cpu":"500m","memory":"1Gi","x":"1"}},"livenessProbe":{"httpGet":{"port":"web"}}}]},)"
            R"("status":{"conditions":[{"type":"Ready","lastProbeTime":null}]},"secret":"YQ==","raw":1})");
}

TEST_F(ConformTest, SharesWhatStaysTheSame) {
  const std::string text = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},"spec":)"
                           R"({"containers":[{"name":"c","resources":{}}]},"status":{},"raw":{}})";
  const document::Value value = document::read_json(text, "").documents.at(0);
  EXPECT_EQ(&conform(value, *pod_).value.object(), &value.object());
  const document::Value other = value.with("raw", document::Value(std::int64_t{3})).with("more", value);
  EXPECT_EQ(&conform(other, *pod_).value.find("spec")->object(), &value.find("spec")->object());
}

TEST_F(ConformTest, LooksOnlyAtWhatAnEarlierVersionHasNot) {
  // An "earlier version" that would not pass shows what is looked at: only what is not shared with it.
  const document::Value earlier =
      document::read_json(R"({"metadata":{"nome":"p"},"spec":{"containers":[{"name":1}]}})", "").documents.at(0);
  const Conformed same = conform(earlier.with("status", document::Value(document::Object())), *pod_, {}, &earlier);
  EXPECT_EQ(same.error, "");
  EXPECT_TRUE(same.findings.empty());
  EXPECT_EQ(document::write_json(same.value), R"({"metadata":{"nome":"p"},"spec":{"containers":[{"name":1}]},)"
                                              R"("status":{},"raw":null})");

  const document::Value copied =
      earlier.with("metadata", *conformed(R"({"metadata":{}})").value.find("metadata"))
          .with("spec", document::read_json(R"({"containers":[{"name":1}]})", "").documents.at(0));
  EXPECT_EQ(conform(copied, *pod_, {}, &earlier).error,
            "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string");
}

TEST_F(ConformTest, FindsUnknownAndDuplicateFieldsInTheirOrder) {
  EXPECT_EQ(findings(R"({"spec":{"containers":[{"name":"c","imagee":"x"},{"Name":"d","name":"d","name":"e"}],"foo":)"
                     R"({"x":1,"x":2},"foo":3},"metadata":{"labels":{"a":"1","a":"2"}},"zwei":"","raw":{"x":1}})"),
            R"(unknown field "spec.containers[0].imagee", unknown field "spec.containers[1].Name", )"
            R"(duplicate field "spec.containers[1].name", unknown field "spec.foo", )"
            R"(duplicate field "metadata.labels.a", unknown field "zwei")");
  EXPECT_EQ(findings(R"({"a\"b\\":1})"), R"(unknown field "a\"b\\")");
  std::string many = "{";
  for (int i = 0; i < 200; ++i) many += "\"x" + std::to_string(i) + "\":1,";
  many.back() = '}';
  EXPECT_EQ(conformed(many).findings.size(), 100U);
}

TEST_F(ConformTest, ErrorsAreGos) {
  const std::string json = "json: cannot unmarshal ";
  EXPECT_EQ(shape(R"({"spec":{"containers":"x"}})"),
            json + "string into Go struct field PodSpec.spec.containers of type []v1.Container");
  EXPECT_EQ(shape(R"({"spec":{"containers":[{"name":"a"},{"image":5}],"hostNetwork":1}})"),
            json + "number into Go struct field Container.spec.containers.image of type string");
  EXPECT_EQ(shape(R"({"metadata":{"labels":{"a":true}}})"),
            json + "bool into Go struct field ObjectMeta.metadata.labels of type string");
  EXPECT_EQ(shape(R"({"metadata":[]})"), json + "array into Go struct field Pod.metadata of type v1.ObjectMeta");
  EXPECT_EQ(shape(R"({"kind":1})"), json + "number into Go struct field Pod.TypeMeta.kind of type string");
  EXPECT_EQ(shape(R"({"spec":{"priority":2147483648}})"),
            json + "number 2147483648 into Go struct field PodSpec.spec.priority of type int32");
  EXPECT_EQ(shape(R"({"spec":{"priority":1.0}})"),
            json + "number 1.0 into Go struct field PodSpec.spec.priority of type int32");
  EXPECT_EQ(shape(R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":{}}}}]}})"),
            json +
                "object into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of "
                "type int32");
  EXPECT_EQ(shape(R"({"metadata":{"creationTimestamp":5}})"),
            json + "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string");
  EXPECT_EQ(shape(R"({"spec":{"containers":[{"resources":{"limits":5}}]}})"),
            json +
                "number into Go struct field ResourceRequirements.spec.containers.resources.limits of type "
                "v1.ResourceList");
  EXPECT_EQ(shape(R"({"secret":"a*"})"), "illegal base64 data at input byte 1");
}

TEST_F(ConformTest, AnErrorOfATypesOwnDecoderWins) {
  EXPECT_EQ(shape(R"({"kind":5,"spec":{"containers":[{"resources":{"limits":{"cpu":"abc"}}}]}})"),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(shape(R"({"metadata":{"creationTimestamp":"now"}})"),
            R"(parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006")");
}

TEST_F(ConformTest, RootsThatAreNoObjects) {
  EXPECT_EQ(conform(document::Value(document::Array{}), *pod_).error,
            "json: cannot unmarshal array into Go value of type v1.Pod");
}

TEST(ZeroValue, EndsForTypesThatHoldThemselves) {
  Types types;
  Type* self = types.object("x.y.Self", {});
  self->fields.push_back(Types::always("self", self));
  EXPECT_TRUE(zero_value(*self).is_object());
}

}  // namespace
}  // namespace loadline::schema
