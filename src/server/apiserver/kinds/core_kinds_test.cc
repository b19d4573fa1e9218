#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

std::string path(std::string_view resource, std::string_view name = "x") {
  const bool is_of_cluster = resource == "nodes" || resource == "persistentvolumes";
  return fmt::format("/api/v1/{}{}/{}", is_of_cluster ? "" : "namespaces/default/", resource, name);
}

std::string collection(std::string_view resource) {
  const std::string whole = path(resource, "");
  return whole.substr(0, whole.size() - 1);
}

/// An object named x with these members.
std::string object(std::string_view members) {
  return fmt::format(R"({{"metadata":{{"name":"x"}}{}{}}})", members.empty() ? "" : ",", members);
}

/// "201", or what is wrong: the message behind `Kind "x" is invalid: `.
std::string problem(const Reply& reply) {
  const std::string message = reply.at({"message"});
  constexpr std::string_view kMark = " is invalid: ";
  const std::size_t at = message.find(kMark);
  return reply.status < 300 || at == std::string::npos ? reply.verdict() : message.substr(at + kMark.size());
}

struct Creation {
  std::string_view resource;
  std::string_view members;
  std::string_view expected;
};

TEST(CoreKinds, RefuseInUpstreamsWords) {
  TestServer server;
  for (const Creation& each : {
           Creation{"configmaps", R"("data":{"a":"b"},"binaryData":{"a":"Yg=="})",
                    "data[a]: Invalid value: \"a\": duplicate of key present in binaryData"},
           Creation{"configmaps", R"("data":{"a/b":""})",
                    "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, "
                    "'-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                    "'[-._a-zA-Z0-9]+')"},
           Creation{"secrets", R"("type":"kubernetes.io/tls","data":{"tls.crt":"Yg=="})",
                    "data[tls.key]: Required value"},
           Creation{"secrets", R"("type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"W10="})",
                    "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal "
                    "array into Go value of type map[string]interface {}"},
           Creation{"secrets", R"("type":"kubernetes.io/basic-auth")",
                    "[data[username]: Required value, data[password]: Required value]"},
           Creation{"events", R"("involvedObject":{"namespace":"other"})",
                    "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace"},
           Creation{"endpoints", R"("subsets":[{"addresses":[{"ip":"127.0.0.1"}],"ports":[{"port":0}]}])",
                    "[subsets[0].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range "
                    "(127.0.0.0/8, ::1/128), subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, "
                    "inclusive]"},
           Creation{"resourcequotas", R"("spec":{"hard":{"pods":"-1"}})",
                    "spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"},
           Creation{"persistentvolumes", R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]})",
                    "spec: Required value: must specify a volume type"},
           Creation{"nodes", R"("spec":{"podCIDRs":["10.0.0.1/8"]})",
                    "spec.podCIDRs[0]: Invalid value: \"10.0.0.1/8\": must not have bits set beyond the prefix length"},
           Creation{"services", R"("spec":{"selector":{"a":"b"}})", "spec.ports: Required value"},
           Creation{"services", R"("spec":{"type":"ExternalName"})", "spec.externalName: Required value"},
           Creation{"services", R"("spec":{"ports":[{"port":80,"nodePort":30000}]})",
                    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
           Creation{
               "services", R"("spec":{"clusterIP":"1.2.3.4","ports":[{"port":80}]})",
               "spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: the provided network "
               "does not match the current range"},
           Creation{"services", R"("spec":{"clusterIP":"10.96.0.1","ports":[{"port":80}]})",
                    "spec.clusterIPs: Invalid value: [\"10.96.0.1\"]: failed to allocate IP 10.96.0.1: provided IP is "
                    "already allocated"},
           Creation{"services", R"("spec":{"type":"NodePort","ports":[{"port":80,"nodePort":80}]})",
                    "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of "
                    "valid ports is 30000-32767"},
           Creation{"services", R"("spec":{"ipFamilyPolicy":"RequireDualStack","ports":[{"port":80}]})",
                    "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for "
                    "dual-stack services"},
       }) {
    EXPECT_EQ(problem(server.post(collection(each.resource), object(each.members))), each.expected) << each.members;
  }
}

struct Change {
  std::string_view resource;
  std::string_view members;
  std::string_view patch;
  std::string_view expected;
};

TEST(CoreKinds, ChangeAsUpstreamAllows) {
  constexpr std::string_view kClaim =
      R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}})";
  constexpr std::string_view kVolume =
      R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}})";
  for (const Change& each : {
           Change{"configmaps", R"("data":{"a":"b"},"immutable":true)", R"({"data":{"a":"c"}})",
                  "data: Forbidden: field is immutable when `immutable` is set"},
           Change{"configmaps", R"("data":{"a":"b"},"immutable":true)", R"({"immutable":false})",
                  "immutable: Forbidden: field is immutable when `immutable` is set"},
           Change{"configmaps", R"("data":{"a":"b"},"immutable":true)", R"({"metadata":{"labels":{"a":"b"}}})", "200"},
           Change{"secrets", R"("type":"a/b")", R"({"type":"c/d"})",
                  "type: Invalid value: \"c/d\": field is immutable"},
           Change{"secrets", R"("type":"a/b")", R"({"type":null})",
                  "type: Invalid value: \"Opaque\": field is immutable"},
           Change{"nodes", R"("spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"],"providerID":"a"})",
                  R"({"spec":{"providerID":"b"}})",
                  "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid"},
           Change{"nodes", "", R"({"spec":{"taints":[{"key":"a b","effect":"Foo"}]}})",
                  "[metadata.taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, "
                  "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
                  "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), "
                  "metadata.taints[0].effect: Unsupported value: \"Foo\": supported values: \"NoSchedule\", "
                  "\"PreferNoSchedule\", \"NoExecute\"]"},
           Change{"persistentvolumeclaims", kClaim, R"({"spec":{"accessModes":["ReadOnlyMany"]}})",
                  "spec: Forbidden: spec is immutable after creation except resources.requests and "
                  "volumeAttributesClassName for bound claims\n- spec.accessModes[0]: \"ReadWriteOnce\"\n+ "
                  "spec.accessModes[0]: \"ReadOnlyMany\"\n"},
           Change{"persistentvolumeclaims", kClaim, R"({"spec":{"volumeName":"v"}})", "200"},
           Change{"persistentvolumeclaims", kClaim, R"({"spec":{"storageClassName":"fast"}})", "200"},
           Change{"persistentvolumes", kVolume, R"({"spec":{"hostPath":{"path":"/b"}}})",
                  "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n- "
                  "spec.hostPath.path: \"/a\"\n+ spec.hostPath.path: \"/b\"\n"},
           Change{"persistentvolumes", kVolume, R"({"spec":{"persistentVolumeReclaimPolicy":"Delete"}})", "200"},
           Change{"resourcequotas", R"("spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]})",
                  R"({"spec":{"scopes":null}})", "spec.scopes: Invalid value: null: field is immutable"},
           Change{"services", R"("spec":{"clusterIP":"10.96.0.9","ports":[{"port":80}]})",
                  R"({"spec":{"clusterIP":"10.96.0.10"}})",
                  "spec.clusterIPs[0]: Invalid value: [\"10.96.0.10\"]: may not change once set"},
       }) {
    TestServer server;
    ASSERT_EQ(problem(server.post(collection(each.resource), object(each.members))), "201") << each.members;
    EXPECT_EQ(problem(server.patch("merge", path(each.resource), each.patch)), each.expected) << each.patch;
  }
}

TEST(CoreKinds, StartWithTheStatusOfTheirKind) {
  TestServer server;
  const Reply claim =
      server.post(collection("persistentvolumeclaims"),
                  object(R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}})"));
  EXPECT_EQ(claim.at({"status"}), R"({"phase":"Pending"})");
  const Reply volume = server.post(collection("persistentvolumes"),
                                   object(R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"
                                          R"("hostPath":{"path":"/a"}},"status":{"phase":"Bound"})"));
  EXPECT_EQ(volume.at({"status", "phase"}), "Pending");
  const Reply quota = server.post(collection("resourcequotas"), object(R"("spec":{"hard":{"pods":"1"}})"));
  EXPECT_EQ(quota.at({"status"}), "{}");
}

TEST(Services, GetNumbersThatNoOtherServiceHas) {
  TestServer server;
  const Reply own = server.get(path("services", "kubernetes"));
  EXPECT_EQ(own.at({"spec", "clusterIP"}), "10.96.0.1");
  EXPECT_EQ(own.at({"spec", "ipFamilies"}), R"(["IPv4"])");
  const Reply made =
      server.post(collection("services"), object(R"("spec":{"selector":{"a":"b"},"ports":[{"port":80}]})"));
  ASSERT_EQ(made.verdict(), "201");
  const std::string address = made.at({"spec", "clusterIP"});
  EXPECT_TRUE(address.starts_with("10.96.")) << made.body;
  // The members of the specification come in upstream's order, and the status is written.
  EXPECT_EQ(made.at({"spec"}),
            fmt::format(R"({{"ports":[{{"protocol":"TCP","port":80,"targetPort":80}}],"selector":{{"a":"b"}},)"
                        R"("clusterIP":"{0}","clusterIPs":["{0}"],"type":"ClusterIP","sessionAffinity":"None",)"
                        R"("ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"}})",
                        address));
  EXPECT_EQ(made.at({"status"}), R"({"loadBalancer":{}})");
  const std::string taken =
      fmt::format(R"({{"metadata":{{"name":"y"}},"spec":{{"clusterIP":"{}","ports":[{{"port":80}}]}}}})", address);
  EXPECT_EQ(server.post(collection("services"), taken).status, 422);
}

TEST(Services, AreHeadlessIfTheySaySo) {
  TestServer server;
  const Reply reply =
      server.post(collection("services"), object(R"("spec":{"clusterIP":"None","selector":{"a":"b"}})"));
  EXPECT_EQ(reply.verdict(), "201");
  EXPECT_EQ(reply.at({"spec", "clusterIPs"}), R"(["None"])");
}

TEST(Services, ChangeTheirType) {
  TestServer server;
  ASSERT_EQ(server
                .post(collection("services"),
                      object(R"("spec":{"type":"NodePort","ports":[{"name":"a","port":53,"protocol":"UDP"},)"
                             R"({"name":"b","port":53}]})"))
                .verdict(),
            "201");
  const Reply before = server.get(path("services"));
  const std::string address = before.at({"spec", "clusterIP"});
  const std::size_t first = before.body.find("\"nodePort\":");
  ASSERT_NE(first, std::string::npos);
  const std::string port = before.body.substr(first, std::string_view("\"nodePort\":30000").size());
  EXPECT_NE(before.body.find(port, first + 1), std::string::npos) << "one port of nodes for TCP and UDP";

  // A client that knows nothing of numbers changes nothing by leaving them out.
  const Reply kept = server.put(path("services"),
                                object(R"("spec":{"type":"NodePort","ports":[{"name":"a","port":53,"protocol":"UDP"},)"
                                       R"({"name":"b","port":54}]})"));
  EXPECT_EQ(kept.at({"spec", "clusterIP"}), address);
  EXPECT_NE(kept.body.find(port), std::string::npos) << kept.body;

  const Reply plain = server.patch("merge", path("services"), R"({"spec":{"type":"ClusterIP"}})");
  EXPECT_EQ(problem(plain), "200");
  EXPECT_EQ(plain.body.find("nodePort"), std::string::npos) << plain.body;
  EXPECT_EQ(plain.at({"spec", "clusterIP"}), address);

  const Reply external =
      server.patch("merge", path("services"), R"({"spec":{"type":"ExternalName","externalName":"a.b"}})");
  EXPECT_EQ(problem(external), "200");
  EXPECT_EQ(external.at({"spec", "clusterIP"}), "");
  const Reply again = server.patch("merge", path("services"), R"({"spec":{"type":"ClusterIP","externalName":null}})");
  EXPECT_EQ(problem(again), "200");
  EXPECT_TRUE(again.at({"spec", "clusterIP"}).starts_with("10.96.")) << again.body;
}

TEST(Events, AreStricterInTheirOwnGroup) {
  TestServer server;
  constexpr std::string_view kNew = "/apis/events.k8s.io/v1/namespaces/default/events";
  EXPECT_EQ(server.post(collection("events"), object(R"("involvedObject":{"namespace":"default"})")).verdict(), "201");
  const std::string refused =
      problem(server.post(kNew, R"({"metadata":{"name":"y"},"regarding":{"namespace":"default"}})"));
  EXPECT_EQ(refused, "[eventTime: Required value, type: Invalid value: \"\": has invalid value: ]");
}

/// Kubernetes would have nothing to warn of: it enforces them.
TEST(AdmissionPolicies, AreStoredWithAWarningThatNothingEnforcesThem) {
  TestServer server;
  const std::string root = "/apis/admissionregistration.k8s.io/v1/";
  const auto warning = [&](const std::string& plural, std::string_view members) {
    const Reply reply = server.post(root + plural, object(members));
    return reply.status == 201 ? reply.header("Warning") : reply.verdict();
  };
  EXPECT_EQ(warning("validatingadmissionpolicies", R"("spec":{"validations":[{"expression":"false"}]})"),
            R"(299 - "ValidatingAdmissionPolicy \"x\" is stored, but not enforced: Loadline evaluates no admission )"
            R"(policies")");
  EXPECT_EQ(warning("mutatingwebhookconfigurations", R"("webhooks":[])"),
            R"(299 - "MutatingWebhookConfiguration \"x\" is stored, but not enforced: Loadline calls no webhooks")");
  const Reply changed = server.patch("merge", root + "validatingadmissionpolicies/x", R"({"metadata":{"labels":{}}})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.header("Warning"), "");
}

}  // namespace
}  // namespace loadline::apiserver
