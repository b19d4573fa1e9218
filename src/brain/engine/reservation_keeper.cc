#include "brain/engine/reservation_keeper.h"

#include <algorithm>
#include <set>
#include <utility>

#include "brain/gang/held_room.h"
#include "brain/workloads/reservation.h"
#include "foundation/base/contract.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using cluster::ReservationId;
using workloads::DomainRoom;

// ---- what is asked for ----------------------------------------------------------------------------------------------

ReservationId ReservationKeeper::open(const kube::Reservation& asked, std::int32_t consumed) {
  const ReservationId id = cluster_.add_reservation(workloads::as_modelled(asked, cluster_.symbols()));
  cluster_.set_consumed(id, consumed);
  kept_[id].consumed = consumed;
  return id;
}

void ReservationKeeper::keep(ReservationId id, const kube::Reservation& asked, std::vector<DomainRoom> rooms) {
  cluster::Reservation modelled = workloads::as_modelled(asked, cluster_.symbols());
  if (cluster_.reservations().at(id).rule != modelled.rule) {
    cluster_.set_rule(id, std::move(modelled.rule));
    line_.room_freed();  // pods that match only now have not tried the room
  }
  KeptRoom& kept = kept_.at(id);
  kept.rooms = std::move(rooms);
  settle(id, kept.made == 0 ? held_before(kept, asked) : std::map<std::string, std::vector<NodeId>>{});
}

void ReservationKeeper::let_go(ReservationId id) {
  drop_placeholders(id);
  kept_.at(id).rooms.clear();
}

void ReservationKeeper::drop_placeholders(ReservationId id) {
  const std::map<std::string, std::vector<PodId>> there = kept_.at(id).placeholders;
  for (const auto& [domain, placeholders] : there) {
    for (const PodId placeholder : placeholders) remove(placeholder);
  }
  for (auto& [pod, taken] : taken_) taken.is_outdated = taken.is_outdated || taken.reservation == id;
}

void ReservationKeeper::close(ReservationId id) {
  drop_placeholders(id);
  std::erase_if(taken_, [&](const auto& taken) {
    if (taken.second.reservation != id) return false;
    forget(taken.second.placeholder);
    return true;
  });
  cluster_.remove_reservation(id);
  kept_.erase(id);
}

std::size_t ReservationKeeper::wanted(const std::vector<DomainRoom>& rooms, std::size_t consumed) {
  std::size_t wanted = 0;
  for (const DomainRoom& room : rooms) wanted += room.pods - std::min(room.pods, consumed);
  return wanted;
}

/// Where its status says that room was held, by domain. Whoever may write the status may write any number there.
std::map<std::string, std::vector<NodeId>> ReservationKeeper::held_before(const KeptRoom& kept,
                                                                          const kube::Reservation& asked) const {
  std::map<std::string, std::vector<NodeId>> held;
  for (const kube::ReservedNode& node : asked.status.nodes) {
    const NodeId id = cluster_.find_node(node.name);
    if (!id.valid()) continue;
    const auto room = std::ranges::find(kept.rooms, workloads::domain_of(asked, id, cluster_), &DomainRoom::domain);
    if (room == kept.rooms.end()) continue;
    std::vector<NodeId>& nodes = held[room->domain];
    const std::size_t most = room->pods + asked.status.nodes.size() - nodes.size();  // one may be full by now
    const auto pods = static_cast<std::size_t>(std::max(node.pods, 0));
    nodes.insert(nodes.end(), std::min({pods, room->pods, most}), id);
  }
  return held;
}

// ---- placeholders ---------------------------------------------------------------------------------------------------

bool ReservationKeeper::is_refilled(ReservationId id) const { return cluster_.reservations().at(id).rule.is_refilled; }

/// As many placeholders in each domain as are wanted. Those that are added stand where room was `held`.
void ReservationKeeper::settle(ReservationId id, const std::map<std::string, std::vector<NodeId>>& held) {
  const KeptRoom& kept = kept_.at(id);
  const std::int32_t consumed = kept.consumed + kept.under_way;
  cluster_.set_consumed(id, consumed);
  std::set<std::string> gone;
  for (const auto& [domain, placeholders] : kept.placeholders) gone.insert(domain);
  for (const DomainRoom& room : kept.rooms) gone.erase(room.domain);
  for (const std::string& domain : gone) drop(id, domain, 0);
  const auto used = static_cast<std::size_t>(is_refilled(id) ? 0 : std::max(consumed, 0));
  for (const DomainRoom& room : kept.rooms) {
    const std::size_t wanted = room.pods - std::min(room.pods, used);
    drop(id, room.domain, wanted);
    const auto nodes = held.find(room.domain);
    std::span<const NodeId> where = nodes == held.end() ? std::span<const NodeId>() : nodes->second;
    for (std::size_t i = placeholders_in(id, room.domain).size(); i < wanted; ++i) add(id, room, where);
  }
}

PodId ReservationKeeper::make_placeholder(ReservationId id, const DomainRoom& room) {
  KeptRoom& kept = kept_.at(id);
  Placeholder made{room.placeholder, room.domain};
  made.pod.metadata.name = workloads::placeholder_name(cluster_.reservations().at(id).name, kept.made++);
  const PodId placeholder = cluster_.add_placeholder(id, made.pod);
  placeholders_.emplace(placeholder, std::move(made));
  kept.placeholders[room.domain].push_back(placeholder);
  return placeholder;
}

/// On the first of the nodes that has room for it; those up to that one are taken off. What is said of nodes may be
/// old: by now the room may be a pod's.
void ReservationKeeper::add(ReservationId id, const DomainRoom& room, std::span<const NodeId>& nodes) {
  const PodId placeholder = make_placeholder(id, room);
  while (!nodes.empty()) {
    const NodeId node = nodes.front();
    nodes = nodes.subspan(1);
    if (line_.hold(placeholder, node)) return;
  }
  line_.wait(placeholder);
}

/// Those that wait go before those that hold room, and the last ones first.
void ReservationKeeper::drop(ReservationId id, const std::string& domain, std::size_t down_to) {
  const std::span<const PodId> there = placeholders_in(id, domain);
  if (there.size() <= down_to) return;
  std::vector<PodId> placeholders(there.begin(), there.end());
  std::ranges::stable_partition(placeholders,
                                [&](PodId placeholder) { return cluster_.pod(placeholder).node.valid(); });
  for (; placeholders.size() > down_to; placeholders.pop_back()) remove(placeholders.back());
}

void ReservationKeeper::remove(PodId placeholder) {
  const cluster::PodRecord& record = cluster_.pod(placeholder);
  const bool makes_room = record.node.valid() || record.nominated.valid();
  line_.withdraw(placeholder);
  take_off_list(placeholder);
  forget(placeholder);
  if (makes_room) line_.room_freed();
}

void ReservationKeeper::take_off_list(PodId placeholder) {
  KeptRoom& kept = kept_.at(cluster_.pod(placeholder).reservation);
  const auto placeholders = kept.placeholders.find(placeholders_.at(placeholder).domain);
  std::erase(placeholders->second, placeholder);
  if (placeholders->second.empty()) kept.placeholders.erase(placeholders);
}

void ReservationKeeper::forget(PodId placeholder) {
  cluster_.remove_pod(placeholder);
  placeholders_.erase(placeholder);
}

std::span<const PodId> ReservationKeeper::placeholders_in(ReservationId id, const std::string& domain) const {
  const auto found = at(id).placeholders.find(domain);
  return found == at(id).placeholders.end() ? std::span<const PodId>() : found->second;
}

std::map<std::string, std::int32_t> ReservationKeeper::nodes_of(ReservationId id) const {
  std::map<std::string, std::int32_t> nodes;
  for (const PodId placeholder : cluster_.reservations().at(id).placeholders) {
    const NodeId node = cluster_.pod(placeholder).node;
    if (node.valid()) ++nodes[std::string(cluster_.node_name(node))];
  }
  if (at(id).under_way == 0 || is_refilled(id)) return nodes;
  for (const auto& [pod, taken] : taken_) {
    if (taken.reservation == id && !taken.node.empty()) ++nodes[taken.node];
  }
  return nodes;
}

// ---- what becomes of it ---------------------------------------------------------------------------------------------

void ReservationKeeper::tell(ReservationId id) const {
  if (tell_) tell_(id);
}

void ReservationKeeper::consume(PodId pod, PodId placeholder, NodeId node) {
  const ReservationId id = cluster_.pod(placeholder).reservation;
  take_off_list(placeholder);
  taken_[pod] = {id, placeholder, node.valid() ? std::string(cluster_.node_name(node)) : std::string()};
  ++kept_.at(id).under_way;
}

void ReservationKeeper::refill(ReservationId id) {
  if (!kept_.contains(id)) return;
  if (is_refilled(id)) settle(id);
  tell(id);
}

void ReservationKeeper::confirm(PodId pod) {
  const auto taken = taken_.extract(pod);
  if (taken.empty()) return;
  KeptRoom& kept = kept_.at(taken.mapped().reservation);
  --kept.under_way;
  ++kept.consumed;
  forget(taken.mapped().placeholder);
  tell(taken.mapped().reservation);
  close_if_consumed(taken.mapped().reservation);
}

/// Where the node is gone, or has no such room by now, the placeholder waits.
void ReservationKeeper::release(PodId pod) {
  const auto found = taken_.extract(pod);
  if (found.empty()) return;
  const TakenRoom& taken = found.mapped();
  KeptRoom& kept = kept_.at(taken.reservation);
  --kept.under_way;
  const std::string domain = placeholders_.at(taken.placeholder).domain;
  const NodeId node = cluster_.find_node(taken.node);
  std::map<std::string, std::vector<NodeId>> held;
  if (node.valid()) held[domain].push_back(node);
  if (taken.is_outdated) {
    forget(taken.placeholder);
  } else {
    put_back(taken.placeholder, kept.placeholders[domain]);
    const bool is_held_again = node.valid() && line_.hold(taken.placeholder, node);
    if (!is_held_again && !kept.workload.empty()) return give_up(taken.placeholder);
    if (!is_held_again) line_.wait(taken.placeholder);
  }
  settle(taken.reservation, held);
  tell(taken.reservation);
}

/// In order of creation.
void ReservationKeeper::put_back(PodId placeholder, std::vector<PodId>& others) {
  cluster_.give_back(placeholder);
  const auto is_older = [this](PodId a, PodId b) { return cluster_.pod(a).uid < cluster_.pod(b).uid; };
  others.insert(std::ranges::upper_bound(others, placeholder, is_older), placeholder);
}

void ReservationKeeper::displaced(PodId placeholder) {
  if (is_for_workload(cluster_.pod(placeholder).reservation)) return give_up(placeholder);
  line_.wait(placeholder);
  tell(cluster_.pod(placeholder).reservation);
}

// ---- room that starts with a group ----------------------------------------------------------------------------------

/// The group with which the room is found; invalid: it is found by itself, or nothing speaks of the group.
cluster::GroupId ReservationKeeper::group_of(ReservationId id) const {
  const KeptRoom& kept = kept_.at(id);
  if (kept.rooms.empty()) return {};
  const kube::Pod& placeholder = kept.rooms.front().placeholder;
  const std::string& group = placeholder.spec->pod_group_name;
  if (group.empty()) return {};
  return cluster_.find_group(placeholder.metadata.namespace_, {cluster::GroupSpelling::kKubernetes, group});
}

/// Whether some of it has a node.
bool ReservationKeeper::is_held(ReservationId id) const {
  return std::ranges::any_of(cluster_.reservations().at(id).placeholders,
                             [&](PodId each) { return cluster_.pod(each).node.valid(); });
}

bool ReservationKeeper::holds_room_of_groups() const {
  return std::ranges::any_of(
      kept_, [this](const auto& entry) { return group_of(entry.first).valid() && is_held(entry.first); });
}

void ReservationKeeper::let_go_of_idle_groups() {
  for (auto& [id, kept] : kept_) {
    const cluster::GroupId group = group_of(id);
    if (!group.valid() || gang::is_under_way(cluster_, group)) continue;
    if (!is_held(id) && kept.consumed == 0 && kept.under_way == 0) continue;
    drop_placeholders(id);
    kept.consumed = 0;
    settle(id);
    tell(id);
  }
}

void ReservationKeeper::came(PodId pod) {
  if (cluster_.pod(pod).reservation.valid()) return;
  const std::vector<ReservationId> matching = cluster_.matching_reservations(cluster_.pod(pod).shape);
  for (const ReservationId id : matching) {
    if (!group_of(id).valid()) continue;
    const std::vector<PodId>& placeholders = cluster_.reservations().at(id).placeholders;
    const auto waiting = std::find_if(placeholders.rbegin(), placeholders.rend(),
                                      [&](PodId each) { return !cluster_.pod(each).node.valid(); });
    if (waiting == placeholders.rend()) continue;
    remove(*waiting);
    ++kept_.at(id).consumed;
    cluster_.set_consumed(id, kept_.at(id).consumed + kept_.at(id).under_way);
    return tell(id);
  }
}

// ---- room of Workloads that queues admit ----------------------------------------------------------------------------

std::vector<PodId> ReservationKeeper::open_for(const std::string& workload, const AdmittedPods& pods) {
  const std::string& name_space = pods.placeholder.metadata.namespace_;
  cluster::Reservation modelled;
  modelled.name_space = name_space;
  modelled.name = workload + '.' + pods.set;
  modelled.rule.name_space = cluster_.symbols().intern(name_space);
  modelled.rule.workload = cluster_.symbols().intern(workload);
  modelled.rule.selector =
      cluster::PodSelector::of_labels({{std::string(kube::kPodSetLabel), pods.set}}, cluster_.symbols());
  const ReservationId id = cluster_.add_reservation(std::move(modelled));
  KeptRoom& kept = kept_[id];
  kept.workload = name_space + '/' + workload;
  kept.rooms = {{"", pods.placeholder, pods.pods}};
  for_workloads_[kept.workload].push_back(id);
  std::vector<PodId> placeholders;
  for (std::size_t i = 0; i < pods.pods; ++i) placeholders.push_back(make_placeholder(id, kept.rooms.front()));
  return placeholders;
}

void ReservationKeeper::let_go_for(std::string_view workload) {
  const auto found = for_workloads_.find(workload);
  if (found == for_workloads_.end()) return;
  const std::vector<ReservationId> held = std::move(found->second);
  for_workloads_.erase(found);
  for (const ReservationId id : held) close(id);
}

/// Its pod finds a place of its own.
void ReservationKeeper::give_up(PodId placeholder) {
  const ReservationId id = cluster_.pod(placeholder).reservation;
  --kept_.at(id).rooms.front().pods;
  remove(placeholder);
  close_if_consumed(id);
}

void ReservationKeeper::close_if_consumed(ReservationId id) {
  const KeptRoom& kept = kept_.at(id);
  if (kept.workload.empty() || kept.under_way > 0 || !kept.placeholders.empty()) return;
  const auto others = for_workloads_.find(kept.workload);
  std::erase(others->second, id);
  if (others->second.empty()) for_workloads_.erase(others);
  close(id);
}

}  // namespace loadline::engine
