#include "hosts/controllers/node_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/node_taints.h"
#include "hosts/controllers/node_zones.h"
#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;
using Node = Observed<kube::Node>;

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr std::int64_t kLongestLease = std::int64_t{100} * 24 * 3600;  // seconds: more is nonsense
constexpr std::array<std::string_view, 4> kKubeletConditions = {"Ready", "MemoryPressure", "DiskPressure",
                                                                "PIDPressure"};

Value reference_by_name(const std::string& name, const std::string& uid) {
  return Value(Object{{"kind", Value("Node"), {}},
                      {"name", Value(name), {}},
                      {"uid", Value(uid), {}},
                      {"apiVersion", Value("v1"), {}}});
}

class NodeLifecycle final : public Controller {
 public:
  explicit NodeLifecycle(NodeLifecycleOptions options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "node-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Node>([this](const Change<kube::Node>& change, Keys& keys) {
      zones_.on_node(change);
      own_key(change, keys);
    });
    to.reads<kube::Pod>();
    to.reads<Lease>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const ObjectPtr<kube::Node> node = context.caches.of<kube::Node>().find(key);
    if (node == nullptr) {
      forget(key, result);
      return result;
    }
    note_disruption(context.now);
    Health& health = meet(*node, context.now, result);
    look_for_life(*node, health, context);
    const Duration grace = kube::find_condition(node->view.conditions, "Ready") == nullptr
                               ? options_.startup_grace
                               : std::max(options_.monitor_grace, health.patience);
    const Duration silence = context.now - health.alive_at;
    if (silence > grace) {
      declare_unknown(*node, context, result);
    } else {
      result.wake_after({grace.nanoseconds - silence.nanoseconds + 1});
    }
    keep_taints(*node, context.now, result);
    return result;
  }

 private:
  struct Health {
    std::string uid;
    Instant alive_at;                  ///< the last heartbeat
    std::optional<Instant> heartbeat;  ///< of the Ready condition
    std::string renewed;               ///< the Lease's renewTime
    Duration patience;                 ///< with a node that said that its Lease is to last so long
  };

  // ---- nodes that come and go --------------------------------------------------------------------------------------
  Health& meet(const Node& node, Instant now, Reconciliation& result) {
    const auto [at, is_new] = known_.try_emplace(node.metadata().name);
    Health& health = at->second;
    if (!is_new && health.uid == node.metadata().uid) return health;
    health = {node.metadata().uid, now, {}, {}, {}};
    const bool was_never_ready = kube::find_condition(node.view.conditions, "Ready") == nullptr;
    if (was_never_ready) health.alive_at = node.metadata().creation_timestamp.value_or(now);
    say(node.metadata().name, health.uid, "RegisteredNode",
        fmt::format("Node {0} event: Registered Node {0} in Controller", node.metadata().name), result);
    return health;
  }

  void forget(const ObjectKey& key, Reconciliation& result) {
    const auto found = known_.find(key.name);
    if (found == known_.end()) return;
    say(key.name, found->second.uid, "RemovingNode",
        fmt::format("Node {0} event: Removing Node {0} from Controller", key.name), result);
    known_.erase(found);
  }

  static void say(const std::string& name, const std::string& uid, std::string reason, std::string message,
                  Reconciliation& result) {
    result.events.push_back(
        {reference_by_name(name, uid), Event::Type::kNormal, std::move(reason), std::move(message)});
  }

  // ---- heartbeats --------------------------------------------------------------------------------------------------
  /// When all nodes were lost and some come back, all others get a new chance.
  void note_disruption(Instant now) {
    const bool all_lost = zones_.is_all_lost();
    if (all_were_lost_ && !all_lost) new_chance_ = now;
    all_were_lost_ = all_lost;
  }

  void look_for_life(const Node& node, Health& health, const Context& context) const {
    const kube::Condition* ready = kube::find_condition(node.view.conditions, "Ready");
    if (ready != nullptr && ready->last_heartbeat_time != health.heartbeat) {
      if (health.heartbeat) health.alive_at = context.now;
      health.heartbeat = ready->last_heartbeat_time;
    }
    if (const auto lease = context.caches.of<Lease>().find(kLeaseNamespace, node.metadata().name)) {
      // A kubelet's lasts 40 s, and kube-controller-manager waits for 50 s. Virtual nodes of a cluster whose clock runs
      // fast renew more rarely, and say so.
      const Value* duration = document::find_at(lease->document, {"spec", "leaseDurationSeconds"});
      const std::int64_t seconds = duration != nullptr && duration->is_integer() ? duration->integer() : 0;
      health.patience = Duration::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestLease) * 5 / 4);
      const std::string_view renewed = document::text_at(lease->document, {"spec", "renewTime"});
      if (renewed != health.renewed) {
        // The Lease was renewed since the last look, perhaps long ago: its renewTime says when.
        const Instant at = std::min(parse_rfc3339(renewed).value_or(context.now), context.now);
        health.alive_at = at > health.alive_at ? at : health.renewed.empty() ? health.alive_at : context.now;
        health.renewed = renewed;
      }
    }
    if (new_chance_) health.alive_at = std::max(health.alive_at, *new_chance_);
  }

  // ---- lost nodes --------------------------------------------------------------------------------------------------
  static void declare_unknown(const Node& node, const Context& context, Reconciliation& result) {
    const kube::Condition* ready = kube::find_condition(node.view.conditions, "Ready");
    if (ready != nullptr && ready->status == "Unknown") return;
    if (ready != nullptr && ready->status == "True") {
      Action said = patch_conditions(node, context.now);
      said.said_when_done =
          Event{reference_by_name(node.metadata().name, node.metadata().uid), Event::Type::kNormal, "NodeNotReady",
                fmt::format("Node {} status is now: NodeNotReady", node.metadata().name)};
      // Pods first: if that fails, it is tried again while the node still counts as ready.
      result.then(mark_pods_unready(node.metadata().name, context));
      result.then(std::move(said));
      return;
    }
    result.then(patch_conditions(node, context.now));
  }

  static Action patch_conditions(const Node& node, Instant now) {
    const std::string created = format_rfc3339(node.metadata().creation_timestamp.value_or(now));
    Array conditions;
    for (const std::string_view type : kKubeletConditions) {
      const kube::Condition* known = kube::find_condition(node.view.conditions, type);
      if (known != nullptr && known->status == "Unknown") continue;
      Object condition{{"type", Value(type), {}},
                       {"status", Value("Unknown"), {}},
                       {"lastTransitionTime", Value(format_rfc3339(now)), {}}};
      if (known == nullptr) condition.push_back({"lastHeartbeatTime", Value(created), {}});
      const bool never = known == nullptr;
      condition.push_back({"reason", Value(never ? "NodeStatusNeverUpdated" : "NodeStatusUnknown"), {}});
      condition.push_back(
          {"message", Value(never ? "Kubelet never posted node status." : "Kubelet stopped posting node status."), {}});
      conditions.emplace_back(std::move(condition));
    }
    const Value status(Object{{"conditions", Value(std::move(conditions)), {}}});
    const Value metadata(Object{{"uid", Value(node.metadata().uid), {}}});
    return patch(kind_name<kube::Node>(), node.key(), kube::PatchType::kStrategic,
                 Value(Object{{"metadata", metadata, {}}, {"status", status, {}}}), "status");
  }

  static std::vector<Action> mark_pods_unready(const std::string& node, const Context& context) {
    std::vector<Action> actions;
    for (const auto& [key, pod] : context.caches.pods_on(node)) {
      const kube::Condition* ready = kube::find_condition(pod->view.status.conditions, "Ready");
      if (ready == nullptr || ready->status == "False") continue;
      const Value condition(Object{{"type", Value("Ready"), {}},
                                   {"status", Value("False"), {}},
                                   {"lastTransitionTime", Value(format_rfc3339(context.now)), {}}});
      const Value status(Object{{"conditions", Value(Array{condition}), {}}});
      const Value metadata(Object{{"uid", Value(pod->metadata().uid), {}}});
      Action action = patch(kind_name<kube::Pod>(), key, kube::PatchType::kStrategic,
                            Value(Object{{"metadata", metadata, {}}, {"status", status, {}}}), "status");
      action.said_when_done = Event{reference_to(*pod), Event::Type::kWarning, "NodeNotReady", "Node is not ready"};
      actions.push_back(std::move(action));
    }
    return actions;
  }

  // ---- taints ------------------------------------------------------------------------------------------------------
  void keep_taints(const Node& node, Instant now, Reconciliation& result) {
    const std::string_view eviction = allowed_eviction(node, now, result);
    if (auto action = correct_taints(node, eviction, now)) result.then(std::move(*action));
  }

  /// The NoExecute taint that the node should have now: of new ones, only so many at a time.
  std::string_view allowed_eviction(const Node& node, Instant now, Reconciliation& result) {
    const std::string_view wanted = eviction_taint(node.view);
    if (wanted.empty()) return {};
    if (zones_.is_all_lost()) {
      result.wake_after(zones_.retry_after(zone_of(node.view), now));
      return {};
    }
    const bool has_one = has_taint(node.view, kNotReadyTaint, kube::TaintEffect::kNoExecute) ||
                         has_taint(node.view, kUnreachableTaint, kube::TaintEffect::kNoExecute);
    if (has_one || zones_.may_taint(zone_of(node.view), now)) return wanted;
    result.wake_after(zones_.retry_after(zone_of(node.view), now));
    return {};
  }

  NodeLifecycleOptions options_;
  NodeZones zones_;
  std::map<std::string, Health> known_;
  bool all_were_lost_ = false;
  std::optional<Instant> new_chance_;
};

}  // namespace

std::unique_ptr<Controller> make_node_lifecycle(NodeLifecycleOptions options) {
  return std::make_unique<NodeLifecycle>(options);
}

}  // namespace loadline::controllers
