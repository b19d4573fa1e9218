#include "hosts/controllers/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "foundation/document/writer.h"
#include "hosts/controllers/endpoint_slice.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/core/service.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class EndpointsTest : public ::testing::Test {
 protected:
  EndpointsTest() {
    cluster_.add(make_endpoints_controller());
    cluster_.add(make_endpoint_slice_controller());
    cluster_.apply("{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {topology.kubernetes.io/zone: z}}}");
  }

  void make_service(const std::string& spec) {
    cluster_.apply(
        "{apiVersion: v1, kind: Service, metadata: {name: web, uid: web-uid, labels: {tier: front}}, spec: {" + spec +
        "}}");
  }
  void make_pod(const std::string& name, const std::string& ip, const std::string& ready,
                const std::string& more = "") {
    cluster_.apply("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: " + name +
                   ", labels: {app: web}}, spec: {nodeName: node-1, containers: [{name: c, ports: [{name: http, "
                   "containerPort: 8080}]}]" +
                   more + "}, status: {phase: Running, podIP: " + ip + ", podIPs: [{ip: " + ip +
                   "}], conditions: [{type: Ready, status: '" + ready + "'}]}}");
  }
  std::string endpoints() const {
    const auto found = cluster_.get<Endpoints>("web");
    const Value* subsets = found == nullptr ? nullptr : found->document.find("subsets");
    return subsets == nullptr ? "" : document::write_json(*subsets);
  }
  std::vector<ObjectPtr<EndpointSlice>> slices() const { return cluster_.all<EndpointSlice>(); }
  std::size_t size_of(const Observed<EndpointSlice>& slice) const {
    return slice.document.find("endpoints")->array().size();
  }

  testing::TestCluster cluster_;
  const std::string selecting_ =
      "clusterIP: 10.0.0.1, selector: {app: web}, ports: [{name: http, port: 80, "
      "protocol: TCP, targetPort: http}]";
};

TEST_F(EndpointsTest, ListsPodsThatAreReadyAndThoseThatAreNot) {
  make_service(selecting_);
  make_pod("a", "10.1.0.1", "True");
  make_pod("b", "10.1.0.2", "False");
  cluster_.settle();
  EXPECT_EQ(
      endpoints(),
      R"([{"addresses":[{"ip":"10.1.0.1","nodeName":"node-1","targetRef":{"kind":"Pod","namespace":"default",)"
      R"("name":"a","uid":"a"}}],"notReadyAddresses":[{"ip":"10.1.0.2","nodeName":"node-1","targetRef":{"kind":"Pod",)"
      R"("namespace":"default","name":"b","uid":"b"}}],"ports":[{"name":"http","port":8080,"protocol":"TCP"}]}])");
  EXPECT_EQ(document::write_json(*document::find_at(cluster_.get<Endpoints>("web")->document, {"metadata", "labels"})),
            R"({"endpoints.kubernetes.io/managed-by":"endpoint-controller","tier":"front"})");
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(
      document::write_json(*slices()[0]->document.find("endpoints")),
      R"([{"addresses":["10.1.0.1"],"conditions":{"ready":true,"serving":true,"terminating":false},)"
      R"("targetRef":{"kind":"Pod","namespace":"default","name":"a","uid":"a"},"nodeName":"node-1","zone":"z"},)"
      R"({"addresses":["10.1.0.2"],"conditions":{"ready":false,"serving":false,"terminating":false},)"
      R"("targetRef":{"kind":"Pod","namespace":"default","name":"b","uid":"b"},"nodeName":"node-1","zone":"z"}])");
  EXPECT_EQ(document::write_json(*slices()[0]->document.find("ports")),
            R"([{"name":"http","protocol":"TCP","port":8080}])");
  EXPECT_EQ(document::write_json(*document::find_at(slices()[0]->document, {"metadata", "labels"})),
            R"({"endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io",)"
            R"("kubernetes.io/service-name":"web","tier":"front"})");
  EXPECT_THAT(slices()[0]->metadata().name, StartsWith("web-"));
}

TEST_F(EndpointsTest, WritesOnlyWhatChanges) {
  make_service(selecting_);
  make_pod("a", "10.1.0.1", "True");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, SizeIs(2));
  cluster_.set<kube::Pod>("a", {"metadata", "annotations", "note"}, Value("x"));
  cluster_.settle();
  EXPECT_THAT(cluster_.done, SizeIs(2));
}

TEST_F(EndpointsTest, PodsThatLeaveStillServeInSlicesOnly) {
  make_service(selecting_);
  make_pod("a", "10.1.0.1", "True");
  cluster_.settle();
  cluster_.set<kube::Pod>("a", {"metadata", "deletionTimestamp"}, Value(format_rfc3339(cluster_.now)));
  cluster_.settle();
  EXPECT_EQ(endpoints(), "");
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(
      document::write_json(*document::find_at(slices()[0]->document.find("endpoints")->array().at(0), {"conditions"})),
      R"({"ready":false,"serving":true,"terminating":true})");
}

TEST_F(EndpointsTest, AServiceWithoutPodsHasAnEmptySlice) {
  make_service(selecting_);
  cluster_.settle();
  EXPECT_NE(cluster_.get<Endpoints>("web"), nullptr);
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(size_of(*slices()[0]), 0U);
  make_pod("a", "10.1.0.1", "True");
  cluster_.settle();
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(size_of(*slices()[0]), 1U);
}

TEST_F(EndpointsTest, AHeadlessServiceWithoutPortsNamesItsPods) {
  make_service("clusterIP: None, selector: {app: web}");
  make_pod("a", "10.1.0.1", "True", ", hostname: a, subdomain: web");
  cluster_.settle();
  EXPECT_EQ(endpoints(),
            R"([{"addresses":[{"ip":"10.1.0.1","hostname":"a","nodeName":"node-1","targetRef":{"kind":"Pod",)"
            R"("namespace":"default","name":"a","uid":"a"}}]}])");
  EXPECT_EQ(cluster_.get<Endpoints>("web")->metadata().labels.count("service.kubernetes.io/headless"), 1U);
  EXPECT_EQ(document::text_at(slices()[0]->document.find("endpoints")->array().at(0), {"hostname"}), "a");
}

TEST_F(EndpointsTest, LeavesServicesOfOthersAlone) {
  make_service("clusterIP: 10.0.0.1, ports: [{port: 80}]");
  make_pod("a", "10.1.0.1", "True");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, IsEmpty());
}

TEST_F(EndpointsTest, GoesWithItsService) {
  make_service(selecting_);
  cluster_.apply("{apiVersion: v1, kind: Endpoints, metadata: {name: mine}}");
  cluster_.settle();
  cluster_.caches.of<kube::Service>().erase({"default", "web"});
  cluster_.settle();
  EXPECT_EQ(cluster_.get<Endpoints>("web"), nullptr);
  EXPECT_NE(cluster_.get<Endpoints>("mine"), nullptr) << "what another client made stays";
}

TEST_F(EndpointsTest, SlicesHoldAHundredAndAreChangedAsLittleAsPossible) {
  make_service(selecting_);
  for (int i = 0; i < 250; ++i) {
    make_pod("p" + std::to_string(i), "10.2." + std::to_string(i / 100) + "." + std::to_string(i % 100), "True");
  }
  cluster_.settle();
  ASSERT_THAT(slices(), SizeIs(3));
  std::multiset<std::size_t> sizes;
  for (const auto& slice : slices()) sizes.insert(size_of(*slice));
  EXPECT_THAT(sizes, ElementsAre(50, 100, 100));
  cluster_.done.clear();
  cluster_.caches.of<kube::Pod>().erase({"default", "p7"});
  make_pod("new", "10.3.0.1", "True");
  cluster_.settle();
  std::size_t writes = 0;
  for (const std::string& done : cluster_.done) writes += done.starts_with("update endpointslices") ? 1U : 0U;
  EXPECT_EQ(writes, 1U) << "what comes takes the place of what went";
  ASSERT_THAT(slices(), SizeIs(3));
}

TEST_F(EndpointsTest, EndpointsAreCutOffAtAThousand) {
  make_service(selecting_);
  for (int i = 0; i < 1010; ++i) {
    make_pod("p" + std::to_string(i), "10.2." + std::to_string(i / 200) + "." + std::to_string(i % 200 + 1),
             i < 20 ? "False" : "True");
  }
  cluster_.settle();
  const auto found = cluster_.get<Endpoints>("web");
  const Value& subset = found->document.find("subsets")->array().at(0);
  EXPECT_EQ(subset.find("addresses")->array().size(), 990U);
  EXPECT_EQ(subset.find("notReadyAddresses")->array().size(), 10U);
  EXPECT_EQ(found->metadata().annotations.at("endpoints.kubernetes.io/over-capacity"), "truncated");
}

}  // namespace
}  // namespace loadline::controllers
