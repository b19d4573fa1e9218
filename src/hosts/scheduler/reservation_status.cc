#include "hosts/scheduler/reservation_status.h"

#include <algorithm>
#include <utility>

#include "hosts/watching/kind_name.h"
#include "objects/kube/condition.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/loadline/reservation_schema.h"

namespace loadline::scheduler {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kReady = "Ready";

/// Koordinator's word for a reason, where it has one. Source: apis/scheduling/v1alpha1/reservation_types.go.
std::string_view koordinators(std::string_view reason) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"Held", "Available"}, {"Consumed", "Succeeded"}, {"Ended", "Expired"}};
  const auto found = std::ranges::find(kWords, reason, [](const auto& word) { return word.first; });
  return found == std::end(kWords) ? reason : found->second;
}

Value conditions_value(const std::vector<kube::MetaCondition>& conditions) {
  Array array;
  for (const kube::MetaCondition& condition : conditions) {
    array.emplace_back(
        Object{{"type", Value(condition.type), {}},
               {"status", Value(condition.status), {}},
               {"reason", Value(condition.reason), {}},
               {"message", Value(condition.message), {}},
               {"lastTransitionTime", Value(format_rfc3339(condition.last_transition_time.value_or(Instant{}))), {}}});
  }
  return Value(std::move(array));
}

Value domains_value(const std::vector<kube::ReservedDomain>& domains) {
  Array array;
  for (const kube::ReservedDomain& domain : domains) {
    array.emplace_back(Object{{"name", Value(domain.name), {}},
                              {"held", Value(std::int64_t{domain.held}), {}},
                              {"waiting", Value(std::int64_t{domain.waiting}), {}}});
  }
  return Value(std::move(array));
}

Value own_status(const kube::ReservationStatus& status) {
  Array nodes;
  for (const kube::ReservedNode& node : status.nodes) {
    nodes.emplace_back(Object{{"name", Value(node.name), {}}, {"pods", Value(std::int64_t{node.pods}), {}}});
  }
  Object object{{"phase", Value(kube::name_of(status.phase)), {}},
                {"held", Value(std::int64_t{status.held}), {}},
                {"consumed", Value(std::int64_t{status.consumed}), {}},
                {"nodes", Value(std::move(nodes)), {}}};
  if (!status.domains.empty()) object.push_back({"domains", domains_value(status.domains), {}});
  object.push_back({"conditions", conditions_value(status.conditions), {}});
  return Value(std::move(object));
}

Value koordinators_status(const kube::ReservationStatus& status) {
  const kube::KoordinatorReservationStatus theirs = kube::as_koordinator(status);
  Object object{{"phase", Value(theirs.phase), {}}};
  // Where it was consumed, it goes on to say so.
  if (status.phase != kube::ReservationPhase::kConsumed) {
    object.push_back({"nodeName", theirs.node_name.empty() ? Value() : Value(theirs.node_name), {}});
  }
  object.push_back({"conditions", conditions_value(status.conditions), {}});
  return Value(std::move(object));
}

}  // namespace

kube::ReservationStatus status_of(const ReservationFacts& facts, const kube::ReservationStatus& before,
                                  ReservationSpelling spelling, Instant now) {
  kube::ReservationStatus status;
  status.phase = facts.phase;
  status.consumed = facts.consumed;
  status.nodes = facts.nodes;
  status.domains = facts.domains;
  for (const kube::ReservedNode& node : facts.nodes) status.held += node.pods;
  const bool is_ready =
      facts.phase == kube::ReservationPhase::kHolding || facts.phase == kube::ReservationPhase::kConsumed;
  const bool is_theirs = spelling == ReservationSpelling::kKoordinator;
  kube::MetaCondition condition{.type = std::string(kReady),
                                .status = is_ready ? "True" : "False",
                                .reason = std::string(is_theirs ? koordinators(facts.reason) : facts.reason),
                                .message = facts.message};
  const kube::MetaCondition* known = kube::find_condition(before.conditions, kReady);
  condition.last_transition_time = now;
  if (known != nullptr && known->status == condition.status && known->last_transition_time) {
    condition.last_transition_time = known->last_transition_time;
  }
  status.conditions = {std::move(condition)};
  return status;
}

bool is_same_status(const kube::ReservationStatus& a, const kube::ReservationStatus& b) {
  const auto is_same_node = [](const kube::ReservedNode& x, const kube::ReservedNode& y) {
    return x.name == y.name && x.pods == y.pods;
  };
  const auto is_same_condition = [](const kube::MetaCondition& x, const kube::MetaCondition& y) {
    return x.type == y.type && x.status == y.status && x.reason == y.reason && x.message == y.message;
  };
  const auto is_same_domain = [](const kube::ReservedDomain& x, const kube::ReservedDomain& y) {
    return x.name == y.name && x.held == y.held && x.waiting == y.waiting;
  };
  return a.phase == b.phase && a.held == b.held && a.consumed == b.consumed &&
         std::ranges::equal(a.domains, b.domains, is_same_domain) &&
         std::ranges::equal(a.nodes, b.nodes, is_same_node) &&
         std::ranges::equal(a.conditions, b.conditions, is_same_condition);
}

watching::Action write_status(const kube::ObjectMeta& reservation, const kube::ReservationStatus& status,
                              ReservationSpelling spelling) {
  const bool is_own = spelling == ReservationSpelling::kOwn;
  const watching::KindName& kind =
      is_own ? watching::kind_name<kube::Reservation>() : watching::kind_name<kube::KoordinatorReservation>();
  return watching::patch(kind, {reservation.namespace_, reservation.name}, kube::PatchType::kMerge,
                         Value(Object{{"metadata", Value(Object{{"uid", Value(reservation.uid), {}}}), {}},
                                      {"status", is_own ? own_status(status) : koordinators_status(status), {}}}),
                         "status");
}

}  // namespace loadline::scheduler
