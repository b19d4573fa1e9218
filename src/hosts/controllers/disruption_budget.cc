#include "hosts/controllers/disruption_budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/disruption_budget.h"
#include "foundation/document/at.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/core/service.h"
#include "objects/kube/encoder.h"
#include "objects/kube/policy/pod_disruption_budget_schema.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::PodDisruptionBudget;

constexpr std::string_view kDisruptionController =
    "controllermanager";  // so upstream's controller calls itself in events
constexpr Duration kDeletionTimeout = Duration::seconds(120);
constexpr std::string_view kAllowed = "DisruptionAllowed";

bool budget_selects(const PodDisruptionBudget& budget, const kube::StringMap& labels) {
  return budget.selector && matches(*budget.selector, labels);
}

/// As Go prints a *metav1.LabelSelector, which is what upstream's event shows.
std::string go_text(const kube::LabelSelector& selector) {
  std::string labels;
  for (const auto& [key, value] : selector.match_labels) labels += fmt::format("{}: {},", key, value);
  std::string expressions;
  constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
  for (const kube::LabelSelectorRequirement& requirement : selector.match_expressions) {
    expressions +=
        fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", requirement.key,
                    kOperators[static_cast<std::size_t>(requirement.op)], fmt::join(requirement.values, " "));
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
      labels, expressions);
}

/// What the controllers of a budget's pods want together, or why that cannot be told.
class ExpectedScale {
 public:
  explicit ExpectedScale(const Caches& caches) : caches_(caches) {}

  void add(const Observed<kube::Pod>& pod) {
    const kube::OwnerReference* controller = pod.metadata().controller();
    if (controller == nullptr) {
      has_unmanaged_ = true;
      return;
    }
    if (!error_.empty() || scales_.contains(controller->uid)) return;
    if (!add_scale_of(pod.metadata().namespace_, *controller)) error_ = problem(pod.metadata().name, *controller);
  }

  [[nodiscard]] std::optional<std::int64_t> total() const {
    if (!error_.empty()) return std::nullopt;
    std::int64_t total = 0;
    for (const auto& [uid, scale] : scales_) total += scale;
    return total;
  }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool has_unmanaged() const { return has_unmanaged_; }

 private:
  template <class Kind>
  bool add_if(std::string_view name_space, const kube::OwnerReference& controller) {
    if (controller.kind != kind_name<Kind>().kind) return false;
    const ObjectPtr<Kind> found = caches_.of<Kind>().find(name_space, controller.name);
    if (found == nullptr || found->metadata().uid != controller.uid) return false;
    scales_[controller.uid] = found->view.replicas;
    return true;
  }

  bool add_scale_of(std::string_view name_space, const kube::OwnerReference& controller) {
    if (controller.kind == "ReplicaSet") {
      const auto set = caches_.of<kube::ReplicaSet>().find(name_space, controller.name);
      if (set == nullptr || set->metadata().uid != controller.uid) return false;
      const kube::OwnerReference* above = set->metadata().controller();
      const bool has_deployment = above != nullptr && above->kind == "Deployment";
      if (has_deployment && add_if<kube::Deployment>(name_space, *above)) return true;
    }
    return add_if<kube::ReplicaSet>(name_space, controller) || add_if<kube::StatefulSet>(name_space, controller) ||
           add_if<kube::ReplicationController>(name_space, controller);
  }

  static std::string problem(std::string_view pod, const kube::OwnerReference& controller) {
    if (controller.kind == "Job") return "jobs.batch does not implement the scale subresource";
    if (controller.kind == "DaemonSet") return "daemonsets.apps does not implement the scale subresource";
    return fmt::format("found no controllers for pod \"{}\"", pod);
  }

  const Caches& caches_;
  std::map<std::string, std::int64_t> scales_;  // by the controller's uid
  std::string error_;
  bool has_unmanaged_ = false;
};

/// One look at a budget.
class BudgetSync {
 public:
  BudgetSync(const Observed<PodDisruptionBudget>& object, const Context& context)
      : object_(object), budget_(object.view), context_(context), status_(object.view) {
    for (const auto& [name, pod] : context.caches.of<kube::Pod>().in(object.metadata().namespace_)) {
      if (budget_selects(budget_, pod->metadata().labels)) pods_.push_back(pod.get());
    }
  }

  Reconciliation run() {
    if (pods_.empty()) say(Event::Type::kNormal, "NoPods", "No matching pods found");
    look_at_disrupted_pods();
    ExpectedScale scale(context_.caches);
    bool asked = false;
    const workloads::DisruptionCount count =
        workloads::count_disruptions(budget_, static_cast<std::int64_t>(pods_.size()), healthy(), [&] {
          asked = true;
          for (const auto* pod : pods_) scale.add(*pod);
          return scale.total();
        });
    if (asked && !scale.error().empty()) {
      fail(scale.error());
    } else {
      if (asked && scale.has_unmanaged()) warn_of_unmanaged_pods();
      set_counts(count);
    }
    write_status();
    return std::move(result_);
  }

 private:
  void say(Event::Type type, std::string_view reason, std::string message) {
    result_.events.push_back({reference_to(object_), type, std::string(reason), std::move(message)});
  }

  /// A pod that was to be evicted, and is still there and not leaving, counts as disrupted until the time is up.
  void look_at_disrupted_pods() {
    status_.disrupted_pods.clear();
    for (const auto* pod : pods_) {
      const auto found = budget_.disrupted_pods.find(pod->metadata().name);
      if (found == budget_.disrupted_pods.end() || pod->is_being_deleted()) continue;
      const Instant end = found->second + kDeletionTimeout;
      if (end < context_.now) {
        result_.events.push_back({reference_to(*pod), Event::Type::kWarning, "NotDeleted",
                                  fmt::format("Pod was expected by PDB {}/{} to be deleted but it wasn't",
                                              budget_.metadata.namespace_, budget_.metadata.namespace_)});
        continue;
      }
      status_.disrupted_pods.insert(*found);
      result_.wake_after(end + Duration::seconds(1) - context_.now);
    }
  }

  [[nodiscard]] std::int64_t healthy() const {
    return std::count_if(pods_.begin(), pods_.end(), [&](const auto* pod) {
      return !pod->is_being_deleted() && !status_.disrupted_pods.contains(pod->metadata().name) && is_ready(pod->view);
    });
  }

  void warn_of_unmanaged_pods() {
    say(Event::Type::kWarning, "UnmanagedPods",
        fmt::format("Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, "
                    "the status of the PDB cannot be calculated correctly, which may result in undefined behavior. "
                    "To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.",
                    go_text(*budget_.selector)));
  }

  void set_counts(const workloads::DisruptionCount& count) {
    status_.current_healthy = static_cast<std::int32_t>(count.healthy);
    status_.desired_healthy = static_cast<std::int32_t>(count.desired);
    status_.expected_pods = static_cast<std::int32_t>(count.expected);
    status_.disruptions_allowed = count.allowed();
    status_.observed_generation = budget_.metadata.generation;
    const bool allowed = count.allowed() > 0;
    set_allowed(allowed ? "True" : "False", allowed ? "SufficientPods" : "InsufficientPods", "");
  }

  /// No pod may be evicted while the number of expected pods is unknown.
  void fail(const std::string& why) {
    say(Event::Type::kWarning, "CalculateExpectedPodCountFailed",
        "Failed to calculate the number of expected pods: " + why);
    status_.disruptions_allowed = 0;
    status_.disrupted_pods = budget_.disrupted_pods;
    set_allowed("False", "SyncFailed", why);
    result_.wake_after(Duration::seconds(60));
  }

  void set_allowed(std::string_view status, std::string_view reason, std::string_view message) {
    auto found = std::find_if(status_.conditions.begin(), status_.conditions.end(),
                              [](const auto& condition) { return condition.type == kAllowed; });
    if (found == status_.conditions.end()) {
      found = status_.conditions.insert(found, kube::MetaCondition{.type = std::string(kAllowed),
                                                                   .status = {},
                                                                   .observed_generation = 0,
                                                                   .last_transition_time = {},
                                                                   .reason = {},
                                                                   .message = {}});
    }
    if (found->status != status) found->last_transition_time = context_.now;
    found->status = status;
    found->reason = reason;
    found->message = message;
    found->observed_generation = status_.observed_generation;
  }

  void write_status() {
    const auto encode = [](const PodDisruptionBudget& budget) {
      return kube::encode_object(kube::kPodDisruptionBudgetStatusSchema, &budget);
    };
    Value written = encode(status_);
    if (written == encode(budget_)) return;
    result_.then(update_status(kind_name<PodDisruptionBudget>(), object_.key(),
                               Value(object_.document).with("status", std::move(written))));
  }

  const Observed<PodDisruptionBudget>& object_;
  const PodDisruptionBudget& budget_;
  const Context& context_;
  PodDisruptionBudget status_;  // as it will be written
  std::vector<const Observed<kube::Pod>*> pods_;
  Reconciliation result_;
};

class DisruptionBudgetController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kDisruptionController; }

  void subscribe(Subscriptions& to) override {
    to.on<PodDisruptionBudget>(own_key<PodDisruptionBudget>);
    to.on<kube::Pod>([&caches = to.caches()](const Change<kube::Pod>& change, Keys& keys) {
      for (const auto& [name, budget] : caches.of<PodDisruptionBudget>().in(change.last().metadata().namespace_)) {
        const auto concerns = [&](const ObjectPtr<kube::Pod>& pod) {
          return pod != nullptr && budget_selects(budget->view, pod->metadata().labels);
        };
        if (concerns(change.before) || concerns(change.after)) keys.insert(budget->key());
      }
    });
    to.reads<kube::ReplicaSet>();
    to.reads<kube::Deployment>();
    to.reads<kube::StatefulSet>();
    to.reads<kube::ReplicationController>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto budget = context.caches.of<PodDisruptionBudget>().find(key);
    return budget == nullptr ? Reconciliation{} : BudgetSync(*budget, context).run();
  }
};

/// Since when the pod has been marked for a disruption without being deleted; nothing: it is not marked, or its kubelet
/// terminates it.
std::optional<Instant> disrupted_since(const Observed<kube::Pod>& pod) {
  const kube::Condition* target = kube::find_condition(pod.view.status.conditions, "DisruptionTarget");
  if (target == nullptr || target->status != "True" || target->reason == "TerminationByKubelet") return std::nullopt;
  if (pod.is_being_deleted() || pod.view.finished()) return std::nullopt;
  return target->last_transition_time;
}

class StaleDisruptionController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kDisruptionController; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Pod>([](const Change<kube::Pod>& change, Keys& keys) {
      if (change.after != nullptr && disrupted_since(*change.after)) keys.insert(change.after->key());
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto pod = context.caches.of<kube::Pod>().find(key);
    const auto since = pod == nullptr ? std::nullopt : disrupted_since(*pod);
    if (!since) return result;
    const Duration left = *since + kDeletionTimeout - context.now;
    if (left > Duration{}) {
      result.wake_after(left);
      return result;
    }
    Object condition{{"type", Value("DisruptionTarget"), {}},
                     {"status", Value("False"), {}},
                     {"lastTransitionTime", Value(format_rfc3339(context.now)), {}},
                     {"reason", Value(), {}},
                     {"message", Value(), {}}};
    Object status{{"conditions", Value(Array{Value(std::move(condition))}), {}}};
    result.then(patch(kind_name<kube::Pod>(), key, kube::PatchType::kStrategic,
                      Value(Object{{"metadata", Value(Object{{"uid", Value(pod->metadata().uid), {}}}), {}},
                                   {"status", Value(std::move(status)), {}}}),
                      "status"));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_disruption_budget_controller() {
  return std::make_unique<DisruptionBudgetController>();
}

std::unique_ptr<Controller> make_stale_disruption_controller() { return std::make_unique<StaleDisruptionController>(); }

}  // namespace loadline::controllers
