#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/cluster/cluster.h"
#include "brain/engine/dispatcher.h"
#include "brain/workloads/reservation_domains.h"
#include "hosts/simulator/intake.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The reservations of a plan: which room is held, which still waits for a node, and which pods have consumed it.
///
/// Their time is judged when the plan begins: one that begins later holds nothing, nor does one that has ended. What
/// status.nodes says is held already is held there again; status.consumed, or the pods that carry
/// kReservationAnnotation if there are more, have consumed room before. Nodes do not change in a plan, so domains do
/// not either.
class ReservedRoom {
 public:
  /// `made`: what controllers made, reservations for later pods of workloads among it.
  ReservedRoom(const kube::Objects& objects, const kube::Objects& made, cluster::Cluster& cluster, SimulatedPods& pods);

  /// Puts all that is to be held into the model; what has no node yet waits for it in the queue. Quotas are charged for
  /// it as for pods; those that `come` and may consume it were charged already, so it is charged for the rest.
  void take_in(admission::Admission& admission, engine::Dispatcher& dispatcher, const std::vector<Arrival>& come,
               Instant now);

  /// The same of reservations that controllers have just made.
  void take_in_made(const kube::Objects& made, const std::vector<Arrival>& come);

  /// A controller is about to create a pod that was to come later: the quota that is charged for its room is its own.
  void comes(const kube::Pod& pod);
  /// A placeholder's turn was taken.
  void decided(const decision::PodTurn& turn);
  /// A pod was placed that has consumed room.
  void consumed(const decision::PodTurn& turn);

  /// Groups that do not start since quotas allow no room for their later pods.
  [[nodiscard]] const Diagnostics& notes() const { return notes_; }

  /// In the order of the input, Koordinator's last, and then those that controllers made.
  [[nodiscard]] std::vector<PlannedReservation> describe() const;

 private:
  struct Entry {
    kube::Reservation object;
    cluster::ReservationId id;  ///< invalid: it holds nothing
    ReservationOutcome outcome = ReservationOutcome::kHolding;
    std::optional<Instant> until;
    kube::ResourceList requests;
    std::string message;
    std::vector<NodeReason> reasons;
    std::vector<std::size_t> consumers;
    std::vector<workloads::DomainRoom> rooms;
    std::int64_t held_for = 0;         ///< quotas are charged for so many of its placeholders
    std::int64_t charged_as_pods = 0;  ///< and for so many more as the pods that have come and may consume it

    [[nodiscard]] std::int32_t consumed() const;
    /// Of each room so much is not held any more.
    [[nodiscard]] std::size_t gone() const;
  };

  void take_in(std::size_t index, const std::vector<Arrival>& come);
  [[nodiscard]] std::vector<std::size_t> annotated(const Entry& entry) const;
  void hold_back_group(const Entry& entry);
  [[nodiscard]] std::string charge(Entry& entry, const std::vector<Arrival>& come);
  [[nodiscard]] kube::ResourceList requests_of(const Entry& entry) const;
  [[nodiscard]] Entry& entry_of(cluster::ReservationId reservation);
  void count_held(const Entry& entry, PlannedReservation& planned) const;
  void count_domains(const Entry& entry, PlannedReservation& planned) const;

  cluster::Cluster& cluster_;
  SimulatedPods& pods_;
  admission::Admission* admission_ = nullptr;
  engine::Dispatcher* dispatcher_ = nullptr;
  Instant now_;
  std::vector<Entry> entries_;
  std::map<cluster::ReservationId, std::size_t> by_id_;
  Diagnostics notes_;
};

/// Says in the objects' status what is held and consumed, as a scheduler would.
void write_status(const std::vector<PlannedReservation>& reservations, kube::Objects& objects);

/// The room that is held on the node is held there no more, and has to be found elsewhere.
void give_up_room(const std::string& node, kube::Objects& objects);

}  // namespace loadline::simulator
