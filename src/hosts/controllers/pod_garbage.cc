#include "hosts/controllers/pod_garbage.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "hosts/controllers/disruption_target.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node.h"

namespace loadline::controllers {
namespace {

using Pod = Observed<kube::Pod>;

bool is_out_of_service(const kube::Node& node) {
  const bool is_ready = kube::has_true_condition(node.conditions, "Ready");
  return !is_ready && std::any_of(node.taints.begin(), node.taints.end(), [](const kube::Taint& taint) {
    return taint.key == "node.kubernetes.io/out-of-service";
  });
}

class PodGarbage final : public Controller {
 public:
  explicit PodGarbage(PodGarbageOptions options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "pod-garbage-collector"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys& keys) {
      count(change);
      if (too_many() > 0) keys.insert(std::get<1>(*finished_.begin()));
      const bool is_new = change.before == nullptr ||
                          change.before->view.spec->node_name != change.last().view.spec->node_name ||
                          change.before->is_being_deleted() != change.last().is_being_deleted();
      const bool concerns_us = !change.last().view.spec->node_name.empty() || change.last().is_being_deleted();
      if (is_new && concerns_us) keys.insert(change.last().key());
    });
    to.on<kube::Node>([this, &caches = to.caches()](const Change<kube::Node>& change, Keys& keys) {
      const std::string& name = change.last().metadata().name;
      if (change.after != nullptr) gone_since_.erase(name);
      const bool concerns_pods =
          change.before == nullptr || change.after == nullptr || is_out_of_service(change.after->view);
      if (!concerns_pods) return;
      for (const auto& [key, pod] : caches.pods_on(name)) keys.insert(key);
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const ObjectPtr<kube::Pod> pod = context.caches.of<kube::Pod>().find(key);
    if (pod == nullptr) return result;
    if (is_superfluous(*pod)) {
      take_away(*pod, {}, context.now, result);
      return result;
    }
    const std::string& node_name = pod->view.spec->node_name;
    if (node_name.empty()) {
      if (pod->is_being_deleted()) take_away(*pod, {}, context.now, result);
      return result;
    }
    if (const auto node = context.caches.of<kube::Node>().find("", node_name)) {
      if (pod->is_being_deleted() && is_out_of_service(node->view)) take_away(*pod, {}, context.now, result);
      return result;
    }
    const Instant end = gone_since_.try_emplace(node_name, context.now).first->second + options_.quarantine;
    if (context.now < end) {
      result.wake_after(end - context.now);
    } else {
      take_away(*pod, {"DeletionByPodGC", "PodGC: node no longer exists"}, context.now, result);
    }
    return result;
  }

 private:
  using Finished = std::tuple<Instant, ObjectKey>;  // by age

  static Finished finished(const Pod& pod) {
    return {pod.metadata().creation_timestamp.value_or(Instant{}), pod.key()};
  }

  void count(const Change<kube::Pod>& change) {
    if (change.before != nullptr && change.before->view.finished()) finished_.erase(finished(*change.before));
    if (change.after != nullptr && change.after->view.finished()) finished_.insert(finished(*change.after));
  }
  [[nodiscard]] std::size_t too_many() const {
    return options_.most_finished == 0 || finished_.size() <= options_.most_finished
               ? 0
               : finished_.size() - options_.most_finished;
  }
  [[nodiscard]] bool is_superfluous(const Pod& pod) const {
    if (too_many() == 0 || !pod.view.finished() || pod.is_being_deleted()) return false;
    std::size_t place = too_many();
    for (auto oldest = finished_.begin(); oldest != finished_.end() && place > 0; ++oldest, --place) {
      if (std::get<1>(*oldest) == pod.key()) return true;
    }
    return false;
  }

  static void take_away(const Pod& pod, const DisruptionReason& why, Instant now, Reconciliation& result) {
    if (!pod.view.finished()) result.then(mark_disrupted(pod, why, now, true));
    // What finalizers hold back was taken away already.
    if (pod.is_being_deleted() && pod.metadata().deletion_grace_period_seconds == 0) return;
    kube::DeleteOptions options;
    options.grace_period_seconds = 0;
    result.then(remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid, options));
  }

  PodGarbageOptions options_;
  std::map<std::string, Instant> gone_since_;  // nodes
  std::set<Finished> finished_;
};

}  // namespace

std::unique_ptr<Controller> make_pod_garbage(PodGarbageOptions options) {
  return std::make_unique<PodGarbage>(options);
}

}  // namespace loadline::controllers
