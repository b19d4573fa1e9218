#include "app/report/queues_document.h"

#include <fmt/format.h>

#include <utility>

#include "app/report/amount.h"
#include "app/report/members.h"

namespace loadline::report {

using document::Array;
using document::Value;

namespace {

Value quota_value(const simulator::PlannedQuota& quota) {
  Members members;
  members.add("flavor", Value(quota.flavor))
      .add("resource", Value(quota.resource))
      .add("nominal", Value(quota.nominal.to_string()))
      .add("used", Value(quota.used.to_string()))
      .add("borrowed", Value(quota.borrowed.to_string()))
      .add("lent", Value(quota.lent.to_string()));
  if (quota.most) members.add("most", Value(quota.most->to_string()));
  if (const std::optional<int> percent = used_of_most(quota)) members.add("usedOfMost", Value(std::int64_t{*percent}));
  if (quota.borrowing) members.add("borrowingLimit", Value(quota.borrowing->to_string()));
  if (quota.lending) members.add("lendingLimit", Value(quota.lending->to_string()));
  return members.finish();
}

Value queue_value(const simulator::PlannedQueue& queue) {
  Array quotas;
  for (const simulator::PlannedQuota& quota : queue.quotas) quotas.push_back(quota_value(quota));
  Members members;
  members.add("kind", Value(queue.kind))
      .add("name", Value(queue.name))
      .add_text("cohort", queue.parent)
      .add("depth", number(queue.depth))
      .add("weight", Value(queue.weight))
      .add("share", queue.share ? Value(*queue.share) : Value("Infinite"));
  if (queue.kind == "ClusterQueue")
    members.add("pending", number(queue.pending)).add("admitted", number(queue.admitted));
  return members.add_text("inactive", queue.inactive).add("quotas", Value(std::move(quotas))).finish();
}

Value workload_entry(const simulator::PlannedQueuedWorkload& workload) {
  Array flavors;
  for (const std::string& flavor : workload.flavors) flavors.emplace_back(flavor);
  Members usage;
  for (const auto& [resource, amount] : workload.usage) usage.add(resource, Value(amount.to_string()));
  Members members;
  members.add("job", workload_value(workload.job))
      .add_text("name", workload.name)
      .add_text("localQueue", workload.local_queue)
      .add_text("clusterQueue", workload.cluster_queue)
      .add("priority", Value(std::int64_t{workload.priority}))
      .add("outcome", Value(outcome_word(workload.outcome)));
  if (workload.position) members.add("position", number(*workload.position));
  members.add_list("flavors", std::move(flavors));
  if (!usage.empty()) members.add("usage", usage.finish());
  if (workload.evictions > 0) members.add("evictions", number(workload.evictions));
  return members.add_text("message", workload.message).add("afterSeconds", seconds_value(workload.after)).finish();
}

}  // namespace

std::string_view outcome_word(simulator::QueuedOutcome outcome) {
  switch (outcome) {
    case simulator::QueuedOutcome::kAdmitted:
      return "Admitted";
    case simulator::QueuedOutcome::kReserved:
      return "Reserved";
    case simulator::QueuedOutcome::kPending:
      return "Pending";
    case simulator::QueuedOutcome::kLeaving:
      return "Leaving";
    case simulator::QueuedOutcome::kHeld:
      break;
  }
  return "Held";
}

std::optional<int> used_of_most(const simulator::PlannedQuota& quota) {
  if (!quota.most || quota.most->sign() <= 0) return std::nullopt;
  return percent(quota.used, *quota.most);
}

Array queues_array(const simulator::Plan& plan) {
  Array array;
  for (const simulator::PlannedQueue& queue : plan.queues) array.push_back(queue_value(queue));
  return array;
}

Array queued_workloads_array(const simulator::Plan& plan, const Scope& scope) {
  Array array;
  for (const simulator::PlannedQueuedWorkload& workload : plan.queued) {
    if (scope.shows(workload.job)) array.push_back(workload_entry(workload));
  }
  return array;
}

Value queues_document(const simulator::Plan& plan, const Scope& scope) {
  return Members()
      .add("apiVersion", Value("loadline/v1alpha1"))
      .add("kind", Value("Queues"))
      .add("queues", Value(queues_array(plan)))
      .add("workloads", Value(queued_workloads_array(plan, scope)))
      .finish();
}

}  // namespace loadline::report
