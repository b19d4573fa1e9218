#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/p";

std::string below(std::string_view subresource) { return fmt::format("{}/{}", kPod, subresource); }

class PodParts : public testing::Test {
 protected:
  PodParts() {
    EXPECT_EQ(server
                  .post("/api/v1/namespaces/default/pods",
                        R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i",)"
                        R"("resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"2"}}}]}})")
                  .verdict(),
              "201");
  }

  TestServer server;
};

TEST_F(PodParts, AddsEphemeralContainers) {
  const std::string path = below("ephemeralcontainers");
  // As `kubectl debug` sends it.
  const Reply added = server.patch(
      "strategic-merge", path,
      R"({"metadata":{"labels":{"a":"c"}},"spec":{"$setElementOrder/ephemeralContainers":[{"name":"d"}],)"
      R"("ephemeralContainers":[{"command":["ls"],"image":"busybox","name":"d","resources":{},)"
      R"("securityContext":{"capabilities":{"add":["SYS_PTRACE"]}},"terminationMessagePolicy":"File"}]}})");
  EXPECT_EQ(added.verdict(), "200");
  EXPECT_EQ(added.at({"metadata", "generation"}), "2");
  EXPECT_EQ(added.at({"metadata", "labels"}), R"({"a":"b"})");  // nothing else changes
  EXPECT_NE(added.body.find(R"("terminationMessagePath":"/dev/termination-log")"), std::string::npos);
  EXPECT_NE(added.body.find(R"("subresource":"ephemeralcontainers")"), std::string::npos);
  EXPECT_EQ(server.get(path).body, added.body);

  EXPECT_EQ(server
                .patch("json", path,
                       R"([{"op":"add","path":"/spec/ephemeralContainers/-","value":{"name":"e",)"
                       R"("image":"busybox","targetContainerName":"c"}}])")
                .verdict(),
            "200");
  EXPECT_EQ(server
                .patch("apply", path + "?fieldManager=me",
                       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"ephemeralContainers":[)"
                       R"({"name":"f","image":"busybox"}]}})")
                .verdict(),
            "200");
  const std::string pod = server.get(kPod).body;
  const std::string changed_image = [&] {
    std::string text = pod;
    return text.replace(text.find(R"("image":"busybox")"), 17, R"("image":"busybux")");
  }();
  EXPECT_EQ(server.put(path, pod).verdict(), "200");
  EXPECT_EQ(
      server.put(path, changed_image).verdict(),
      "422 Invalid: Pod \"p\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" "
      "may not be changed\n");
}

TEST_F(PodParts, RefusesEphemeralContainers) {
  struct Case {
    std::string_view containers;
    std::string_view message;
  };
  const Case cases[] = {
      {R"({"name":"c","image":"i"})", R"(spec.ephemeralContainers[0].name: Duplicate value: "c")"},
      {R"({"name":"d"})", "spec.ephemeralContainers[0].image: Required value"},
      {R"({"name":"d","image":"i","targetContainerName":"z"})",
       R"(spec.ephemeralContainers[0].targetContainerName: Not found: "z")"},
      {R"({"name":"d","image":"i","ports":[{"containerPort":80}]})",
       "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container"},
      {R"({"name":"d","image":"i","resources":{"limits":{"cpu":"1"}}})",
       "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container"},
      {R"({"name":"d","image":"i","volumeMounts":[{"name":"v","mountPath":"/v","subPath":"s"}]})",
       "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(server
                  .patch("merge", below("ephemeralcontainers"),
                         fmt::format(R"({{"spec":{{"ephemeralContainers":[{}]}}}})", c.containers))
                  .verdict(),
              fmt::format("422 Invalid: Pod \"p\" is invalid: {}", c.message));
  }
  EXPECT_EQ(server.patch("merge", "/api/v1/namespaces/default/pods/q/ephemeralcontainers", "{}").verdict(),
            R"(404 NotFound: pods "q" not found)");
}

TEST_F(PodParts, Resizes) {
  const Reply resized = server.patch(
      "strategic-merge", below("resize"),
      R"({"spec":{"nodeName":"n","containers":[{"name":"c","image":"other","resources":{"requests":{"cpu":"1500m"}}}]}})");
  EXPECT_EQ(resized.verdict(), "200");
  EXPECT_EQ(resized.at({"metadata", "generation"}), "2");
  EXPECT_EQ(resized.at({"spec", "nodeName"}), "");
  EXPECT_NE(resized.body.find(R"("requests":{"cpu":"1500m","memory":"1Gi"})"), std::string::npos) << resized.body;
  EXPECT_NE(resized.body.find(R"("image":"i")"), std::string::npos);
}

TEST_F(PodParts, RefusesResizes) {
  struct Case {
    std::string_view spec;
    std::string_view message;
  };
  const Case cases[] = {
      {R"({"containers":[{"name":"d","image":"i"}]})",
       "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"},
      {R"({"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]})",
       "spec.containers: Forbidden: containers may not be added or removed on resize"},
      {R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}}}]})",
       "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"},
      {R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"3","memory":"1Gi"},"limits":{"cpu":"2"}}}]})",
       R"(spec.containers[0].resources.requests: Invalid value: "3": must be less than or equal to cpu limit of 2)"},
      {R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi","example.com/x":"1"},)"
       R"("limits":{"cpu":"2","example.com/x":"1"}}}]})",
       "spec: Forbidden: only cpu and memory resources are mutable"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(server.patch("merge", below("resize"), fmt::format(R"({{"spec":{}}})", c.spec)).verdict(),
              fmt::format("422 Invalid: Pod \"p\" is invalid: {}", c.message));
  }
}

TEST_F(PodParts, LogsAndStreams) {
  EXPECT_EQ(server.get(below("log")).status, 200);
  EXPECT_EQ(server.get(below("log")).body, "");  // as upstream: a pod without a node has none
  EXPECT_EQ(server.post(below("exec?command=ls"), "").verdict(), "400 BadRequest: pod p does not have a host assigned");
  EXPECT_EQ(server.get(below("log?container=z")).verdict(), "400 BadRequest: container z is not valid for pod p");
  EXPECT_EQ(server.get("/api/v1/namespaces/default/pods/q/log").verdict(), R"(404 NotFound: pods "q" not found)");

  const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";
  ASSERT_EQ(server.post(below("binding"), binding).verdict(), "201");
  // Recorded: the node is looked up on behalf of the pod.
  for (const Reply& reply : {server.get(below("log")), server.post(below("exec?command=ls"), "")}) {
    EXPECT_EQ(reply.body,
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"n\" not found",)"
              R"("reason":"NotFound","details":{"name":"n","kind":"pods"},"code":404})"
              "\n");
  }
  ASSERT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})").status, 201);
  const Reply log = server.get(below("log?follow=true"));
  EXPECT_EQ(log.status, 200);
  EXPECT_EQ(log.header("Content-Type"), "text/plain");
  EXPECT_EQ(log.body, "No log: containers do not run on node n of this simulated cluster.\n");
  for (const std::string_view stream : {"exec?command=ls", "attach", "portforward"}) {
    EXPECT_EQ(server.get(below(stream)).status, 501) << stream;
  }
  EXPECT_EQ(server.get(below("proxy/index.html")).status, 501);
  EXPECT_EQ(server.get("/api/v1/nodes/n:10250/proxy/metrics").verdict(),
            "501 NotImplemented: nodes/proxy is not available: this server opens no connections");
  EXPECT_EQ(server.get("/api/v1/nodes/m/proxy/").verdict(), R"(404 NotFound: nodes "m" not found)");
}

TEST_F(PodParts, BindsWithWhatHadBeenSaidOfTheNodeForgotten) {
  ASSERT_EQ(server
                .patch("strategic-merge", below("status"),
                       R"({"status":{"nominatedNodeName":"m","conditions":[{"type":"PodScheduled","status":"True"},)"
                       R"({"type":"Ready","status":"False"}]}})")
                .verdict(),
            "200");
  EXPECT_EQ(server.post(below("binding"), R"({"metadata":{"name":"p"},"target":{"kind":"Pod"}})").verdict(),
            "500: [target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\", "
            "target.name: Required value]");
  ASSERT_EQ(server.post(below("binding"), R"({"metadata":{"name":"p"},"target":{"name":"n"}})").verdict(), "201");
  const Reply bound = server.get(kPod);
  EXPECT_EQ(bound.at({"spec", "nodeName"}), "n");
  EXPECT_EQ(bound.at({"status", "nominatedNodeName"}), "");
  // What was so already is so since then: upstream had not said since when.
  EXPECT_EQ(bound.body.find(R"("lastTransitionTime":"2)"), std::string::npos) << bound.body;
}

}  // namespace
}  // namespace loadline::apiserver
