// What a kube-apiserver 1.36 was seen to answer to bad and unusual requests, word for word.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kGadgets = "/apis/example.com/v1/namespaces/default/gadgets";

class UpstreamWordsTest : public testing::Test {
 protected:
  std::string verdict(std::string_view method, std::string_view path, std::string_view body = {},
                      std::string_view type = kJson) {
    return server_.send(method, path, body, body.empty() ? std::string_view() : type).verdict();
  }

  void define_gadgets() {
    ASSERT_EQ(verdict("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      R"({"metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
                          "names":{"kind":"Gadget","plural":"gadgets"},"versions":[{"name":"v1","served":true,
                          "storage":true,"schema":{"openAPIV3Schema":{"type":"object",
                          "x-kubernetes-preserve-unknown-fields":true}}}]}})"),
              "201");
    server_.loop().run_until_idle();
  }

  TestServer server_;
};

TEST_F(UpstreamWordsTest, OfBodiesThatCannotBeRead) {
  EXPECT_EQ(
      verdict("POST", kMaps, "a: [", kYaml),
      "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: did not find "
      "expected node content (613a205b)");
  EXPECT_EQ(
      verdict("POST", kMaps, "metadata:\n  name: a\n\tx: y\n", kYaml),
      "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): yaml: line 3: found a tab "
      "character that violates indentation (6d657461646174613a0a20206e616d653a20610a09783a20790a)");
  EXPECT_EQ(verdict("POST", kMaps, "{a: *b}", kYaml),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): yaml: unknown anchor 'b' "
            "referenced ({a: *b})");
  EXPECT_EQ(
      verdict("POST", kMaps, R"({"kind":1})"),
      "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "
      "json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({\"kind\":1})");
  EXPECT_EQ(verdict("POST", kMaps, "null"),
            "422 Invalid: ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required");
  EXPECT_EQ(
      server_.patch("apply", "/api/v1/namespaces/default/configmaps/a?fieldManager=m", "a: [").verdict(),
      "400 BadRequest: error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node "
      "content");
}

TEST_F(UpstreamWordsTest, OfKeysThatComeTwice) {
  const Reply merged = server_.post(std::string(kMaps) + "?dryRun=All",
                                    R"({"metadata":{"name":"p"},"data":{"a":"1","b":"2"},"data":{"a":"3","c":"4"}})");
  EXPECT_EQ(merged.at({"data"}), R"({"a":"3","b":"2","c":"4"})");
  EXPECT_EQ(merged.header("Warning"), R"(299 - "duplicate field \"data\"")");
  const std::string_view yaml = "metadata:\n  name: a\n  name: b\ndata: {c: d}\ndata: {e: f}\n";
  EXPECT_EQ(server_.send("POST", std::string(kMaps) + "?dryRun=All", yaml, kYaml).at({"metadata", "name"}), "b");
  EXPECT_EQ(server_.send("POST", std::string(kMaps) + "?dryRun=All", yaml, kYaml).at({"data"}), R"({"e":"f"})");
  EXPECT_EQ(
      verdict("POST", std::string(kMaps) + "?fieldValidation=Strict", yaml, kYaml),
      "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: "
      "unmarshal errors:\n  line 3: key \"name\" already set in map\n  line 5: key \"data\" already set in map");
}

TEST_F(UpstreamWordsTest, AsPeopleReadThem) {
  const net::Headers curl{{"User-Agent", "curl/8.0"}, {"Accept", "*/*"}};
  EXPECT_TRUE(server_.send("GET", kMaps, {}, {}, curl).body.starts_with("{\n  \"kind\""));
  EXPECT_TRUE(server_.send("GET", "/apis/apps", {}, {}, curl).body.starts_with("{\n  \"kind\""));
  EXPECT_TRUE(server_.send("GET", std::string(kMaps) + "/x", {}, {}, curl).body.starts_with("{\n  \"kind\""));
  EXPECT_TRUE(server_.send("GET", std::string(kMaps) + "?pretty=false", {}, {}, curl).body.starts_with("{\"kind\""));
  const Reply yaml = server_.send("GET", "/apis/apps", {}, {}, {{"Accept", "application/yaml"}});
  EXPECT_NE(yaml.body.find("\nname: apps\n"), std::string::npos) << yaml.body;
}

/// Each merge of objects under one key copies: the cost must stay bounded, whatever a client sends.
TEST_F(UpstreamWordsTest, OfAKeyThatComesVeryOften) {
  std::string body = R"({"metadata":{"name":"often"})";
  for (int i = 0; i < 20000; ++i) body += R"(,"data":{"k)" + std::to_string(i) + R"(":"v"})";
  EXPECT_EQ(verdict("POST", std::string(kMaps) + "?dryRun=All&fieldValidation=Ignore", body + "}"), "201");
}

/// Neither must a body full of mistakes.
TEST_F(UpstreamWordsTest, OfVeryManyMistakes) {
  std::string tolerations;
  for (int i = 0; i < 100000; ++i) tolerations += R"({"operator":"F"},)";
  tolerations.pop_back();
  const std::string body = server_
                               .post("/api/v1/namespaces/default/pods",
                                     R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],)"
                                     R"("tolerations":[)" +
                                         tolerations + "]}}")
                               .body;
  EXPECT_NE(body.find("spec.tolerations[999].operator"), std::string::npos);
  EXPECT_EQ(body.find("spec.tolerations[1000].operator"), std::string::npos);
}

TEST_F(UpstreamWordsTest, OfOptions) {
  EXPECT_EQ(
      verdict("DELETE", std::string(kMaps) + "/x", R"({"gracePeriodSeconds":"x"})"),
      "400 BadRequest: json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type "
      "int64");
  EXPECT_EQ(verdict("DELETE", std::string(kMaps) + "/x", R"({"kind":"Pod","apiVersion":"v1"})"),
            "400 BadRequest: no kind \"Pod\" is registered for version \"v1\" in scheme "
            "\"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"");
  EXPECT_EQ(verdict("DELETE", std::string(kMaps) + "/x", R"({"kind":"DeleteOptions","apiVersion":"apps/v1"})"),
            "404 NotFound: configmaps \"x\" not found");
  EXPECT_EQ(verdict("DELETE", std::string(kMaps) + "/x", R"({"dryRun":["x","All"]})"),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"x\",\"All\"]: "
            "supported values: \"All\"");
  EXPECT_EQ(verdict("POST", std::string(kMaps) + "?fieldManager=%01", R"({"metadata":{"name":"x"}})"),
            "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"\\x01\": invalid "
            "character U+0001 (at position 0)");
}

TEST_F(UpstreamWordsTest, OfVersions) {
  ASSERT_EQ(verdict("POST", kMaps, R"({"metadata":{"name":"a"}})"), "201");
  EXPECT_EQ(verdict("PUT", std::string(kMaps) + "/a", R"({"metadata":{"name":"a","resourceVersion":"x"}})"),
            "500: strconv.ParseUint: parsing \"x\": invalid syntax");
  EXPECT_EQ(verdict("GET", "/apis/apps/v9"), "404 NotFound: the server could not find the requested resource");
  EXPECT_EQ(verdict("GET", "/apis/apps/v9/things"), "404 NotFound: the server could not find the requested resource");
  EXPECT_EQ(verdict("GET", "/api/v2"), "404 NotFound: the server could not find the requested resource");
  EXPECT_EQ(server_.get("/apis/foo.io/v1/bars").body, "404 page not found\n");
  EXPECT_EQ(server_.get("/openapi/v3/apis/nope/v1").body, "");
  EXPECT_EQ(server_.get("/livez/ping").body, "ok");
  EXPECT_EQ(server_.get("/livez/poststarthook/start-apiextensions-informers").body, "404 page not found\n");
}

TEST_F(UpstreamWordsTest, OfPatches) {
  ASSERT_EQ(verdict("POST", "/api/v1/namespaces/default/pods",
                    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})"),
            "201");
  EXPECT_EQ(
      server_.patch("strategic-merge", "/api/v1/namespaces/default/pods/p", R"({"spec":{"priorityClassName":{}}})")
          .verdict(),
      "422 Invalid:  \"\" is invalid: patch: Invalid value: \"map[spec:map[priorityClassName:map[]]]\": "
      "unrecognized type: string");
  EXPECT_EQ(
      server_
          .patch("apply", std::string(kMaps) + "/b?fieldManager=m",
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"binaryData":{"x":"x"}})")
          .verdict(),
      "500: failed to convert new object (/b; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured "
      "object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0");
  EXPECT_EQ(server_
                .patch("strategic-merge", "/api/v1/namespaces/default/pods/p",
                       R"({"metadata":{"labels":null},"spec":{"priorityClassName":{"a":"2","c":null}}})")
                .verdict(),
            "422 Invalid:  \"\" is invalid: patch: Invalid value: \"map[metadata:map[labels:<nil>] "
            "spec:map[priorityClassName:map[a:2]]]\": unrecognized type: string");
  // What a merge touches is listed by name.
  EXPECT_EQ(server_.patch("merge", "/api/v1/namespaces/default/pods/p?dryRun=All", R"({"spec":{"z":1,"y":2}})")
                .headers.find("Warning")
                ->find("spec.y"),
            std::string_view(R"(299 - "unknown field \")").size());
}

TEST_F(UpstreamWordsTest, OfCustomObjects) {
  define_gadgets();
  EXPECT_EQ(verdict("POST", kGadgets, R"({"metadata":{"name":"g"}})"),
            "400 BadRequest: the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in "
            "'{\"metadata\":{\"name\":\"g\"}}' ({\"metadata\":{\"name\":\"g\"}})");
  EXPECT_EQ(verdict("POST", kGadgets, R"({"kind":"Gadget","metadata":{"name":"g"}})"),
            "400 BadRequest: the API version in the data () does not match the expected API version (example.com/v1)");
  EXPECT_EQ(verdict("POST", kGadgets, R"({"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"g"}})"),
            "422 Invalid: Other.example.com \"g\" is invalid: kind: Invalid value: \"Other\": must be Gadget");
  EXPECT_EQ(verdict("POST", kGadgets, R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}})"),
            "201");
  EXPECT_EQ(verdict("PUT", std::string(kGadgets) + "/g",
                    R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}})"),
            "422 Invalid: gadgets.example.com \"g\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
            "specified for an update");
  EXPECT_EQ(server_.get(kGadgets).at({"metadata", "continue"}), "");
  EXPECT_NE(server_.get(kGadgets).body.find(R"("continue":"")"), std::string::npos);
}

TEST_F(UpstreamWordsTest, OfLists) {
  ASSERT_EQ(verdict("POST", kMaps, R"({"metadata":{"name":"a","labels":{"tier":"2"}}})"), "201");
  EXPECT_NE(server_.get(std::string(kMaps) + "?labelSelector=tier%3E1").body.find(R"("name":"a")"), std::string::npos);
  EXPECT_EQ(server_.get(std::string(kMaps) + "?labelSelector=tier%3E2").at({"items"}), "[]");
  const net::Headers partial{{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}};
  const Reply none = server_.send("GET", std::string(kMaps) + "?labelSelector=no", {}, {}, partial);
  EXPECT_EQ(none.at({"items"}), "null");
  // A client that accepts nothing but a PartialObjectMetadataList gets an error as a Status nevertheless.
  const Reply refused = server_.send("GET", std::string(kMaps) + "?labelSelector=%21%21", {}, {}, partial);
  EXPECT_TRUE(refused.body.starts_with("{\n  \"kind\": \"Status\"")) << refused.body;
}

TEST_F(UpstreamWordsTest, OfFieldsByTheNamesOfTheirVersion) {
  const Reply event = server_.post("/apis/events.k8s.io/v1/namespaces/default/events",
                                   R"({"metadata":{"name":"e"},"regarding":{"namespace":"default"},"reason":"R",
                                       "note":"n","type":"Normal","eventTime":"2026-11-21T02:35:49.000001Z","action":"A",
                                       "reportingController":"k8s.io/c","reportingInstance":"i"})");
  ASSERT_EQ(event.verdict(), "201");
  EXPECT_NE(event.body.find(R"("f:note")"), std::string::npos);
  EXPECT_EQ(event.body.find(R"("f:message")"), std::string::npos);
  const Reply daemon = server_.post("/apis/apps/v1/namespaces/default/daemonsets",
                                    R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":
                                        {"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(daemon.verdict(), "201");
  EXPECT_NE(daemon.body.find(R"("f:deprecated.daemonset.template.generation")"), std::string::npos);
  EXPECT_NE(daemon.body.find(R"("deprecated.daemonset.template.generation":"1")"), std::string::npos);
}

TEST_F(UpstreamWordsTest, OfFinalizersOfWhatIsBeingDeleted) {
  ASSERT_EQ(verdict("POST", kMaps, R"({"metadata":{"name":"f","finalizers":["example.com/a"]}})"), "201");
  ASSERT_EQ(verdict("DELETE", std::string(kMaps) + "/f"), "200");
  const Reply refused = server_.patch("merge", std::string(kMaps) + "/f",
                                      R"({"metadata":{"finalizers":["example.com/a","example.com/b"]}})");
  EXPECT_EQ(
      refused.verdict(),
      "422 Invalid: ConfigMap \"f\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the "
      "object is being deleted, found new finalizers []string{\"example.com/b\"}");
}

TEST_F(UpstreamWordsTest, OfRefusedWorkloads) {
  const std::string_view jobs = "/apis/batch/v1/namespaces/default/cronjobs";
  EXPECT_EQ(
      verdict("POST", jobs,
              R"({"metadata":{"name":"d"},"spec":{"schedule":"often","concurrencyPolicy":"Foo","jobTemplate":{"spec":
                        {"template":{"spec":{"restartPolicy":"Always","containers":[{"name":"c","image":"x"}]}}}}}})"),
      "422 Invalid: CronJob.batch \"d\" is invalid: [spec.schedule: Invalid value: \"often\": expected exactly 5 "
      "fields, found 1: [often], spec.concurrencyPolicy: Unsupported value: \"Foo\": supported values: \"Allow\", "
      "\"Forbid\", \"Replace\", spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
      "\"OnFailure\", \"Never\"]");
  EXPECT_EQ(
      verdict("POST", "/api/v1/namespaces/default/persistentvolumeclaims",
              R"({"metadata":{"name":"d"},"spec":{"accessModes":["Foo"]}})"),
      "422 Invalid: PersistentVolumeClaim \"d\" is invalid: [spec.accessModes: Unsupported value: \"Foo\": supported "
      "values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\", "
      "spec.resources[storage]: Required value]");
  EXPECT_EQ(
      verdict("POST", "/apis/apps/v1/namespaces/default/deployments",
              R"({"metadata":{"name":"d"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":
                        [{"name":"c","image":"x"}]}}}})"),
      "422 Invalid: Deployment.apps \"d\" is invalid: [spec.selector: Required value, spec.template.metadata.labels: "
      "Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`]");
  EXPECT_EQ(
      verdict("POST", "/api/v1/namespaces/default/pods",
              R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{}]}})"),
      "422 Invalid: Pod \"p\" is invalid: spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists "
      "when `key` is empty, which means \"match all values and all keys\"");
  EXPECT_EQ(verdict("POST", "/api/v1/namespaces/default/resourcequotas",
                    R"({"metadata":{"name":"q"},"spec":{"scopes":["Foo"]}})"),
            "422 Invalid: ResourceQuota \"q\" is invalid: spec.scopes: Invalid value: [\"Foo\"]: unsupported scope");
}

}  // namespace
}  // namespace loadline::apiserver
