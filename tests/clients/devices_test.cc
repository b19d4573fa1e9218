// A ledger of devices, on paper: a choice is predicted when a pod is placed, corrected when it is recorded, shared by
// the pods of one claim, and given back with the last of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "brain/cluster/ledgers/undo_log.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/placement/cycle.h"
#include "brain/placement/extensions.h"
#include "foundation/base/rng.h"

namespace loadline::engine::devices {

using decision::CarriedOut;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;

constexpr int kDevices = 4;  // of each node

struct Claim {
  NodeId node;
  std::set<int> devices;
  std::set<PodId> pods;  // that share it
  friend bool operator==(const Claim&, const Claim&) = default;
};

class Devices final : public cluster::Ledger {
 public:
  [[nodiscard]] const std::map<Symbol, Claim>& claims() const { return claims_; }
  [[nodiscard]] std::set<int> free(NodeId node) const {
    std::set<int> devices;
    for (int i = 0; i < kDevices; ++i) devices.insert(i);
    for (const auto& [name, claim] : claims_) {
      for (const int device : claim.devices) claim.node == node ? devices.erase(device) : 0;
    }
    return devices;
  }
  [[nodiscard]] bool fits(Symbol name, std::size_t count, NodeId node) const {
    const auto known = claims_.find(name);
    return known == claims_.end() ? free(node).size() >= count : known->second.node == node;
  }
  /// The first that are free: which the driver takes is not known yet.
  void predict(PodId pod, Symbol name, std::size_t count, NodeId node) {
    undo_.record(claims_);
    Claim& claim = claims_[name];
    claim.pods.insert(pod);
    if (claim.node.valid()) return;
    const std::set<int> devices = free(node);
    claim.node = node;
    for (auto device = devices.begin(); claim.devices.size() < count; ++device) claim.devices.insert(*device);
  }
  void correct(Symbol name, const std::set<int>& recorded) { claims_.at(name).devices = recorded; }

  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override {
    undo_.roll_back([this](const std::map<Symbol, Claim>& before) { claims_ = before; });
  }
  void end() override { undo_.end(); }
  void release(PodId pod) override {
    for (auto& [name, claim] : claims_) claim.pods.erase(pod);
    std::erase_if(claims_, [](const auto& each) { return each.second.pods.empty(); });
  }

 private:
  std::map<Symbol, Claim> claims_;
  cluster::UndoLog<std::map<Symbol, Claim>> undo_;
};

/// A pod's labels say which claim it has, and how many devices that is.
class DevicePlugin final : public placement::Plugin {
 public:
  explicit DevicePlugin(Devices& devices) : devices_(devices) {}
  [[nodiscard]] std::string_view name() const override { return "Devices"; }
  [[nodiscard]] placement::Points points() const override {
    return placement::Point::kPreFilter | placement::Point::kFilter | placement::Point::kReserve;
  }
  placement::RejectionId filter(placement::Cycle& cycle, NodeId node) const override {
    if (devices_.fits(claim_of(cycle), count_of(cycle), node)) return placement::kPassed;
    return cycle.reject(*this, placement::Code::kUnschedulable, placement::ReasonKind::kVolumeLimit);
  }
  void reserve(placement::Cycle& cycle, NodeId node) const override {
    devices_.predict(cycle.pod(), claim_of(cycle), count_of(cycle), node);
  }

 private:
  static Symbol claim_of(placement::Cycle& cycle) {
    return cycle.shape().labels.find(cycle.cluster().symbols().intern("claim"));
  }
  static std::size_t count_of(placement::Cycle& cycle) {
    const Symbol count = cycle.shape().labels.find(cycle.cluster().symbols().intern("devices"));
    return std::stoul(std::string(cycle.cluster().symbols().text(count)));
  }
  Devices& devices_;
};

class DeviceSource final : public placement::PluginSource {
 public:
  explicit DeviceSource(Devices& devices) : devices_(devices) {}
  [[nodiscard]] std::string_view name() const override { return "Devices"; }
  [[nodiscard]] Result<std::unique_ptr<placement::Plugin>> make(const kube::SchedulerProfile&) const override {
    return std::make_unique<DevicePlugin>(devices_);
  }

 private:
  Devices& devices_;
};

class DeviceClient : public ::testing::TestWithParam<int> {
 protected:
  DeviceClient() : random_(static_cast<std::uint64_t>(GetParam())) {
    cluster_.attach(devices_);
    for (const char* name : {"a", "b", "c"}) cluster_.add_node(cluster::testing::node(name));
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = "gang";
    group.policy.min_count = 2;
    cluster_.set_pod_group(group);
    kube::SchedulerConfiguration configuration;
    configuration.profiles.resize(1);
    configuration.profiles.front().plugins.multi_point.enabled = {{"Devices", 0}};
    placement::Extensions extensions;
    extensions.plugins.push_back(std::make_shared<DeviceSource>(devices_));
    dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), configuration, extensions),
                        Refusals::kTold, CarriedOut::kByHost);
  }

  void create() {
    const std::string claim = std::to_string(random_.below(8));
    const std::string count = std::to_string(1 + std::stoi(claim) % 3);
    cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
    pod.label("claim", claim).label("devices", count).group(random_.below(3) == 0 ? "gang" : "");
    waiting_.push_back(cluster_.add_pod(pod));
    dispatcher_->add(waiting_.back());
  }

  /// Some of what a turn placed is refused, the rest is a fact; a driver may have chosen other devices.
  void take_turns() {
    for (int i = 0; i < 8 && dispatcher_->has_next(); ++i) {
      const std::optional<Unit> unit = dispatcher_->next();
      if (!unit) return;
      const std::map<Symbol, Claim> before = devices_.claims();
      const Turn turn = dispatcher_->take(*unit);
      const bool is_refused = random_.below(100) < 40;
      bool has_placed = false;
      for (const PodTurn& pod : turn.pods) {
        if (!pod.node.valid()) continue;
        has_placed = true;
        is_refused ? dispatcher_->release(pod.pod) : dispatcher_->confirm(pod.pod);
        std::erase(waiting_, pod.pod);
        is_refused ? cluster_.remove_pod(pod.pod) : placed_.push_back(pod.pod);
      }
      if (is_refused || !has_placed) {
        EXPECT_EQ(devices_.claims(), before) << "a refusal leaves no trace";
      }
      record();
    }
  }

  void record() {
    for (const auto& [name, claim] : devices_.claims()) {
      std::set<int> others = devices_.free(claim.node);
      if (others.size() < claim.devices.size() || random_.below(100) >= 20) continue;
      std::set<int> recorded;
      while (recorded.size() < claim.devices.size()) recorded.insert(others.extract(others.begin()).value());
      return devices_.correct(name, recorded);
    }
  }

  void end_one() {
    if (placed_.empty()) return;
    const auto gone = placed_.begin() + static_cast<std::ptrdiff_t>(random_.below(placed_.size()));
    cluster_.release_claims(*gone);
    cluster_.remove_pod(*gone);
    placed_.erase(gone);
    dispatcher_->capacity_freed();
  }

  /// Each device is one claim's, and each claim's pods are where it is.
  void check() const {
    std::set<std::pair<NodeId, int>> taken;
    std::set<PodId> pods;
    for (const auto& [name, claim] : devices_.claims()) {
      for (const int device : claim.devices) EXPECT_TRUE(taken.emplace(claim.node, device).second);
      for (const PodId pod : claim.pods) EXPECT_EQ(cluster_.pod(pod).node, claim.node);
      pods.insert(claim.pods.begin(), claim.pods.end());
    }
    EXPECT_EQ(pods, std::set<PodId>(placed_.begin(), placed_.end()));
  }

  Rng random_;
  Devices devices_;
  cluster::Cluster cluster_;
  std::optional<Dispatcher> dispatcher_;
  std::vector<PodId> waiting_, placed_;
  int made_ = 0;
};

TEST_P(DeviceClient, GivesEachDeviceToOneClaimWhateverIsTriedOrRefused) {
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    create();
    take_turns();
    if (random_.below(100) < 30) end_one();
    check();
  }
  while (!placed_.empty()) end_one();
  EXPECT_TRUE(devices_.claims().empty());
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, DeviceClient,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::devices
