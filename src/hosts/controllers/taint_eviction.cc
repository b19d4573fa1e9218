#include "hosts/controllers/taint_eviction.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/taint_eviction.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/shapes/shape_compiler.h"
#include "brain/decision/eviction_text.h"
#include "hosts/controllers/disruption_target.h"
#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

using document::Object;
using document::Value;
using kube::TaintEffect;

const decision::CauseWords& words() { return decision::words_of(decision::EvictionCause::kTaint); }

std::vector<kube::Taint> evicting_taints(const kube::Node& node) {
  std::vector<kube::Taint> taints;
  std::copy_if(node.taints.begin(), node.taints.end(), std::back_inserter(taints),
               [](const kube::Taint& taint) { return taint.effect == TaintEffect::kNoExecute; });
  return taints;
}

std::optional<Duration> time_to_stay(const kube::PodSpec& spec, const std::vector<kube::Taint>& taints) {
  SymbolTable symbols;
  return cluster::time_to_stay(cluster::compile_taints(taints, symbols),
                               cluster::compile_tolerations(spec.tolerations, symbols));
}

std::optional<Instant> bound_at(const kube::Pod& pod) {
  const kube::Condition* scheduled = kube::find_condition(pod.status.conditions, "PodScheduled");
  if (scheduled == nullptr || scheduled->status != "True") return std::nullopt;
  return scheduled->last_transition_time;
}

/// When the pod and all of the taints had come together; a taint that does not say when it came, came now.
Instant together_since(const kube::Pod& pod, const std::vector<kube::Taint>& taints, Instant now) {
  Instant since = bound_at(pod).value_or(now);
  for (const kube::Taint& taint : taints) since = std::max(since, taint.time_added.value_or(now));
  return std::min(since, now);
}

class TaintEviction final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "taint-eviction-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Pod>([](const Change<kube::Pod>& change, Keys& keys) {
      const bool is_same = change.before != nullptr && change.after != nullptr &&
                           change.before->metadata().uid == change.after->metadata().uid &&
                           change.before->view.spec->node_name == change.after->view.spec->node_name &&
                           change.before->view.spec->tolerations == change.after->view.spec->tolerations &&
                           change.before->is_being_deleted() == change.after->is_being_deleted();
      if (!is_same && !change.last().view.spec->node_name.empty()) keys.insert(change.last().key());
    });
    to.on<kube::Node>([&caches = to.caches()](const Change<kube::Node>& change, Keys& keys) {
      const auto taints = [](const ObjectPtr<kube::Node>& node) {
        return node == nullptr ? std::vector<kube::Taint>() : evicting_taints(node->view);
      };
      if (taints(change.before) == taints(change.after)) return;
      for (const auto& [key, pod] : caches.pods_on(change.last().metadata().name)) keys.insert(key);
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const ObjectPtr<kube::Pod> pod = context.caches.of<kube::Pod>().find(key);
    const ObjectPtr<kube::Node> node =
        pod == nullptr ? nullptr : context.caches.of<kube::Node>().find("", pod->view.spec->node_name);
    const std::vector<kube::Taint> taints = node == nullptr ? std::vector<kube::Taint>() : evicting_taints(node->view);
    if (pod == nullptr || pod->is_being_deleted()) {
      noticed_.erase(key);
      return result;
    }
    const std::optional<Duration> allowed = time_to_stay(*pod->view.spec, taints);
    if (!allowed) {
      if (noticed_.erase(key) > 0) result.events.push_back(say(key, "Cancelling deletion of Pod " + key.to_string()));
      return result;
    }
    if (*allowed == Duration{}) {
      evict(*pod, context.now, result);
      return result;
    }
    const Eviction& eviction = schedule(key, together_since(pod->view, taints, context.now) + *allowed, context.now);
    if (context.now < eviction.at) {
      result.wake_after(eviction.at - context.now);
    } else {
      evict(*pod, context.now, result);
    }
    return result;
  }

 private:
  struct Eviction {
    Instant made;
    Instant at;
  };

  /// A time that was set stays, whatever tolerationSeconds or other taints say later, until the eviction is cancelled.
  /// Source: processPodOnNode in pkg/controller/tainteviction, v1.36.
  const Eviction& schedule(const ObjectKey& key, Instant at, Instant now) {
    const auto [eviction, is_new] = noticed_.try_emplace(key, Eviction{now, at});
    if (!is_new && eviction->second.made == now) eviction->second.at = at;
    return eviction->second;
  }

  void evict(const Observed<kube::Pod>& pod, Instant now, Reconciliation& result) {
    noticed_.erase(pod.key());
    decision::EvictionFacts facts;
    facts.cause = decision::EvictionCause::kTaint;
    facts.pod = pod.key().to_string();
    result.events.push_back(say(pod.key(), decision::event_text(facts)));
    if (!has_disruption_target(pod.view)) {
      result.then(mark_disrupted(pod, {words().condition, decision::condition_text(facts)}, now, false));
    }
    result.then(remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid));
  }

  static Event say(const ObjectKey& pod, std::string message) {
    Value reference(Object{{"kind", Value("Pod"), {}},
                           {"namespace", Value(pod.name_space), {}},
                           {"name", Value(pod.name), {}},
                           {"apiVersion", Value("v1"), {}}});
    return {std::move(reference), Event::Type::kNormal, std::string(words().event), std::move(message)};
  }

  std::map<ObjectKey, Eviction> noticed_;  // pods that will have to go
};

}  // namespace

std::unique_ptr<Controller> make_taint_eviction(TaintEvictionOptions /*options*/) {
  return std::make_unique<TaintEviction>();
}

}  // namespace loadline::controllers
