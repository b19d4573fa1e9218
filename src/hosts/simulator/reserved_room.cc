#include "hosts/simulator/reserved_room.h"

#include <algorithm>
#include <utility>

#include "brain/admission/reserved_use.h"
#include "brain/decision/why_text.h"
#include "brain/workloads/reservation.h"
#include "foundation/base/contract.h"
#include "objects/kube/koordinator/reservation.h"

namespace loadline::simulator {

using cluster::NodeId;
using cluster::PodId;
using workloads::ReservationTerm;

ReservedRoom::ReservedRoom(const kube::Objects& objects, const kube::Objects& made, cluster::Cluster& cluster,
                           SimulatedPods& pods)
    : cluster_(cluster), pods_(pods) {
  for (const kube::Objects* source : {&objects, &made}) {
    for (kube::Reservation& reservation : workloads::all_reservations(*source)) {
      entries_.emplace_back().object = std::move(reservation);
    }
  }
}

void ReservedRoom::take_in(admission::Admission& admission, engine::Dispatcher& dispatcher,
                           const std::vector<Arrival>& come, Instant now) {
  admission_ = &admission;
  dispatcher_ = &dispatcher;
  now_ = now;
  for (std::size_t i = 0; i < entries_.size(); ++i) take_in(i, come);
}

void ReservedRoom::take_in_made(const kube::Objects& made, const std::vector<Arrival>& come) {
  for (kube::Reservation& reservation : workloads::all_reservations(made)) {
    entries_.emplace_back().object = std::move(reservation);
    take_in(entries_.size() - 1, come);
  }
}

void ReservedRoom::take_in(std::size_t index, const std::vector<Arrival>& come) {
  const auto complete = [&](kube::Pod& pod) -> Result<void> {
    if (const admission::Verdict verdict = admission_->complete(pod)) return failure(verdict->message);
    if (dispatcher_->scheduler().profile(pod.spec->scheduler_name) != nullptr) return {};
    return failure("no profile answers to schedulerName \"" + pod.spec->scheduler_name + '"');
  };
  Entry& entry = entries_[index];
  entry.consumers = annotated(entry);
  entry.until = entry.object.end(now_);
  const ReservationTerm term = workloads::term_of(entry.object, now_);
  if (term != ReservationTerm::kNow || entry.object.status.phase == kube::ReservationPhase::kEnded) {
    entry.outcome = term == ReservationTerm::kAhead ? ReservationOutcome::kAhead : ReservationOutcome::kEnded;
    return;
  }
  Result<std::vector<workloads::DomainRoom>> rooms =
      workloads::placeholder_of(entry.object, complete).and_then([&](const kube::Pod& placeholder) {
        return workloads::rooms_of(entry.object, placeholder, cluster_);
      });
  if (rooms) {
    entry.rooms = *std::move(rooms);
    entry.message = charge(entry, come);
  } else {
    entry.message = rooms.error().message;
  }
  if (!entry.message.empty()) {
    entry.outcome = ReservationOutcome::kWaiting;
    hold_back_group(entry);
    return;
  }
  entry.id = dispatcher_->keeper().open(entry.object, entry.consumed());
  by_id_[entry.id] = index;
  dispatcher_->keeper().keep(entry.id, entry.object, entry.rooms);
  entry.requests = requests_of(entry);
}

/// A controller makes the group of a workload once there are reservations for its later pods.
void ReservedRoom::hold_back_group(const Entry& entry) {
  const std::string group = workloads::starts_with(entry.object);
  if (group.empty() || entry.object.metadata.from_cluster()) return;
  cluster_.remove_group(entry.object.metadata.namespace_, {cluster::GroupSpelling::kKubernetes, group});
  Diagnostic& note = notes_.emplace_back();
  note.severity = Severity::kWarning;
  note.at = entry.object.metadata.source;
  note.subject = "pod group " + entry.object.metadata.namespace_ + '/' + group;
  note.message = "is not made, as no room may be held for the pods that are created later: " + entry.message;
}

void ReservedRoom::comes(const kube::Pod& pod) {
  for (Entry& entry : entries_) {
    const bool is_for_it = entry.held_for > 0 && !workloads::starts_with(entry.object).empty() &&
                           !entry.object.refill && admission::is_named_by(pod, entry.object);
    if (!is_for_it) continue;
    admission_->give_up(entry.rooms.front().placeholder, 1);
    --entry.held_for;
    ++entry.charged_as_pods;
    return;
  }
}

std::int32_t ReservedRoom::Entry::consumed() const {
  return std::max(object.status.consumed, static_cast<std::int32_t>(consumers.size()));
}

std::size_t ReservedRoom::Entry::gone() const { return object.refill ? 0 : static_cast<std::size_t>(consumed()); }

/// Why quotas allow no such room; empty: they have been charged.
std::string ReservedRoom::charge(Entry& entry, const std::vector<Arrival>& come) {
  const kube::ObjectMeta& metadata = entry.object.metadata;
  if (metadata.namespace_.empty()) return {};
  std::int64_t wanted = 0;
  for (const workloads::DomainRoom& room : entry.rooms) {
    wanted += static_cast<std::int64_t>(room.pods - std::min(room.pods, entry.gone()));
  }
  const auto waiting = std::ranges::count_if(
      come, [&](const Arrival& arrival) { return admission::is_named_by(arrival.pod, entry.object); });
  // What is refilled is held beside the pods that consume it.
  entry.charged_as_pods = entry.object.refill ? 0 : std::min<std::int64_t>(waiting, wanted);
  entry.held_for = wanted - entry.charged_as_pods;
  const kube::Pod& placeholder = entry.rooms.front().placeholder;
  if (metadata.from_cluster()) {
    admission_->count_held(placeholder, entry.held_for);
  } else if (const admission::Verdict verdict = admission_->hold(placeholder, entry.held_for)) {
    return verdict->message;
  }
  return {};
}

/// The pods that are there and have consumed it.
std::vector<std::size_t> ReservedRoom::annotated(const Entry& entry) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (entry.object.is_consumed_by(pods_[i].pod.metadata)) indices.push_back(i);
  }
  return indices;
}

/// What one of its pods takes; empty: it holds nothing.
kube::ResourceList ReservedRoom::requests_of(const Entry& entry) const {
  const std::vector<PodId>& placeholders = cluster_.reservations().at(entry.id).placeholders;
  return placeholders.empty() ? kube::ResourceList{} : cluster_.shape_of(placeholders.front()).requests_list;
}

ReservedRoom::Entry& ReservedRoom::entry_of(cluster::ReservationId reservation) {
  const auto found = by_id_.find(reservation);
  REQUIRES(found != by_id_.end());
  return entries_[found->second];
}

void ReservedRoom::decided(const decision::PodTurn& turn) {
  if (turn.node.valid()) return;
  Entry& entry = entry_of(cluster_.pod(turn.pod).reservation);
  entry.message = decision::text(cluster_, turn.why);
  entry.reasons.clear();
  for (const placement::ReasonCount& count : decision::count_reasons(cluster_, turn.why)) {
    entry.reasons.push_back({count.nodes, std::string(count.plugin), count.text});
  }
}

void ReservedRoom::consumed(const decision::PodTurn& turn) {
  Entry& entry = entry_of(turn.reservation);
  const std::size_t consumer = pods_.index_of(turn.pod);
  entry.consumers.push_back(consumer);
  pods_[consumer].consumed_reservation = entry.object.metadata.name;
  if (entry.object.refill) return;
  if (entry.charged_as_pods > 0) {
    --entry.charged_as_pods;
    return;
  }
  if (entry.held_for == 0) return;
  admission_->give_up(entry.rooms.front().placeholder, 1);
  --entry.held_for;
}

std::vector<PlannedReservation> ReservedRoom::describe() const {
  std::vector<PlannedReservation> all;
  for (const Entry& entry : entries_) {
    PlannedReservation& planned = all.emplace_back();
    planned.name_space = entry.object.metadata.namespace_;
    planned.name = entry.object.metadata.name;
    planned.outcome = entry.outcome;
    planned.pods = static_cast<std::size_t>(entry.object.pods);
    for (std::size_t room = 1; room < entry.rooms.size(); ++room) planned.pods += entry.rooms[room].pods;
    planned.requests = entry.requests;
    planned.per_domain = entry.object.per_domain;
    planned.starts_with = workloads::starts_with(entry.object);
    planned.is_for_replacements = entry.object.purpose == kube::ReservationPurpose::kReplacements;
    planned.from = entry.object.from;
    planned.until = entry.until;
    planned.consumers = entry.consumers;
    planned.consumed = static_cast<std::size_t>(entry.consumed());
    if (entry.id.valid()) {
      count_held(entry, planned);
      count_domains(entry, planned);
    } else if (entry.outcome == ReservationOutcome::kWaiting) {
      planned.waiting = entry.object.refill ? planned.pods : planned.pods - std::min(planned.pods, planned.consumed);
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

void ReservedRoom::count_domains(const Entry& entry, PlannedReservation& planned) const {
  if (entry.object.per_domain.empty()) return;
  for (const workloads::DomainRoom& room : entry.rooms) {
    ReservedDomain& domain = planned.domains.emplace_back();
    domain.name = room.domain;
    for (const PodId placeholder : dispatcher_->keeper().placeholders_in(entry.id, room.domain)) {
      ++(cluster_.pod(placeholder).node.valid() ? domain.held : domain.waiting);
    }
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
  status.domains.clear();
  for (const ReservedDomain& domain : planned.domains) {
    status.domains.push_back(
        {domain.name, static_cast<std::int32_t>(domain.held), static_cast<std::int32_t>(domain.waiting)});
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
