#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"
#include "foundation/base/rng.h"

namespace loadline::placement::testing {

inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kHostname = "kubernetes.io/hostname";
inline constexpr const char* kRack = "rack";

/// Nodes and pods with a bit of everything that decisions look at, from a seed.
class RandomObjects {
 public:
  explicit RandomObjects(std::uint64_t seed) : rng_(seed) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return rng_.below(limit); }
  [[nodiscard]] bool chance(std::uint64_t percent) { return rng_.below(100) < percent; }
  [[nodiscard]] std::string one_of(const std::vector<std::string>& texts) { return texts[rng_.below(texts.size())]; }

  cluster::testing::NodeBuilder node(const std::string& name) {
    cluster::testing::NodeBuilder builder(name);
    if (chance(85)) builder.zone(one_of({"a", "b", "c"}));
    if (chance(60)) builder.label(kRack, one_of({"r1", "r2", "r3", "r4"}));
    builder.label(kHostname, chance(97) ? name : "shared");
    builder.label("disk", one_of({"ssd", "hdd"}));
    builder.allocatable("cpu", one_of({"2", "4", "8"})).allocatable("memory", one_of({"4Gi", "8Gi"}));
    builder.allocatable("pods", one_of({"5", "10", "110"}));
    if (chance(20)) builder.taint("dedicated", kube::TaintEffect::kNoSchedule);
    if (chance(30)) builder.taint("slow", kube::TaintEffect::kPreferNoSchedule);
    if (chance(10)) builder.taint("slower", kube::TaintEffect::kPreferNoSchedule);
    if (chance(5)) builder.cordoned();
    if (chance(20)) builder.image("model", 600 << 20);
    return builder;
  }

  /// A template of pods. Its name is to be replaced.
  cluster::testing::PodBuilder pod(const std::string& name) {
    cluster::testing::PodBuilder builder(name);
    builder.label("app", one_of({"web", "db", "train"}));
    if (chance(80)) builder.request("cpu", one_of({"100m", "500m", "1", "1500m"}));
    if (chance(80)) builder.request("memory", one_of({"128Mi", "500Mi", "1Gi"}));
    if (chance(20)) builder.image("model");
    builder.priority(static_cast<std::int32_t>(rng_.below(3)) * 10);
    for (std::uint64_t i = rng_.below(3); i > 0; --i) constrain(builder);
    return builder;
  }

 private:
  void constrain(cluster::testing::PodBuilder& builder) {
    using namespace cluster::testing;  // NOLINT: the fixtures' words
    const std::string app = one_of({"web", "db", "train"});
    switch (rng_.below(10)) {
      case 0:
        builder.away_from(pods_with("app", app, one_of({kHostname, kZone, kRack})));
        break;
      case 1:
        builder.near(pods_with("app", app, one_of({kHostname, kZone, kRack})));
        break;
      case 2:
        builder.prefers_near(weight(), pods_with("app", app, one_of({kHostname, kZone, kRack})));
        break;
      case 3:
        builder.prefers_away_from(weight(), pods_with("app", app, one_of({kHostname, kZone})));
        break;
      case 4:
        builder.spread(spread(kube::UnsatisfiableAction::kDoNotSchedule, app));
        break;
      case 5:
        builder.spread(spread(kube::UnsatisfiableAction::kScheduleAnyway, app));
        break;
      case 6:
        builder.tolerates(tolerating("dedicated"));
        break;
      case 7:
        builder.prefers_nodes(weight(), label_in("disk", {"ssd"}));
        break;
      case 8:
        builder.requires_nodes(label_in("disk", {one_of({"ssd", "hdd"})}));
        break;
      default:
        builder.host_port(static_cast<std::int32_t>(8000 + rng_.below(2)));
        break;
    }
  }

  std::int32_t weight() { return static_cast<std::int32_t>(1 + rng_.below(100)); }

  kube::TopologySpreadConstraint spread(kube::UnsatisfiableAction action, const std::string& app) {
    const std::string key = one_of({kHostname, kZone, kRack});
    const auto skew = static_cast<std::int32_t>(1 + rng_.below(3));
    return cluster::testing::spread_over(key, skew, action, cluster::testing::selecting("app", app));
  }

  Rng rng_;
};

}  // namespace loadline::placement::testing
