#include "brain/cluster/shapes/shape_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using namespace testing;  // NOLINT: the fixtures' words

constexpr auto kHard = kube::UnsatisfiableAction::kDoNotSchedule;
using Change = std::function<void(PodBuilder&)>;

PodBuilder base() {
  return pod("base").label("app", "web").request("cpu", "1").owned_by("ReplicaSet", "web").image("nginx");
}

std::string spec_key_with(const Change& change) {
  PodBuilder builder = base();
  change(builder);
  return spec_key(*builder.build().spec);
}

std::string pod_key_with(const Change& change) {
  PodBuilder builder = base();
  change(builder);
  std::string key;
  append_pod_key(key, builder.build());
  return key;
}

struct Difference {
  const char* what;
  Change change;
};

TEST(SpecKeyTest, TellsApartWhatADecisionCanSee) {
  const Difference differences[] = {
      {"request", [](auto& p) { p.request("cpu", "2"); }},
      {"another resource", [](auto& p) { p.request("memory", "1"); }},
      {"limit", [](auto& p) { p.spec().containers[0].resources.limits["cpu"] = quantity("1"); }},
      {"another container", [](auto& p) { p.another_container(); }},
      {"init container", [](auto& p) { p.init_container("cpu", "1"); }},
      {"sidecar", [](auto& p) { p.sidecar("cpu", "1"); }},
      {"overhead", [](auto& p) { p.overhead("cpu", "1"); }},
      {"pod-level resources", [](auto& p) { p.pod_level_request("cpu", "1"); }},
      {"image", [](auto& p) { p.image("httpd"); }},
      {"host port", [](auto& p) { p.host_port(80); }},
      {"host port's protocol", [](auto& p) { p.host_port(80, kube::Protocol::kUdp); }},
      {"host port's address", [](auto& p) { p.host_port(80, kube::Protocol::kTcp, "10.0.0.1"); }},
      {"node name", [](auto& p) { p.on_node("n"); }},
      {"node selector", [](auto& p) { p.selects_nodes("a", "1"); }},
      {"required node term", [](auto& p) { p.requires_nodes(label_in("a", {"1"})); }},
      {"required node field", [](auto& p) { p.requires_nodes(named("n")); }},
      {"preferred node term", [](auto& p) { p.prefers_nodes(1, label_in("a", {"1"})); }},
      {"preferred node term's weight", [](auto& p) { p.prefers_nodes(2, label_in("a", {"1"})); }},
      {"affinity", [](auto& p) { p.near(pods_with("a", "1", "zone")); }},
      {"anti-affinity", [](auto& p) { p.away_from(pods_with("a", "1", "zone")); }},
      {"preferred affinity", [](auto& p) { p.prefers_near(1, pods_with("a", "1", "zone")); }},
      {"preferred anti-affinity", [](auto& p) { p.prefers_away_from(1, pods_with("a", "1", "zone")); }},
      {"spread", [](auto& p) { p.spread(spread_over("zone", 1, kHard, selecting("a", "1"))); }},
      {"spread's skew", [](auto& p) { p.spread(spread_over("zone", 2, kHard, selecting("a", "1"))); }},
      {"toleration", [](auto& p) { p.tolerates(tolerating("a")); }},
      {"scheduler", [](auto& p) { p.scheduler("other"); }},
      {"volume", [](auto& p) { p.spec().volumes.emplace_back().persistent_volume_claim = {"claim", false}; }},
      {"azureDisk", [](auto& p) { p.spec().volumes.emplace_back().azure_disk = {"disk", "uri", "Shared", false}; }},
      {"kind of azureDisk",
       [](auto& p) { p.spec().volumes.emplace_back().azure_disk = {"disk", "uri", "Managed", false}; }},
      {"uri of azureDisk",
       [](auto& p) { p.spec().volumes.emplace_back().azure_disk = {"disk", "other", "Shared", false}; }},
      {"portworxVolume", [](auto& p) { p.spec().volumes.emplace_back().portworx_volume = {"id", false}; }},
      {"azureFile", [](auto& p) { p.spec().volumes.emplace_back().azure_file = true; }},
      {"vsphereVolume", [](auto& p) { p.spec().volumes.emplace_back().vsphere_volume = true; }},
  };
  const std::string plain = spec_key_with([](auto&) {});
  std::vector<std::string> keys = {plain};
  for (const Difference& difference : differences) {
    SCOPED_TRACE(difference.what);
    const std::string key = spec_key_with(difference.change);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 0);
    EXPECT_EQ(key, spec_key_with(difference.change));
    keys.push_back(key);
  }
}

TEST(SpecKeyTest, LeavesOutNamesOfVolumesThatNoClaimIsNamedAfter) {
  const auto key_of = [](const char* volume) {
    return spec_key_with([volume](auto& p) { p.spec().volumes.emplace_back().name = volume; });
  };
  EXPECT_EQ(key_of("kube-api-access-x7k2p"), key_of("kube-api-access-9dlqw"));
  const auto key_with_claim = [](const char* volume) {
    return spec_key_with([volume](auto& p) {
      p.spec().volumes.emplace_back().name = volume;
      p.spec().volumes.back().ephemeral_claim.emplace();
    });
  };
  EXPECT_NE(key_with_claim("a"), key_with_claim("b"));
}

TEST(SpecKeyTest, LeavesOutWhatNoDecisionReads) {
  const std::string plain = spec_key_with([](auto&) {});
  const Difference differences[] = {
      {"container's name", [](auto& p) { p.spec().containers[0].name = "other"; }},
      {"priority", [](auto& p) { p.priority(7); }},
      {"grace period", [](auto& p) { p.grace_period(1); }},
      {"hostname", [](auto& p) { p.spec().hostname = "web-0"; }},
  };
  for (const Difference& difference : differences) {
    SCOPED_TRACE(difference.what);
    EXPECT_EQ(spec_key_with(difference.change), plain);
  }
}

TEST(SpecKeyTest, DoesNotConfuseNeighbouringTexts) {
  const std::string one = spec_key_with([](auto& p) { p.selects_nodes("ab", "c"); });
  const std::string two = spec_key_with([](auto& p) { p.selects_nodes("a", "bc"); });
  EXPECT_NE(one, two);
}

TEST(PodKeyTest, TellsApartNamespaceLabelsControllerAndResizedResources) {
  const Difference differences[] = {
      {"namespace", [](auto& p) { p.in("other"); }},
      {"label", [](auto& p) { p.label("app", "db"); }},
      {"more labels", [](auto& p) { p.label("tier", "front"); }},
      {"controller", [](auto& p) { p.pod().metadata.owner_references[0].name = "other"; }},
      {"controller's kind", [](auto& p) { p.pod().metadata.owner_references[0].kind = "StatefulSet"; }},
      {"no controller", [](auto& p) { p.pod().metadata.owner_references.clear(); }},
      {"resized container",
       [](auto& p) { p.pod().status.container_statuses.emplace_back().allocated_resources["cpu"] = quantity("1"); }},
      {"resized pod", [](auto& p) { p.pod().status.allocated_resources["cpu"] = quantity("1"); }},
  };
  const std::string plain = pod_key_with([](auto&) {});
  for (const Difference& difference : differences) {
    SCOPED_TRACE(difference.what);
    EXPECT_NE(pod_key_with(difference.change), plain);
  }
}

TEST(PodKeyTest, LeavesOutNameUidAndAnnotations) {
  const std::string plain = pod_key_with([](auto&) {});
  EXPECT_EQ(pod_key_with([](auto& p) { p.pod().metadata.name = "other"; }), plain);
  EXPECT_EQ(pod_key_with([](auto& p) { p.pod().metadata.uid = "u"; }), plain);
  EXPECT_EQ(pod_key_with([](auto& p) { p.pod().metadata.annotations["a"] = "b"; }), plain);
}

TEST(PodKeyTest, PodsWithEphemeralClaimsAreNeverAlike) {
  const auto with_claim = [](const std::string& name) {
    return pod_key_with([&](auto& p) {
      p.pod().metadata.name = name;
      p.spec().volumes.emplace_back().ephemeral_claim.emplace();
    });
  };
  EXPECT_NE(with_claim("a"), with_claim("b"));
}

}  // namespace
}  // namespace loadline::cluster
