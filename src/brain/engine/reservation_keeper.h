#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/workloads/reservation_domains.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::engine {

/// What a reservation holds, and what of it was taken.
struct KeptRoom {
  std::vector<workloads::DomainRoom> rooms;                         ///< what it asks for; empty: nothing at present
  std::map<std::string, std::vector<cluster::PodId>> placeholders;  ///< by domain, in order of creation
  std::int32_t consumed = 0;                                        ///< by pods that are known to have their places
  std::int32_t under_way = 0;  ///< by pods that were placed, and may yet be released
  std::uint64_t made = 0;      ///< placeholders, for their names
  std::string workload;        ///< "namespace/name" of the Workload whose pods it is for; empty: it is a Reservation's
};

/// Pods of one set of a Workload, for which its queue has room held until they are there.
struct AdmittedPods {
  std::string set;        ///< its name, which the pods have as a label
  kube::Pod placeholder;  ///< but for its name; in the Workload's namespace
  std::size_t pods = 0;
};

/// A pod has the room of a placeholder, or its place in line, and nobody has said yet that this was carried out.
struct TakenRoom {
  cluster::ReservationId reservation;
  cluster::PodId placeholder;  ///< of the model still, but of no use to others
  std::string node;            ///< where the room was; empty: the placeholder waited
  bool is_outdated = false;    ///< room is asked for otherwise by now, or not at all
};

/// Keeps the room that reservations ask for, for every host: as many placeholders in each domain as are wanted, and not
/// consumed; those that have no room wait for it in line. What a pod has consumed is given back if the pod is released:
/// the placeholder stands again where it was, last among the pods of its node. If room is asked for otherwise by then,
/// one that looks as it is to now stands there, if that fits.
///
/// Source of what a reservation asks for: docs/reservations.md.
class ReservationKeeper {
 public:
  /// What the scheduler's loop does with placeholders: see Dispatcher.
  struct Line {
    std::function<bool(cluster::PodId, cluster::NodeId)> hold;  ///< puts it there, if there is room
    std::function<void(cluster::PodId)> wait;                   ///< it has a turn, to find room elsewhere
    std::function<void(cluster::PodId)> withdraw;
    std::function<void()> room_freed;
  };
  ReservationKeeper(cluster::Cluster& cluster, Line line) : cluster_(cluster), line_(std::move(line)) {}

  /// Tells of every reservation of which room was consumed, given back, or lost with its node.
  void when_changed(std::function<void(cluster::ReservationId)> tell) { tell_ = std::move(tell); }

  // ---- what is asked for -------------------------------------------------------------------------------------------
  /// The model knows it from now on; it holds nothing yet. `consumed`: pods that have consumed it before.
  cluster::ReservationId open(const kube::Reservation& asked, std::int32_t consumed);
  /// From now on `rooms` is held, see workloads::rooms_of(), less what was consumed, for pods that the rule of `asked`
  /// names. The first time, what its status says was held is held there again, if there is room. If less is held than
  /// before, placeholders that wait go first, and the last ones of them. O(placeholders).
  void keep(cluster::ReservationId id, const kube::Reservation& asked, std::vector<workloads::DomainRoom> rooms);
  /// No room is held for it until keep(); what was consumed stays known.
  void let_go(cluster::ReservationId id);
  /// Its placeholders look otherwise now: those that are there go. To be followed by keep() or let_go().
  void drop_placeholders(cluster::ReservationId id);
  /// Forgets the reservation, with all that was taken of it.
  void close(cluster::ReservationId id);
  /// So many placeholders are wanted of these rooms if so much of each was consumed before, and it is not refilled.
  [[nodiscard]] static std::size_t wanted(const std::vector<workloads::DomainRoom>& rooms, std::size_t consumed);

  // ---- what becomes of it: called by the scheduler's loop ----------------------------------------------------------
  /// The pod was placed and has taken the place of the placeholder, on the node, or, if that is invalid, in line.
  void consume(cluster::PodId pod, cluster::PodId placeholder, cluster::NodeId node);
  /// The turn that consumed it is over: what is to be refilled is.
  void refill(cluster::ReservationId id);
  /// It is a fact that the pod has its place. Does nothing to one that has consumed nothing.
  void confirm(cluster::PodId pod);
  /// The pod has left its place: the room is held again, or waits again. Does nothing to one that has consumed nothing.
  void release(cluster::PodId pod);
  /// The placeholder's node is gone: it waits for another one.
  void displaced(cluster::PodId placeholder);

  // ---- room that starts with a group, see workloads::kStartsWith ---------------------------------------------------
  /// Lets go of the room of groups of which no pod is on a node, or has succeeded: it waits with the group again, that
  /// which was consumed, too. To be called before turns. O(reservations × members of their groups).
  void let_go_of_idle_groups();
  /// Whether any such room has a node. O(reservations).
  [[nodiscard]] bool holds_room_of_groups() const;
  /// A pod is about to wait that may consume room which waits itself: it stands for one of the placeholders from now
  /// on.
  void came(cluster::PodId pod);

  // ---- room of Workloads that queues admit, see AdmittedRoom -------------------------------------------------------
  /// Placeholders that are on no nodes yet, nor wait for some: the caller places all of them, or lets go. Only pods of
  /// the Workload consume them. One whose node is lost is not held elsewhere; with the last one this is over.
  /// `workload`: its name. REQUIRES: there are no others for that set.
  std::vector<cluster::PodId> open_for(const std::string& workload, const AdmittedPods& pods);
  /// What of it has not been consumed is free. `workload`: "namespace/name". Does nothing if there is none.
  void let_go_for(std::string_view workload);
  [[nodiscard]] bool is_for_workload(cluster::ReservationId id) const {
    const auto found = kept_.find(id);
    return found != kept_.end() && !found->second.workload.empty();
  }

  // ---- what there is -----------------------------------------------------------------------------------------------
  /// REQUIRES: it is open.
  [[nodiscard]] const KeptRoom& at(cluster::ReservationId id) const { return kept_.at(id); }
  [[nodiscard]] std::span<const cluster::PodId> placeholders_in(cluster::ReservationId id,
                                                                const std::string& domain) const;
  /// How many placeholders hold room by the name of the node; with those whose room pods have taken that may yet be
  /// released, unless it is refilled.
  [[nodiscard]] std::map<std::string, std::int32_t> nodes_of(cluster::ReservationId id) const;
  /// REQUIRES: it is a placeholder that the keeper has made, and not removed.
  [[nodiscard]] const kube::Pod& placeholder(cluster::PodId id) const { return placeholders_.at(id).pod; }

 private:
  struct Placeholder {
    kube::Pod pod;
    std::string domain;
  };

  cluster::PodId make_placeholder(cluster::ReservationId id, const workloads::DomainRoom& room);
  void give_up(cluster::PodId placeholder);
  void close_if_consumed(cluster::ReservationId id);
  [[nodiscard]] bool is_refilled(cluster::ReservationId id) const;
  [[nodiscard]] cluster::GroupId group_of(cluster::ReservationId id) const;
  [[nodiscard]] bool is_held(cluster::ReservationId id) const;
  [[nodiscard]] std::map<std::string, std::vector<cluster::NodeId>> held_before(const KeptRoom& kept,
                                                                                const kube::Reservation& asked) const;
  void settle(cluster::ReservationId id, const std::map<std::string, std::vector<cluster::NodeId>>& held = {});
  void add(cluster::ReservationId id, const workloads::DomainRoom& room, std::span<const cluster::NodeId>& nodes);
  void drop(cluster::ReservationId id, const std::string& domain, std::size_t down_to);
  void remove(cluster::PodId placeholder);
  void take_off_list(cluster::PodId placeholder);
  void put_back(cluster::PodId placeholder, std::vector<cluster::PodId>& others);
  void forget(cluster::PodId placeholder);
  void tell(cluster::ReservationId id) const;

  cluster::Cluster& cluster_;
  Line line_;
  std::function<void(cluster::ReservationId)> tell_;
  std::map<cluster::ReservationId, KeptRoom> kept_;
  std::map<cluster::PodId, Placeholder> placeholders_;  // those that were consumed among them, until that is a fact
  std::map<cluster::PodId, TakenRoom> taken_;           // by the pod that did
  std::map<std::string, std::vector<cluster::ReservationId>, std::less<>> for_workloads_;
};

}  // namespace loadline::engine
