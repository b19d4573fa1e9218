#include "hosts/kubelet/node_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/kubelet/device_plugin.h"
#include "hosts/kubelet/extended_resources.h"
#include "hosts/kubelet/go_duration.h"
#include "hosts/kubelet/node_report.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"

namespace loadline::kubelet {
namespace {

using controllers::Context;
using document::Array;
using document::Object;
using document::Value;
using watching::Change;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::ObjectPtr;
using watching::Observed;
using watching::Reconciliation;
using Node = Observed<kube::Node>;

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr std::string_view kInterruptionTaint = "loadline.dev/interruption";

/// "2026-01-01T00:00:00.123456Z".
std::string micro_time(Instant at) {
  std::string text = format_rfc3339(at);
  const std::int64_t fraction = (at.nanoseconds % 1'000'000'000 + 1'000'000'000) % 1'000'000'000 / 1000;
  text.insert(text.size() - 1, fmt::format(".{:06}", fraction));
  return text;
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return Rng(hash).next();
}

/// Which period since the beginning of time this is, shifted by the node's share of it.
std::int64_t turn_of(Instant at, Duration period, std::string_view name) {
  const auto span = static_cast<std::uint64_t>(period.nanoseconds);
  return (at.nanoseconds + static_cast<std::int64_t>(hash_of(name) % span)) / period.nanoseconds;
}

Duration until_next_turn(Instant now, Duration period, std::string_view name) {
  const auto offset = static_cast<std::int64_t>(hash_of(name) % static_cast<std::uint64_t>(period.nanoseconds));
  return {period.nanoseconds - (now.nanoseconds + offset) % period.nanoseconds};
}

class NodeStatus final : public controllers::Controller {
 public:
  explicit NodeStatus(NodeStatusOptions options) : options_(std::move(options)) {
    options_.lease_period = std::max(options_.lease_period, Duration::seconds(1));
  }

  [[nodiscard]] std::string_view name() const override { return "kubelet"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::Node>([this](const Change<kube::Node>& change, watching::Keys& keys) {
      if (change.after != nullptr) addresses_.insert(internal_ip(change.after->document));
      keys.insert(change.last().key());
    });
    to.on<kube::Pod>([this, &caches = to.caches()](const Change<kube::Pod>& change, watching::Keys& keys) {
      const bool had_plugins = plugins_.has_any();
      const bool matters = plugins_.on_change(change);
      // The first plugin of a cluster ends what was assumed about all nodes, and so does it begin with the last.
      if (plugins_.has_any() != had_plugins) return add_nodes_with_gpus(caches, keys);
      const std::string& node = change.last().view.spec->node_name;
      if (matters && !node.empty()) keys.insert({"", node});
    });
    const auto all_nodes = [this, &caches = to.caches()](const auto& change, watching::Keys& keys) {
      if (plugins_.on_change(change)) add_nodes_with_gpus(caches, keys);
    };
    to.on<kube::ConfigMap>(all_nodes);
    to.on<kube::DaemonSet>(all_nodes);
    to.on<kube::ClusterPolicy>([this, &caches = to.caches()](const Change<kube::ClusterPolicy>&, watching::Keys& keys) {
      add_nodes_with_gpus(caches, keys);
    });
    to.reads<watching::Lease>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::Node> node = context.caches.of<kube::Node>().find(key);
    if (node == nullptr || !is_virtual(node->view, options_.claim)) {
      known_.erase(key.name);
      return {};
    }
    Reconciliation result;
    if (interrupt(*node, context.now, result)) return result;
    const Machine machine = machine_of(node->view, context.now);
    if (machine.next_change) result.wake_after(*machine.next_change - context.now);
    Known& known = meet(*node, result);
    if (!machine.is_up) {
      known.was_down = true;
      return result;
    }
    report(*node, known, context, result);
    renew_lease(*node, known, context, result);
    result.wake_after(until_next_turn(context.now, lease_period(), key.name));
    return result;
  }

 private:
  struct Known {
    std::string uid;
    bool was_down = false;
    bool unschedulable = false;
    std::int64_t turn = -1;  ///< of the last renewal
    std::string address;
    kube::ResourceList extended;  ///< the capacity that its allocatable amounts follow already
  };

  void add_nodes_with_gpus(const watching::Caches& caches, watching::Keys& keys) const {
    for (const auto& [name, node] : caches.of<kube::Node>().in("")) {
      if (!plugins_.devices_of(*node, caches).devices.amounts.empty()) keys.insert({"", name});
    }
  }

  [[nodiscard]] Duration lease_period() const {
    return options_.changing_lease_period == nullptr
               ? options_.lease_period
               : std::max(options_.changing_lease_period->load(), options_.lease_period);
  }
  /// As rare as renewals have become.
  [[nodiscard]] Duration status_period() const {
    const double stretch =
        static_cast<double>(lease_period().nanoseconds) / static_cast<double>(options_.lease_period.nanoseconds);
    return {static_cast<std::int64_t>(static_cast<double>(options_.status_period.nanoseconds) * stretch)};
  }
  /// Four periods, as a kubelet's: the node lifecycle controller reads there how long to wait for a renewal.
  [[nodiscard]] std::int64_t lease_seconds() const {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return std::max(4 * lease_period().nanoseconds / kSecond, std::int64_t{40});
  }

  Known& meet(const Node& node, Reconciliation& result) {
    Known& known = known_[node.metadata().name];
    if (known.uid != node.metadata().uid) {
      known = {};
      known.uid = node.metadata().uid;
      known.unschedulable = node.view.unschedulable;
      known.extended = extended_capacity(node.view);
      if (kube::find_condition(node.view.conditions, "Ready") == nullptr)
        say(node, Event::Type::kNormal, "Starting", "Starting kubelet.", result);
    }
    if (known.unschedulable != node.view.unschedulable) {
      known.unschedulable = node.view.unschedulable;
      say_status(node, known.unschedulable ? "NodeNotSchedulable" : "NodeSchedulable", result);
    }
    return known;
  }

  static void say(const Node& node, Event::Type type, std::string reason, std::string message, Reconciliation& result) {
    result.events.push_back(
        {watching::reference_to(node), type, std::move(reason), std::move(message), node.metadata().name});
  }
  static void say_status(const Node& node, const char* reason, Reconciliation& result) {
    say(node, Event::Type::kNormal, reason, fmt::format("Node {} status is now: {}", node.metadata().name, reason),
        result);
  }

  // ---- what the kubelet says ---------------------------------------------------------------------------------------
  void report(const Node& node, Known& known, const Context& context, Reconciliation& result) {
    NodeReport report;
    report.now = context.now;
    report.kubelet_version = options_.kubelet_version;
    AdvertisedDevices advertised = plugins_.devices_of(node, context.caches);
    report.devices = std::move(advertised.devices);
    report.extended = allocatable_changes(node, known.extended, report.devices);
    if (report.extended.empty()) known.extended = extended_capacity(node.view);
    report.address = address_for(node, known);
    const kube::Condition* ready = kube::find_condition(node.view.conditions, "Ready");
    const bool is_ready = ready != nullptr && ready->status == "True";
    report.is_heartbeat =
        ready == nullptr || !ready->last_heartbeat_time || context.now - *ready->last_heartbeat_time >= status_period();
    Value patch = node_status_patch(node, report);
    Value labels = node_label_patch(node, report.devices);
    if (!labels.is_null()) {
      if (!advertised.assumption.empty()) {
        say(node, Event::Type::kNormal, "GpuSharingAssumed", advertised.assumption, result);
      }
      result.then(watching::patch(kind_name<kube::Node>(), node.key(), kube::PatchType::kMerge, std::move(labels)));
    }
    if (patch.is_null()) return;
    if (!is_ready) say_status(node, "NodeReady", result);
    if (known.was_down) {
      say(node, Event::Type::kWarning, "Rebooted", fmt::format("Node {} has been rebooted", node.metadata().name),
          result);
    }
    known.was_down = false;
    result.then(
        watching::patch(kind_name<kube::Node>(), node.key(), kube::PatchType::kStrategic, std::move(patch), "status"));
  }

  /// Of 172.16.0.0/12, by the node's name; no two nodes have the same.
  std::string address_for(const Node& node, Known& known) {
    if (!known.address.empty()) return known.address;
    const std::string there = internal_ip(node.document);
    if (!there.empty()) return known.address = there;
    constexpr std::uint64_t kHosts = 1U << 20;
    const std::uint64_t first = hash_of(node.metadata().name) % kHosts;
    for (std::uint64_t tried = 0; tried < kHosts; ++tried) {
      const std::uint64_t host = (first + tried) % kHosts;
      std::string address = fmt::format("172.{}.{}.{}", 16 + (host >> 16), host >> 8 & 255, host & 255);
      if ((host & 255) == 0 || (host & 255) == 255 || !addresses_.insert(address).second) continue;
      return known.address = std::move(address);
    }
    return {};
  }

  // ---- Leases ------------------------------------------------------------------------------------------------------
  void renew_lease(const Node& node, Known& known, const Context& context, Reconciliation& result) const {
    const std::string& name = node.metadata().name;
    const std::int64_t turn = turn_of(context.now, lease_period(), name);
    const ObjectKey key{std::string(kLeaseNamespace), name};
    const bool is_there = context.caches.of<watching::Lease>().find(key) != nullptr;
    if (is_there && known.turn == turn && context.failures.empty()) return;
    known.turn = turn;
    const watching::KindName& kind = kind_name<watching::Lease>();
    const Value now(micro_time(context.now));
    if (is_there) {
      const Value spec(Object{{"leaseDurationSeconds", Value(lease_seconds()), {}}, {"renewTime", now, {}}});
      result.then(watching::patch(kind, key, kube::PatchType::kMerge, Value(Object{{"spec", spec, {}}})));
    } else {
      result.then(watching::create(kind, kLeaseNamespace, new_lease(node, now)));
    }
  }

  [[nodiscard]] Value new_lease(const Node& node, const Value& now) const {
    const Value owner(Object{{"apiVersion", Value("v1"), {}},
                             {"kind", Value("Node"), {}},
                             {"name", Value(node.metadata().name), {}},
                             {"uid", Value(node.metadata().uid), {}}});
    const Value metadata(Object{{"name", Value(node.metadata().name), {}},
                                {"namespace", Value(kLeaseNamespace), {}},
                                {"ownerReferences", Value(Array{owner}), {}}});
    const Value spec(Object{{"holderIdentity", Value(node.metadata().name), {}},
                            {"leaseDurationSeconds", Value(lease_seconds()), {}},
                            {"renewTime", now, {}}});
    return Value(Object{{"apiVersion", Value("coordination.k8s.io/v1"), {}},
                        {"kind", Value("Lease"), {}},
                        {"metadata", metadata, {}},
                        {"spec", spec, {}}});
  }

  // ---- spot nodes --------------------------------------------------------------------------------------------------
  /// True if the machine is being taken away now. First it is tainted, as a handler of termination notices does; the
  /// taint says since when, also after a restart.
  static bool interrupt(const Node& node, Instant now, Reconciliation& result) {
    AnnotationReader annotations(node.metadata().annotations);
    const std::optional<Duration> notice = annotations.duration(kInterruption);
    if (!notice) return false;
    const auto taint = std::find_if(node.view.taints.begin(), node.view.taints.end(),
                                    [](const kube::Taint& one) { return one.key == kInterruptionTaint; });
    if (taint == node.view.taints.end()) {
      say(node, Event::Type::kWarning, "SpotInterruption",
          fmt::format("The machine will be taken away in {}", go_duration(*notice)), result);
      result.then(taint_patch(node, now));
      result.wake_after(*notice);
      return false;
    }
    const Instant end = taint->time_added.value_or(now) + *notice;
    if (now < end) {
      result.wake_after(end - now);
      return false;
    }
    say(node, Event::Type::kNormal, "DeletingNode",
        fmt::format("Deleting node {} because the machine was taken away", node.metadata().name), result);
    result.then(watching::remove(kind_name<kube::Node>(), node.key(), node.metadata().uid));
    return true;
  }

  static watching::Action taint_patch(const Node& node, Instant now) {
    const Value* there = document::find_at(node.document, {"spec", "taints"});
    Array taints = there != nullptr && there->is_array() ? there->array() : Array();
    taints.emplace_back(Object{{"key", Value(kInterruptionTaint), {}},
                               {"effect", Value("NoSchedule"), {}},
                               {"timeAdded", Value(format_rfc3339(now)), {}}});
    const Value metadata(
        Object{{"resourceVersion", Value(document::text_at(node.document, {"metadata", "resourceVersion"})), {}}});
    const Value spec(Object{{"taints", Value(std::move(taints)), {}}});
    return watching::patch(kind_name<kube::Node>(), node.key(), kube::PatchType::kMerge,
                           Value(Object{{"metadata", metadata, {}}, {"spec", spec, {}}}));
  }

  NodeStatusOptions options_;
  std::map<std::string, Known> known_;
  std::set<std::string> addresses_;  // of nodes, ever
  DevicePlugins plugins_;
};

}  // namespace

std::unique_ptr<controllers::Controller> make_node_status(NodeStatusOptions options) {
  return std::make_unique<NodeStatus>(std::move(options));
}

}  // namespace loadline::kubelet
