#include "hosts/operators/kueue/workload_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/kueue/workload_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using document::Array;
using document::Value;

constexpr std::string_view kImmutable = "field is immutable";

/// A Workload in both forms.
struct Seen {
  const Value& document;
  kube::KueueWorkload view;

  explicit Seen(const Value& of)
      : document(of), view(kube::view<kube::KueueWorkload>(of, kube::kKueueWorkloadSchema).object) {}
  [[nodiscard]] bool has_quota() const { return kube::has_quota_reservation(view); }
};

std::int64_t count_in(const Value& set) {
  const Value* found = set.find("count");
  return found != nullptr && found->is_integer() ? found->integer() : 1;
}

/// Counts may become smaller.
void check_pod_sets(const CheckedField& sets, const Array& before) {
  const std::vector<CheckedField> now = sets.elements();
  if (now.size() != before.size()) return sets.invalid(kImmutable);
  for (std::size_t i = 0; i < now.size(); ++i) {
    Value compared = now[i].value();
    const bool is_smaller = compared.is_object() && count_in(compared) < count_in(before[i]);
    if (is_smaller) compared = std::move(compared).with("count", Value(count_in(before[i])));
    if (document::same_document(compared, before[i])) continue;
    now[i].called(fmt::format("{}.{}", sets.path(), i)).invalid(kImmutable);
  }
}

void check_reclaimable(const CheckedField& pods, const Seen& before, const Seen& after) {
  const auto& now = after.view.status.reclaimable_pods;
  for (const kube::ReclaimablePods& old : before.view.status.reclaimable_pods) {
    const auto found = std::ranges::find(now, old.name, &kube::ReclaimablePods::name);
    const CheckedField place = pods.key(old.name);
    if (found == now.end()) {
      place.required("cannot be removed");
    } else if (found->count < old.count) {
      place.at("count").invalid(Value(std::int64_t{found->count}), fmt::format("cannot be less than {}", old.count));
    }
  }
}

/// Where pods of an assignment lie may be said later.
Value without_topology(const Value& assignment) {
  return assignment.without("topologyAssignment").without("delayedTopologyRequest");
}

Value compared_admission(Value admission) {
  Array assignments;
  for (const Value& each : document::items_at(admission, {"podSetAssignments"})) {
    assignments.push_back(without_topology(each));
  }
  return std::move(admission).with("podSetAssignments", Value(std::move(assignments)));
}

void check_admission(const CheckedField& admission, const Value& before) {
  if (!admission.value().is_object() || !before.is_object()) return;
  if (document::same_document(compared_admission(admission.value()), compared_admission(before))) return;
  admission.invalid(kImmutable);
}

void check_pod_set_updates(const CheckedField& status, const Seen& before) {
  const std::vector<CheckedField> now = status.at("admissionChecks").elements();
  const Array& old_checks = document::items_at(before.document, {"status", "admissionChecks"});
  for (std::size_t i = 0; i < old_checks.size(); ++i) {
    const auto check = std::ranges::find_if(now, [&](const CheckedField& each) {
      return each.at("name").text() == document::text_at(old_checks[i], {"name"});
    });
    if (check == now.end() || check->at("state").text() != "Ready" ||
        document::text_at(old_checks[i], {"state"}) != "Ready") {
      continue;
    }
    const Value old_updates = document::value_at(old_checks[i], {"podSetUpdates"});
    if (document::same_document(check->at("podSetUpdates").value(), old_updates)) continue;
    check->at("podSetUpdates").called(fmt::format("status.admissionChecks[{}].podSetUpdates", i)).invalid(kImmutable);
  }
}

void check_cluster_name(const CheckedField& status, const Seen& before) {
  const CheckedField name = status.at("clusterName");
  if (!name.is_set() || !document::text_at(before.document, {"status", "clusterName"}).empty()) return;
  const Array& nominated = document::items_at(before.document, {"status", "nominatedClusterNames"});
  if (std::ranges::find(nominated, name.value()) != nominated.end()) return;
  name.invalid("when setting clusterName it must be one of the nominatedClusterNames");
}

}  // namespace

kube::FieldErrors faults_of_workload_change(const Value& before, const Value& after) {
  const Seen old_one(before);
  const Seen new_one(after);
  kube::FieldErrors faults = kube::webhook_refusals(new_one.view);
  // One that was like this before goes through, so that it can come to an end.
  if (old_one.has_quota() && !old_one.view.status.admission) {
    std::erase_if(faults, [](const kube::FieldError& each) { return each.path == "status.admission"; });
  }
  const CheckedField whole(faults, after);
  const CheckedField status = whole.at("status");
  if (old_one.has_quota()) {
    check_pod_sets(whole.at({"spec", "podSets"}), document::items_at(before, {"spec", "podSets"}));
    if (new_one.has_quota()) check_reclaimable(status.at("reclaimablePods"), old_one, new_one);
  }
  check_admission(status.at("admission"), document::value_at(before, {"status", "admission"}));
  check_pod_set_updates(status, old_one);
  check_cluster_name(status, old_one);
  for (kube::FieldError& each : kube::admission_gate_refusals(old_one.view.metadata, new_one.view.metadata)) {
    if (std::ranges::find(faults, each) == faults.end()) faults.push_back(std::move(each));
  }
  return faults;
}

}  // namespace loadline::operators::kueue
