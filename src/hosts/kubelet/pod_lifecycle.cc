#include "hosts/kubelet/pod_lifecycle.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/kubelet/pod_addresses.h"
#include "hosts/kubelet/pod_admission.h"
#include "hosts/kubelet/pod_events.h"
#include "hosts/kubelet/pod_plan.h"
#include "hosts/kubelet/pod_run.h"
#include "hosts/kubelet/pod_status.h"
#include "hosts/kubelet/stages.h"
#include "hosts/watching/object_key_hash.h"

namespace loadline::kubelet {
namespace {

using controllers::Context;
using document::Value;
using watching::Change;
using watching::Event;
using watching::ObjectKey;
using watching::ObjectPtr;
using watching::Observed;
using watching::Reconciliation;
using Node = Observed<kube::Node>;
using Pod = Observed<kube::Pod>;

/// What is remembered of a pod while it is on its machine.
struct Life {
  std::string uid;
  std::string node;
  PodPlan plan;
  std::uint64_t plan_revision = 0;  ///< of the pod it was made from
  double slowness = 1;
  PodRun run;
  std::string pod_ip;
  std::optional<Duration> told_to_stop;  ///< with that grace period
  std::optional<Instant> down_since;     ///< the machine
  std::uint64_t sent = 0;                ///< a hash of the patch written last
  std::uint64_t sent_at = 0;             ///< the pod's revision then
};

/// Of patches of one kind, which differ in their members, texts, numbers and booleans.
std::uint64_t hash_of(const Value& value) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = std::hash<std::string_view>()(value.type_name());
  const auto add = [&hash](std::uint64_t part) { hash = (hash ^ part) * kFactor + (hash >> 32U); };
  if (value.is_object()) {
    for (const document::Member& member : value.object()) {
      add(std::hash<std::string_view>()(member.key));
      add(hash_of(member.value));
    }
  } else if (value.is_array()) {
    for (const Value& element : value.array()) add(hash_of(element));
  } else if (value.is_string()) {
    add(std::hash<std::string_view>()(value.string()));
  } else if (value.is_integer()) {
    add(static_cast<std::uint64_t>(value.integer()));
  } else if (value.is_boolean()) {
    add(value.boolean() ? 1 : 2);
  }
  return hash;
}

bool has_changed(const Change<kube::Node>& change) {
  return change.before == nullptr || change.after == nullptr ||
         change.before->metadata().uid != change.after->metadata().uid ||
         change.before->metadata().annotations != change.after->metadata().annotations ||
         internal_ip(change.before->document) != internal_ip(change.after->document);
}

bool has_another_spec(const Change<kube::Pod>& change) {
  return change.before != nullptr && change.after != nullptr &&
         change.before->metadata().generation != change.after->metadata().generation;
}

/// When the deletion was asked for.
Instant asked_at(const Pod& pod, Duration grace, Instant now) {
  const Instant deadline = pod.metadata().deletion_timestamp.value_or(now);
  return std::min(Instant{deadline.nanoseconds - grace.nanoseconds}, now);
}

Duration deletion_grace(const Pod& pod, const PodPlan& plan) {
  const std::optional<std::int64_t>& seconds = pod.metadata().deletion_grace_period_seconds;
  return seconds ? Duration::seconds(std::clamp<std::int64_t>(*seconds, 0, 1'000'000'000)) : plan.grace;
}

class PodLifecycle final : public controllers::Controller {
 public:
  explicit PodLifecycle(PodLifecycleOptions options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "kubelet"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::Pod>([this](const Change<kube::Pod>& change, watching::Keys& keys) {
      addresses_.on_pod(change);
      const Pod& pod = change.last();
      if (pod.view.spec->node_name.empty()) return;
      // What is gone or has ended holds nothing, what was resized another amount: the pod that was promised the room
      // may be looked at before this one is.
      const bool holds_nothing = change.after == nullptr || change.after->view.finished();
      if (holds_nothing) admission_.release(pod.view.spec->node_name, pod.metadata().uid);
      if (!holds_nothing && has_another_spec(change)) admission_.resize(pod);
      keys.insert(pod.key());
    });
    to.on<kube::Node>([this, &caches = to.caches()](const Change<kube::Node>& change, watching::Keys& keys) {
      if (!has_changed(change)) return;
      if (change.after == nullptr) admission_.forget_node(change.last().metadata().name);
      for (const auto& [key, pod] : caches.pods_on(change.last().metadata().name)) keys.insert(key);
    });
    to.on<watching::Stage>([this, &caches = to.caches()](const Change<watching::Stage>& change, watching::Keys& keys) {
      stages_.on_stage(change);
      for (const auto& [name_space, pods] : caches.of<kube::Pod>().namespaces()) {
        for (const auto& [name, pod] : pods) {
          if (!pod->view.spec->node_name.empty()) keys.insert(pod->key());
        }
      }
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::Pod> pod = context.caches.of<kube::Pod>().find(key);
    const ObjectPtr<kube::Node> node =
        pod == nullptr ? nullptr : context.caches.of<kube::Node>().find("", pod->view.spec->node_name);
    if (node == nullptr || !is_virtual(node->view, options_.claim)) {
      forget(key);
      return {};
    }
    Reconciliation result;
    result.events = stages_.take_complaints();
    const Machine machine = machine_of(node->view, context.now);
    if (machine.next_change) result.wake_after(*machine.next_change - context.now);
    if (!machine.is_up) {
      note_power_cut(key, machine);
      return result;
    }
    if (stages_.rule_pods()) return follow_stages(*pod, *node, std::move(result), context);
    if (pod->view.finished()) {
      forget(key);
      remove_if_deleted(*pod, result);
      return result;
    }
    Life* life = find_life(key, *pod);
    if (life == nullptr) life = begin(*pod, *node, machine, context, result);
    if (life != nullptr) live(*life, *pod, *node, machine, context, result);
    return result;
  }

 private:
  // ---- beginning and end -------------------------------------------------------------------------------------------
  Life* find_life(const ObjectKey& key, const Pod& pod) {
    const auto found = lives_.find(key);
    if (found == lives_.end()) return nullptr;
    if (found->second.uid == pod.metadata().uid) return &found->second;
    forget(key);
    return nullptr;
  }

  void forget(const ObjectKey& key) {
    stages_.forget(key);
    const auto found = lives_.find(key);
    if (found == lives_.end()) return;
    admission_.release(found->second.node, found->second.uid);
    lives_.erase(found);
  }

  /// Null if the pod is not taken.
  Life* begin(const Pod& pod, const Node& node, const Machine& machine, const Context& context,
              Reconciliation& result) {
    const bool was_taken = pod.view.status.start_time.has_value();
    if (was_taken) {
      admission_.hold(pod, context.caches);
    } else if (const auto refusal = admission_.admit(node, pod, context.caches)) {
      refuse(pod, *refusal, context.now, result);
      return nullptr;
    }
    PodPlan plan = plan_pod(pod, machine.slowness);
    for (const std::string& problem : plan.problems) {
      result.events.push_back(pod_event(pod, Event::Type::kWarning, "InvalidAnnotation", problem));
    }
    PodRun run = was_taken ? PodRun::resume(plan, pod, context.now) : PodRun(plan, context.now);
    Life life{pod.metadata().uid,
              node.metadata().name,
              std::move(plan),
              pod.revision,
              machine.slowness,
              std::move(run),
              address_for(pod, node),
              {},
              {},
              {},
              0};
    return &lives_.insert_or_assign(pod.key(), std::move(life)).first->second;
  }

  static void refuse(const Pod& pod, const cluster::KubeletRejection& refusal, Instant now, Reconciliation& result) {
    result.events.push_back(pod_event(pod, Event::Type::kWarning, refusal.reason, refusal.message));
    const Value status = rejected_status(pod, refusal.reason, refusal.message, now);
    result.then(watching::patch(watching::kind_name<kube::Pod>(), pod.key(), kube::PatchType::kStrategic,
                                status_patch(pod, status), "status"));
  }

  std::string address_for(const Pod& pod, const Node& node) {
    if (!pod.view.status.pod_ip.empty()) return pod.view.status.pod_ip;
    if (pod.view.spec->host_network) return internal_ip(node.document);
    return addresses_.take(std::string(document::text_at(node.document, {"spec", "podCIDR"})));
  }

  void note_power_cut(const ObjectKey& key, const Machine& machine) {
    const auto found = lives_.find(key);
    if (found != lives_.end() && !found->second.down_since) found->second.down_since = machine.since;
  }

  /// Takes the object away for good. Finalizers may hold it back; then it was taken away already.
  static void remove_if_deleted(const Pod& pod, Reconciliation& result) {
    if (!pod.is_being_deleted() || pod.metadata().deletion_grace_period_seconds == 0) return;
    kube::DeleteOptions options;
    options.grace_period_seconds = 0;
    result.then(watching::remove(watching::kind_name<kube::Pod>(), pod.key(), pod.metadata().uid, options));
  }

  Reconciliation follow_stages(const Pod& pod, const Node& node, Reconciliation result, const Context& context) {
    lives_.erase(pod.key());
    Reconciliation wanted = stages_.advance(pod, {internal_ip(node.document), [&] { return address_for(pod, node); }},
                                            context.now, !context.failures.empty());
    if (result.again_after) wanted.wake_after(*result.again_after);
    wanted.events.insert(wanted.events.begin(), result.events.begin(), result.events.end());
    return wanted;
  }

  // ---- in between --------------------------------------------------------------------------------------------------
  void live(Life& life, const Pod& pod, const Node& node, const Machine& machine, const Context& context,
            Reconciliation& result) {
    const Instant now = context.now;
    std::vector<PodIncident> incidents;
    if (life.down_since) {
      life.run.advance(life.plan, *life.down_since, incidents);
      life.run.crash(life.plan, *life.down_since, now);
      life.down_since.reset();
    }
    if (life.plan_revision != pod.revision || life.slowness != machine.slowness) {
      life.plan = plan_pod(pod, machine.slowness);
      life.plan_revision = pod.revision;
      life.slowness = machine.slowness;
    }
    std::optional<Instant> next = life.run.advance(life.plan, now, incidents);
    if (pod.is_being_deleted()) {
      stop(life, pod, now, incidents);
      next = life.run.advance(life.plan, now, incidents);
    }
    if (next) result.wake_after({std::max<std::int64_t>((*next - now).nanoseconds, 0)});
    for (Event& event : pod_events(pod, life.plan, incidents)) result.events.push_back(std::move(event));
    write(life, pod, internal_ip(node.document), context, result);
    if (pod.is_being_deleted() && life.run.is_over(life.plan)) remove_if_deleted(pod, result);
  }

  static void stop(Life& life, const Pod& pod, Instant now, std::vector<PodIncident>& incidents) {
    const Duration grace = deletion_grace(pod, life.plan);
    if (life.told_to_stop && *life.told_to_stop <= grace) return;
    const bool is_first = !life.told_to_stop;
    life.told_to_stop = grace;
    life.run.stop(life.plan, is_first ? asked_at(pod, grace, now) : now, grace, incidents);
  }

  static void write(Life& life, const Pod& pod, const std::string& host_ip, const Context& context,
                    Reconciliation& result) {
    const Value status = pod_status(pod, life.plan, life.run, {host_ip, life.pod_ip}, context.now);
    Value patch = status_patch(pod, status);
    if (patch.is_null()) {
      life.sent = 0;  // it has taken effect: should others change it, that very patch is written again
      return;
    }
    // What the API server keeps in other words than ours is not written again and again.
    const std::uint64_t hash = hash_of(patch);
    const bool was_sent = context.failures.empty() && life.sent_at != pod.revision && life.sent == hash;
    if (was_sent) return;
    life.sent = hash;
    life.sent_at = pod.revision;
    result.then(watching::patch(watching::kind_name<kube::Pod>(), pod.key(), kube::PatchType::kStrategic,
                                std::move(patch), "status"));
  }

  PodLifecycleOptions options_;
  PodAddresses addresses_;
  PodAdmission admission_;
  Stages stages_;
  std::unordered_map<ObjectKey, Life, watching::ObjectKeyHash> lives_;
};

}  // namespace

std::unique_ptr<controllers::Controller> make_pod_lifecycle(PodLifecycleOptions options) {
  return std::make_unique<PodLifecycle>(options);
}

}  // namespace loadline::kubelet
