// What Cluster does with reservations, too.
#include "brain/cluster/ledgers/reservations.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "brain/cluster/cluster.h"
#include "foundation/base/contract.h"
#include "objects/kube/workload_names.h"

namespace loadline::cluster {
namespace {

/// `name` is `owner`, a dash, and something that `is_suffix` takes.
template <class IsSuffix>
bool is_made_of(std::string_view name, std::string_view owner, IsSuffix is_suffix) {
  return name.starts_with(owner) && name.size() > owner.size() + 1 && name[owner.size()] == '-' &&
         is_suffix(name.substr(owner.size() + 1));
}

/// A ReplicaSet `web-5d4f7c9b8b` of a pod with that pod-template-hash belongs to the Deployment `web`, and a Job
/// `nightly-29012345` to the CronJob `nightly`.
bool is_owned(const PodShape& shape, std::string_view kind, std::string_view name, const SymbolTable& symbols) {
  if (!shape.controller) return false;
  const kube::OwnerReference& controller = *shape.controller;
  if (controller.kind == kind) return controller.name == name;
  if (kind == "Deployment" && controller.kind == "ReplicaSet") {
    const Symbol hash = shape.labels.find(symbols.find(kube::kPodTemplateHash));
    return hash.valid() &&
           is_made_of(controller.name, name, [&](std::string_view suffix) { return suffix == symbols.text(hash); });
  }
  if (kind == "CronJob" && controller.kind == "Job") {
    return is_made_of(controller.name, name, [](std::string_view suffix) {
      return std::ranges::all_of(suffix, [](char c) { return c >= '0' && c <= '9'; });
    });
  }
  return false;
}

}  // namespace

bool ReservationRule::matches(const PodShape& shape, const SymbolTable& symbols) const {
  if (is_closed || (name_space.valid() && shape.name_space != name_space)) return false;
  return selector.matches(shape.labels, symbols) &&
         (owner_kind.empty() || is_owned(shape, owner_kind, owner_name, symbols));
}

// ---- the ledger -----------------------------------------------------------------------------------------------------

bool Reservations::is_reservation(ReservationId id) const {
  return id.index() < reservations_.size() && reservations_[id.index()].has_value();
}

const Reservation& Reservations::at(ReservationId id) const {
  REQUIRES(is_reservation(id));
  return *reservations_[id.index()];
}

Reservation& Reservations::get(ReservationId id) {
  REQUIRES(is_reservation(id));
  return *reservations_[id.index()];
}

std::vector<ReservationId> Reservations::matching(const PodShape& shape, const SymbolTable& symbols) const {
  std::vector<ReservationId> ids;
  for (const ReservationId id : by_age_) {
    if (at(id).rule.matches(shape, symbols)) ids.push_back(id);
  }
  return ids;
}

ReservationId Reservations::add(Reservation reservation) {
  REQUIRES(!undo_.is_open() && reservation.placeholders.empty());
  const ReservationId id = unused_.take(reservations_.size());
  if (id.index() == reservations_.size()) reservations_.emplace_back();
  reservations_[id.index()] = std::move(reservation);
  by_age_.push_back(id);
  ++version_;
  return id;
}

void Reservations::set_rule(ReservationId id, ReservationRule rule) {
  REQUIRES(!undo_.is_open());
  if (get(id).rule == rule) return;
  get(id).rule = std::move(rule);
  ++version_;
}

void Reservations::set_consumed(ReservationId id, std::int32_t pods) {
  REQUIRES(!undo_.is_open());
  get(id).consumed = pods;
}

void Reservations::remove(ReservationId id) {
  REQUIRES(!undo_.is_open() && get(id).placeholders.empty());
  reservations_[id.index()].reset();
  std::erase(by_age_, id);
  unused_.give_back(id);
  ++version_;
}

void Reservations::hold(ReservationId id, PodId placeholder) {
  REQUIRES(!undo_.is_open());
  get(id).placeholders.push_back(placeholder);
}

bool Reservations::drop(ReservationId id, PodId placeholder) {
  if (!is_reservation(id)) return false;
  REQUIRES(!undo_.is_open());
  return take_out(id, placeholder).has_value();
}

void Reservations::consume(ReservationId id, PodId placeholder) {
  const std::optional<std::size_t> position = take_out(id, placeholder);
  REQUIRES(position.has_value());
  ++get(id).consumed;
  undo_.record({id, placeholder, *position});
}

void Reservations::give_back(ReservationId id, PodId placeholder, PodId next) {
  REQUIRES(!undo_.is_open());
  Reservation& reservation = get(id);
  --reservation.consumed;
  reservation.placeholders.insert(std::ranges::find(reservation.placeholders, next), placeholder);
}

/// Returns where it stood; nothing if it is none of them.
std::optional<std::size_t> Reservations::take_out(ReservationId id, PodId placeholder) {
  std::vector<PodId>& placeholders = get(id).placeholders;
  const auto found = std::ranges::find(placeholders, placeholder);
  if (found == placeholders.end()) return std::nullopt;
  const auto position = static_cast<std::size_t>(found - placeholders.begin());
  placeholders.erase(found);
  return position;
}

void Reservations::roll_back() {
  undo_.roll_back([this](const Consumed& step) {
    Reservation& reservation = get(step.reservation);
    --reservation.consumed;
    const auto at = reservation.placeholders.begin() + static_cast<std::ptrdiff_t>(step.position);
    reservation.placeholders.insert(at, step.placeholder);
  });
}

// ---- Cluster --------------------------------------------------------------------------------------------------------

PodId Cluster::add_placeholder(ReservationId reservation, const kube::Pod& pod) {
  const PodId id = add(pod, NodeNamePart::kIncluded);
  if (pod.spec->pod_group_name.empty()) leave_group(id);  // its labels may be those of a group's pods
  pods_[id.index()].reservation = reservation;
  reservations_.hold(reservation, id);
  return id;
}

void Cluster::consume(PodId placeholder) {
  REQUIRES(placeholder.index() < pods_.size() && pods_[placeholder.index()].known);
  if (pods_[placeholder.index()].node.valid()) unplace(placeholder);
  nominate(placeholder, NodeId{});
  reservations_.consume(pods_[placeholder.index()].reservation, placeholder);
}

void Cluster::give_back(PodId placeholder) {
  REQUIRES(placeholder.index() < pods_.size() && pods_[placeholder.index()].known);
  const PodRecord& record = pods_[placeholder.index()];
  const std::vector<PodId>& others = reservations_.at(record.reservation).placeholders;
  const auto next = std::ranges::find_if(others, [&](PodId other) { return pods_[other.index()].uid > record.uid; });
  reservations_.give_back(record.reservation, placeholder, next == others.end() ? PodId{} : *next);
}

void Cluster::remove_reservation(ReservationId id) {
  const std::vector<PodId> placeholders = reservations_.at(id).placeholders;
  for (const PodId placeholder : placeholders) remove_pod(placeholder);
  reservations_.remove(id);
}

const std::vector<ReservationId>& Cluster::matching_reservations(ShapeId shape_id) const {
  ShapeMemo& memo = memo_of(shape_id);
  if (memo.reservations_seen != reservations_.version()) {
    memo.reservations = reservations_.matching(shape(shape_id), symbols_);
    memo.reservations_seen = reservations_.version();
  }
  return memo.reservations;
}

}  // namespace loadline::cluster
