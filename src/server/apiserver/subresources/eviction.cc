#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod_status_schema.h"
#include "objects/kube/meta.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/policy/eviction_rules.h"
#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/conditions.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::int32_t kRetrySeconds = 10;
constexpr std::string_view kCannotEvict = "Cannot evict pod as it would violate the pod's disruption budget.";
constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";

const schema::GroupVersionKind& eviction_kind() {
  static const auto* const kind = new schema::GroupVersionKind{"policy", "v1", "Eviction"};
  return *kind;
}

kube::PodPhase phase_of(const Value& pod) {
  const auto* const found = std::ranges::find(kube::kPodPhaseNames, document::text_at(pod, {"status", "phase"}));
  return found == std::end(kube::kPodPhaseNames)
             ? kube::PodPhase::kUnknown
             : static_cast<kube::PodPhase>(found - std::begin(kube::kPodPhaseNames));
}

kube::PodToEvict pod_to_evict(const Value& pod) {
  return {phase_of(pod), kube::has_true_condition(pod, "Ready"), is_being_deleted(pod)};
}

std::int64_t count_in_status(const Value& budget, std::string_view member) {
  const Value* count = document::find_at(budget, {"status", member});
  return count != nullptr && count->is_integer() ? count->integer() : 0;
}

/// No selector selects nothing, and neither does one that cannot be read.
bool selects(const Value& budget, const kube::StringMap& labels) {
  const Value* selector = document::find_at(budget, {"spec", "selector"});
  if (selector == nullptr || !selector->is_object()) return false;
  const auto view = kube::view<kube::LabelSelector>(*selector, kube::kLabelSelectorSchema);
  return view.errors.empty() && kube::matches(view.object, labels);
}

/// The budgets that the pod counts for. O(budgets of the namespace).
std::vector<Value> budgets_of(const Value& pod, const store::Store& store) {
  const Value* metadata = pod.find("metadata");
  const auto labels =
      kube::view<kube::ObjectMeta>(metadata == nullptr ? Value(Object()) : *metadata, kube::kObjectMetaSchema)
          .object.labels;
  store::ListOptions options;
  options.name_space = std::string(namespace_of(pod));
  store::StoreResult<store::Listing> listing = store.list("poddisruptionbudgets.policy", options);
  std::vector<Value> budgets;
  if (!listing) return budgets;  // the latest state can always be listed
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    Value budget = (*object)->document();
    if (selects(budget, labels)) budgets.push_back(std::move(budget));
  }
  return budgets;
}

kube::BudgetState state_of(const Value& budget) {
  return kube::budget_state(kube::view<kube::PodDisruptionBudget>(budget, kube::kPodDisruptionBudgetSchema).object);
}

StatusError not_now(std::string cause, std::int32_t retry_seconds) {
  StatusError failure = too_many_requests(std::string(kCannotEvict), retry_seconds);
  failure.causes.push_back({"DisruptionBudget", std::move(cause), {}});
  return failure;
}

/// Why a budget without any disruption left has none.
std::string shortage(const Value& budget) {
  const std::string_view name = name_of(budget);
  const std::int64_t desired = count_in_status(budget, "desiredHealthy");
  const std::int64_t current = count_in_status(budget, "currentHealthy");
  const Value* condition = kube::find_condition(budget, kDisruptionAllowed);
  const bool says_no = condition != nullptr && document::text_at(*condition, {"status"}) == "False" &&
                       !document::text_at(*condition, {"message"}).empty();
  const std::string_view reason = says_no ? document::text_at(*condition, {"reason"}) : "";
  const std::string_view message = says_no ? document::text_at(*condition, {"message"}) : "";
  if (says_no && reason == "SyncFailed") {
    return fmt::format("The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
                       name, message);
  }
  if (current <= desired) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name, desired, current);
  }
  if (says_no) {
    return fmt::format("The disruption budget {} does not allow evicting pods currently ({}): {}", name, reason,
                       message);
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

/// What the client hears of a budget that refuses.
StatusError refusal_of(const Value& budget, kube::EvictionRefusal::Reason reason) {
  using Reason = kube::EvictionRefusal::Reason;
  const GroupResource resource{"policy", "poddisruptionbudget"};
  const std::string_view name = name_of(budget);
  switch (reason) {
    case Reason::kNotObserved:
      return not_now(fmt::format("The disruption budget {} is still being processed by the server.", name),
                     kRetrySeconds);
    case Reason::kNegativeAllowance:
      return forbidden(resource, name, "pdb disruptions allowed is negative");
    case Reason::kTooManyDisruptedPods:
      return forbidden(resource, name,
                       "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    case Reason::kSeveralBudgets:  // no budget's answer: see several_budgets()
    case Reason::kTooFewDisruptions:
      break;
  }
  return not_now(shortage(budget), 0);
}

/// The budget with one disruption less, and the pod noted for its controller.
Value charged(const Value& budget, std::string_view pod, Instant now) {
  const std::int64_t left = count_in_status(budget, "disruptionsAllowed") - 1;
  Value changed = document::with_at(budget, {"status", "disruptionsAllowed"}, Value(left));
  if (left == 0) {
    const std::int64_t observed = count_in_status(budget, "observedGeneration");
    Object condition{{"type", Value(kDisruptionAllowed), {}}, {"status", Value("False"), {}}};
    if (observed != 0) condition.push_back({"observedGeneration", Value(observed), {}});
    condition.push_back({"lastTransitionTime", Value(), {}});
    condition.push_back({"reason", Value("InsufficientPods"), {}});
    condition.push_back({"message", Value(""), {}});
    changed = with_condition(changed, std::move(condition), now);
  }
  return document::with_at(changed, {"status", "disruptedPods", pod}, Value(format_rfc3339(now)));
}

/// Takes one disruption from the budget, as the server itself.
Answer<void> charge(const ServerContext& context, const Value& budget, std::string_view pod) {
  Call call;
  call.served = context.served.find_stored("policy", "poddisruptionbudgets");
  call.name_space = namespace_of(budget);
  call.name = name_of(budget);
  call.subresource = "status";
  call.user = {"system:apiserver", "", {"system:masters"}, {}};
  call.user_agent = "kube-apiserver";
  const Answer<Written> written = context.writer.change(
      call, [&](const Value& old) -> Answer<Value> { return charged(old, pod, context.loop.now()); },
      Writer::Target::kStatus, {});
  if (!written) return refuse(written.error());
  return {};
}

/// Deletes the pod, which says why in its last state.
Answer<void> remove(const ServerContext& context, const Call& call, DeleteOptions options) {
  Call removal = call;
  removal.subresource.clear();
  if (!options.is_dry_run) {
    // Whether it may go at all is known before anything is written.
    DeleteOptions dry_run = options;
    dry_run.is_dry_run = true;
    Call try_removal = removal;
    if (const Answer<Written> removed = context.writer.remove(try_removal, dry_run); !removed) {
      return refuse(removed.error());
    }
    Call marking = removal;
    marking.subresource = "status";
    const auto marked = [&](const Value& pod) -> Answer<Value> {
      return with_condition(pod,
                            {{"type", Value("DisruptionTarget"), {}},
                             {"status", Value("True"), {}},
                             {"lastProbeTime", Value(), {}},
                             {"lastTransitionTime", Value(), {}},
                             {"reason", Value("EvictionByEvictionAPI"), {}},
                             {"message", Value("Eviction API: evicting"), {}}},
                            context.loop.now());
    };
    const Answer<Written> written =
        context.writer.change(marking, marked, Writer::Target::kStatus, {}, Writer::Managed::kAlready);
    if (!written) return refuse(written.error());
    if (options.resource_version) options.resource_version = resource_version_of(written->object);
  }
  const Answer<Written> gone = context.writer.remove(removal, options);
  if (!gone) return refuse(gone.error());
  return {};
}

Answer<DeleteOptions> delete_options_of(const Value& eviction, std::string_view name, bool is_dry_run) {
  DeleteOptions options;
  if (const Value* given = eviction.find("deleteOptions"); given != nullptr && given->is_object()) {
    const Value* ignores = given->find("ignoreStoreReadErrorWithClusterBreakingPotential");
    if (ignores != nullptr && ignores->is_boolean() && ignores->boolean()) {
      return refuse(invalid(eviction_kind(), name,
                            {{"deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
                              "Invalid value: true: can not be set for pod eviction, try after removing the option",
                              {}}}));
    }
    Answer<DeleteOptions> read = read_delete_options(*given);
    if (!read) return read;
    options = std::move(*read);
  }
  options.is_dry_run = options.is_dry_run || is_dry_run;
  return options;
}

/// Upstream answers 201 with a Status that says no, and clients look into it.
Written several_budgets() {
  Value status(
      Object{{"kind", Value("Status"), {}},
             {"apiVersion", Value("v1"), {}},
             {"metadata", Value(Object()), {}},
             {"status", Value("Failure"), {}},
             {"message",
              Value("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."),
              {}},
             {"code", Value(std::int64_t{500}), {}}});
  return Written{std::move(status), nullptr, 201, true, {}};
}

/// The answer, if a budget keeps the pod. Otherwise a budget that it draws on has been charged, but for a dry run.
std::optional<Answer<Written>> keep_by_budgets(const ServerContext& context, const Value& pod, bool is_dry_run) {
  kube::CoveredPod covered{pod_to_evict(pod), {}};
  std::vector<Value> budgets;
  if (!kube::is_beyond_budgets(covered.pod)) budgets = budgets_of(pod, context.store);
  for (std::size_t i = 0; i < budgets.size(); ++i) covered.budgets.push_back(i);
  const auto answer = kube::answer_eviction({&covered, 1}, [&](std::size_t i) { return state_of(budgets[i]); });
  if (!answer) {
    const kube::EvictionRefusal& refusal = answer.error();
    if (refusal.reason == kube::EvictionRefusal::Reason::kSeveralBudgets) return several_budgets();
    return refuse(refusal_of(budgets[refusal.budget], refusal.reason));
  }
  for (const auto& [budget, disruptions] : *answer) {
    if (is_dry_run) continue;
    if (const Answer<void> done = charge(context, budgets[budget], name_of(pod)); !done) return refuse(done.error());
  }
  return std::nullopt;
}

}  // namespace

/// Deletes a pod if its disruption budget allows (eviction_rules.h). Budget and pod change in one task of the loop, so
/// that nothing can come between. Source: pkg/registry/core/pod/storage/eviction.go, v1.36.
Answer<Written> evict(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  const Answer<Value> eviction = context.bodies.decode(
      body, {eviction_kind(), context.catalog.find_type(eviction_kind())}, options->validation, call.warnings);
  if (!eviction) return refuse(eviction.error());
  if (name_of(*eviction) != call.name) {
    return refuse(bad_request("name in URL does not match name in Eviction object"));
  }
  const Answer<DeleteOptions> delete_options = delete_options_of(*eviction, call.name, options->is_dry_run);
  if (!delete_options) return refuse(delete_options.error());
  const store::ObjectPtr object = context.store.get(call.key(call.name));
  if (object == nullptr) return refuse(not_found(call.group_resource(), call.name));
  const Value pod = object->document();

  std::optional<Answer<Written>> kept = keep_by_budgets(context, pod, delete_options->is_dry_run);
  if (kept) return *std::move(kept);
  if (const Answer<void> removed = remove(context, call, *delete_options); !removed) return refuse(removed.error());
  return Written{success(201), nullptr, 201, true, {}};
}

}  // namespace loadline::apiserver
