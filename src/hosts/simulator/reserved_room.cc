#include "hosts/simulator/reserved_room.h"

#include <algorithm>
#include <utility>

#include "brain/workloads/reservation.h"
#include "foundation/base/contract.h"
#include "objects/kube/koordinator/reservation.h"

namespace loadline::simulator {

using cluster::NodeId;
using cluster::PodId;
using workloads::ReservationTerm;

ReservedRoom::ReservedRoom(const kube::Objects& objects, cluster::Cluster& cluster, SimulatedPods& pods)
    : cluster_(cluster), pods_(pods) {
  for (kube::Reservation& reservation : workloads::all_reservations(objects)) {
    entries_.push_back({std::move(reservation), {}, ReservationOutcome::kHolding, {}, {}, {}, {}, {}});
  }
}

void ReservedRoom::take_in(const admission::Admission& admission, engine::Dispatcher& dispatcher, Instant now) {
  const auto complete = [&](kube::Pod& pod) -> Result<void> {
    if (const admission::Verdict verdict = admission.complete(pod)) return failure(verdict->message);
    if (dispatcher.scheduler().profile(pod.spec->scheduler_name) != nullptr) return {};
    return failure("no profile answers to schedulerName \"" + pod.spec->scheduler_name + '"');
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.consumers = annotated(entry);
    entry.until = entry.object.end(now);
    const ReservationTerm term = workloads::term_of(entry.object, now);
    if (term != ReservationTerm::kNow || entry.object.status.phase == kube::ReservationPhase::kEnded) {
      entry.outcome = term == ReservationTerm::kAhead ? ReservationOutcome::kAhead : ReservationOutcome::kEnded;
      continue;
    }
    const Result<kube::Pod> placeholder = workloads::placeholder_of(entry.object, complete);
    if (!placeholder) {
      entry.outcome = ReservationOutcome::kWaiting;
      entry.message = placeholder.error().message;
      continue;
    }
    entry.id = cluster_.add_reservation(workloads::as_modelled(entry.object, cluster_.symbols()));
    by_id_[entry.id] = i;
    hold(entry, *placeholder, dispatcher);
  }
}

/// The pods that are there and have consumed it.
std::vector<std::size_t> ReservedRoom::annotated(const Entry& entry) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (entry.object.is_consumed_by(pods_[i].pod.metadata)) indices.push_back(i);
  }
  return indices;
}

void ReservedRoom::hold(Entry& entry, const kube::Pod& placeholder, engine::Dispatcher& dispatcher) {
  const std::int32_t consumed =
      std::max(entry.object.status.consumed, static_cast<std::int32_t>(entry.consumers.size()));
  cluster_.set_consumed(entry.id, consumed);
  std::vector<NodeId> held;
  for (const kube::ReservedNode& node : entry.object.status.nodes) {
    const NodeId id = cluster_.find_node(node.name);
    if (id.valid()) held.insert(held.end(), static_cast<std::size_t>(std::max(node.pods, 0)), id);
  }
  const auto wanted = static_cast<std::size_t>(std::max(entry.object.pods - consumed, 0));
  for (std::size_t i = 0; i < wanted; ++i) {
    kube::Pod pod = placeholder;
    pod.metadata.name = workloads::placeholder_name(entry.object, i);
    const PodId id = cluster_.add_placeholder(entry.id, pod);
    if (i == 0) entry.requests = cluster_.shape_of(id).requests_list;
    pods_.add_placeholder(id, std::move(pod));
    if (i < held.size()) {
      cluster_.place(id, held[i]);
    } else {
      dispatcher.add(id);
    }
  }
}

ReservedRoom::Entry& ReservedRoom::entry_of(PodId placeholder) {
  const auto found = by_id_.find(cluster_.pod(placeholder).reservation);
  REQUIRES(found != by_id_.end());
  return entries_[found->second];
}

void ReservedRoom::decided(const engine::PodTurn& turn) {
  if (turn.node.valid()) return;
  Entry& entry = entry_of(turn.pod);
  entry.message = turn.message;
  entry.reasons.clear();
  for (const placement::ReasonCount& count : turn.reasons) {
    entry.reasons.push_back({count.nodes, std::string(count.plugin), count.text});
  }
}

void ReservedRoom::consumed(const engine::PodTurn& turn) {
  Entry& entry = entry_of(turn.consumed);
  const std::size_t consumer = pods_.index_of(turn.pod);
  entry.consumers.push_back(consumer);
  pods_[consumer].consumed_reservation = entry.object.metadata.name;
  cluster_.remove_pod(turn.consumed);
  pods_.remove_placeholder(turn.consumed);
}

std::vector<PlannedReservation> ReservedRoom::describe() const {
  std::vector<PlannedReservation> all;
  for (const Entry& entry : entries_) {
    PlannedReservation& planned = all.emplace_back();
    planned.name_space = entry.object.metadata.namespace_;
    planned.name = entry.object.metadata.name;
    planned.outcome = entry.outcome;
    planned.pods = static_cast<std::size_t>(entry.object.pods);
    planned.requests = entry.requests;
    planned.from = entry.object.from;
    planned.until = entry.until;
    planned.consumers = entry.consumers;
    planned.consumed =
        std::max(static_cast<std::size_t>(std::max(entry.object.status.consumed, 0)), entry.consumers.size());
    if (entry.id.valid()) {
      count_held(entry, planned);
    } else if (entry.outcome == ReservationOutcome::kWaiting) {
      planned.waiting = planned.pods - std::min(planned.pods, planned.consumed);
    }
    if (planned.waiting == 0) continue;
    planned.message = entry.message;
    planned.reasons = entry.reasons;
  }
  return all;
}

void ReservedRoom::count_held(const Entry& entry, PlannedReservation& planned) const {
  const cluster::Reservation& reservation = cluster_.reservations().at(entry.id);
  planned.consumed = static_cast<std::size_t>(reservation.consumed);
  for (const PodId placeholder : reservation.placeholders) {
    const NodeId node = cluster_.pod(placeholder).node;
    if (!node.valid()) {
      ++planned.waiting;
      continue;
    }
    ++planned.held;
    const std::string name(cluster_.node_name(node));
    const auto known = std::ranges::find(planned.nodes, name, &ReservedShare::node);
    if (known == planned.nodes.end()) {
      planned.nodes.push_back({name, 1});
    } else {
      ++known->pods;
    }
  }
  if (planned.waiting > 0) {
    planned.outcome = ReservationOutcome::kWaiting;
  } else if (planned.held == 0) {
    planned.outcome = ReservationOutcome::kConsumed;
  }
}

// ---- objects --------------------------------------------------------------------------------------------------------

namespace {

kube::ReservationPhase phase_of(const PlannedReservation& planned) {
  switch (planned.outcome) {
    case ReservationOutcome::kHolding:
      return kube::ReservationPhase::kHolding;
    case ReservationOutcome::kConsumed:
      return kube::ReservationPhase::kConsumed;
    case ReservationOutcome::kEnded:
      return kube::ReservationPhase::kEnded;
    case ReservationOutcome::kWaiting:
    case ReservationOutcome::kAhead:
      break;
  }
  return kube::ReservationPhase::kPending;
}

void write_status(const PlannedReservation& planned, kube::ReservationStatus& status) {
  status.phase = phase_of(planned);
  status.held = static_cast<std::int32_t>(planned.held);
  status.consumed = static_cast<std::int32_t>(planned.consumed);
  status.nodes.clear();
  for (const ReservedShare& share : planned.nodes) {
    status.nodes.push_back({share.node, static_cast<std::int32_t>(share.pods)});
  }
}

template <class Kind>
Kind* find(std::vector<Kind>& objects, const PlannedReservation& planned) {
  const auto found = std::ranges::find_if(objects, [&](const Kind& object) {
    return object.metadata.name == planned.name && object.metadata.namespace_ == planned.name_space;
  });
  return found == objects.end() ? nullptr : &*found;
}

}  // namespace

void write_status(const std::vector<PlannedReservation>& reservations, kube::Objects& objects) {
  for (const PlannedReservation& planned : reservations) {
    if (auto* own = find(objects.of<kube::Reservation>(), planned)) write_status(planned, own->status);
    auto* koordinator = find(objects.of<kube::KoordinatorReservation>(), planned);
    if (koordinator == nullptr || !planned.name_space.empty()) continue;
    kube::ReservationStatus status;
    write_status(planned, status);
    koordinator->status = kube::as_koordinator(status);
  }
}

void give_up_room(const std::string& node, kube::Objects& objects) {
  for (kube::Reservation& reservation : objects.of<kube::Reservation>()) {
    std::erase_if(reservation.status.nodes, [&](const kube::ReservedNode& held) { return held.name == node; });
  }
  for (kube::KoordinatorReservation& reservation : objects.of<kube::KoordinatorReservation>()) {
    const bool is_held_there = reservation.status.phase == "Available" && reservation.status.node_name == node;
    if (is_held_there) reservation.status = kube::as_koordinator({});
  }
}

}  // namespace loadline::simulator
