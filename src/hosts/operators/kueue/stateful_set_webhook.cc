#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_rules.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/pod_group.h"
#include "hosts/operators/kueue/pod_holder_rules.h"
#include "hosts/operators/kueue/stateful_set.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using apiserver::WebhookRequest;
using document::Value;

std::int64_t number_in_set(const Value& set, document::Names names, std::int64_t absent) {
  const Value found = document::value_at(set, names);
  return found.is_integer() ? found.integer() : absent;
}

std::int64_t replicas_of(const Value& set) { return number_in_set(set, {"spec", "replicas"}, 1); }

/// Its pods are held by another object, which made it: a LeaderWorkerSet.
bool is_held_by_another(const Value& set) {
  const std::string_view holder =
      document::text_at(set, {"spec", "template", "metadata", "annotations", kSuspendedByParent});
  return !holder.empty() && holder != kStatefulSetFramework;
}

bool is_on_hold(const Value& workload) {
  const auto& conditions = document::items_at(workload, {"status", "conditions"});
  return std::ranges::any_of(conditions, [](const Value& condition) {
    return document::text_at(condition, {"type"}) == "QuotaReserved" &&
           document::text_at(condition, {"status"}) == "False" && document::text_at(condition, {"reason"}) == "OnHold";
  });
}

class StatefulSetWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "statefulsets.apps"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mstatefulset.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vstatefulset.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value set) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects) || is_held_by_another(set)) return set;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kStatefulSetFramework)) return set;
    set = with_default_queue(objects, configuration, std::move(set));
    const auto is_held = holds_pods(objects, configuration, kStatefulSetFramework, set);
    if (!is_held) return tl::unexpected(is_held.error());
    if (!*is_held) return set;
    return document::with_at(std::move(set), {"spec", "template", "metadata", "annotations", kSuspendedByParent},
                             Value(kStatefulSetFramework));
  }

  Verdict<void> review(const WebhookRequest& request, const Value& set) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects) || is_held_by_another(set)) return {};
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kStatefulSetFramework)) return {};
    kube::FieldErrors faults;
    const CheckedField whole(faults, set);
    check_pod_holder(whole, "apps/v1, Kind=StatefulSet");
    if (request.old != nullptr) {
      check_pod_holder_change(*request.old, whole, number_in_set(*request.old, {"status", "readyReplicas"}, 0) > 0);
      const auto is_held = holds_pods(objects, configuration, kStatefulSetFramework, set);
      if (!is_held) return tl::unexpected(is_held.error());
      if (*is_held) check_held_change(objects, *request.old, whole);
    }
    if (const auto refusal = aggregate(faults)) return tl::unexpected(*refusal);
    return {};
  }

 private:
  /// It may be scaled to none, and from none to any number, once all that it had is gone.
  static void check_held_change(const KnownObjects& objects, const Value& before, const CheckedField& whole) {
    const Value set = whole.value();
    check_same_shape(document::value_at(before, {"spec", "template", "spec"}),
                     document::value_at(set, {"spec", "template", "spec"}), "spec.template.spec", whole);
    const CheckedField replicas = whole.at({"spec", "replicas"});
    const std::int64_t old_count = replicas_of(before);
    const std::int64_t count = replicas_of(set);
    if (count != 0 && old_count != 0 && count != old_count) replicas.invalid(Value(count), "field is immutable");
    if (old_count != 0 || count == 0) return;
    if (number_in_set(set, {"status", "replicas"}, 0) > 0) {
      replicas.forbidden("scaling down is still in progress");
      return;
    }
    const std::optional<Value> workload =
        objects.find(watching::kind_name<kube::KueueWorkload>(), document::text_at(before, {"metadata", "namespace"}),
                     workload_of_stateful_set(document::text_at(before, {"metadata", "name"}),
                                              document::text_at(before, {"metadata", "uid"})));
    if (workload && !is_on_hold(*workload)) {
      replicas.forbidden("workload from previous scale-down is still being deleted");
    }
  }

  ConfigurationInForce configuration_;
};

}  // namespace

std::shared_ptr<apiserver::Webhook> make_stateful_set_webhook() { return std::make_shared<StatefulSetWebhook>(); }

}  // namespace loadline::operators::kueue
