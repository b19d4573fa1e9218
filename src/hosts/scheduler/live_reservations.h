#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/cluster/cluster.h"
#include "brain/engine/dispatcher.h"
#include "brain/workloads/reservation_domains.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "hosts/scheduler/live_cluster_model.h"
#include "hosts/scheduler/reservation_status.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::scheduler {

/// Keeps the room in the model that the API server's Reservations ask for, and tells them in their status what became
/// of it: where it is held, how much of it was consumed, and why the rest waits.
///
/// Nothing is lost with this object: held room is taken up again from status.nodes, and what was consumed from
/// status.consumed, or from the pods that say so (consumer_annotations) if there are more. A consumption counts once
/// the API server has the pod on its node, whoever bound it there; until then the room can be given back, and status
/// tells of it as held. What is held and taken is the matter of engine::ReservationKeeper.
class LiveReservations {
 public:
  /// `wake` is called when there may be turns to take. Everything that is named outlives it.
  LiveReservations(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                   LiveClusterModel& model, std::function<void()> wake);
  LiveReservations(const LiveReservations&) = delete;
  LiveReservations& operator=(const LiveReservations&) = delete;

  void set_dispatcher(engine::Dispatcher& dispatcher);
  /// The caches are full: from now on room is held.
  void start();
  /// The scheduler has other profiles: placeholders of those that are gone must not have a turn.
  void reconsider();
  [[nodiscard]] bool is_idle() const { return writes_ == 0; }

  /// Completes the pod as an API server would, if nothing changes that admission reads. Errors: why that would refuse
  /// it.
  Result<void> admit(kube::Pod& pod) const;

  // ---- turns -------------------------------------------------------------------------------------------------------
  /// A placeholder had its turn.
  void decided(const decision::PodTurn& turn);
  /// A turn of the placeholder threw: no more room is held for its reservation until that is changed.
  void set_aside(cluster::PodId placeholder, std::string_view why);
  /// "Reservation ml/room", for what is said about a placeholder.
  [[nodiscard]] std::string name_of(cluster::PodId placeholder) const;
  /// What a pod that consumes room of the reservation is annotated with.
  [[nodiscard]] kube::StringMap consumer_annotations(cluster::ReservationId reservation) const;

 private:
  struct Entry {
    kube::Reservation object;
    ReservationSpelling spelling = ReservationSpelling::kOwn;
    std::string mistake;                   ///< why plan would refuse the object, whatever an API server says; or empty
    std::string failure;                   ///< what was thrown for its sake; empty: nothing was
    document::Value shape;                 ///< what decides how a placeholder looks: the template, and the nodes
    cluster::ReservationId id;             ///< invalid: it has held nothing yet
    std::optional<kube::Pod> placeholder;  ///< but for its name; nullopt: not made yet, or refused
    bool is_refused = false;
    std::string message;        ///< why it waits, or is refused
    std::int32_t consumed = 0;  ///< before it held room
    std::unique_ptr<EventLoop::Timer> timer;
    std::optional<kube::ReservationStatus> written;  ///< the last status that was sent, until the cache tells of one
    bool is_writing = false;
  };

  template <class Kind>
  void listen(watching::Subscriptions& subscriptions, ReservationSpelling spelling);
  void listen_to_policies(watching::Subscriptions& subscriptions);
  /// What an API server has now, and what is wrong with it.
  struct Told {
    kube::Reservation object;
    ReservationSpelling spelling = ReservationSpelling::kOwn;
    std::string mistake;
    document::Value shape;
  };
  void on_reservation(Told told);
  void on_node(const watching::Change<kube::Node>& change);
  void heed_domains();
  void forget(const watching::ObjectKey& key);

  void take_up(Entry& entry);
  void sync(Entry& entry);
  void settle(Entry& entry);
  void refuse_for(Entry& entry, std::string_view why);
  [[nodiscard]] Result<std::vector<workloads::DomainRoom>> rooms_for(Entry& entry);
  [[nodiscard]] std::size_t wanted_by(const Entry& entry, const std::vector<workloads::DomainRoom>& rooms) const;
  [[nodiscard]] std::string no_room_for(const Entry& entry, const std::vector<workloads::DomainRoom>& rooms) const;
  void sync_refused_later();
  void sync_refused();
  void set_timer(Entry& entry);
  [[nodiscard]] Result<kube::Pod> make_placeholder(const Entry& entry) const;
  Result<void> complete(kube::Pod& pod) const;
  void let_go(Entry& entry);
  [[nodiscard]] std::int32_t consumed_of(const Entry& entry) const;
  [[nodiscard]] std::int32_t consumers_of(const Entry& entry) const;
  Entry* entry_of(cluster::ReservationId reservation);
  [[nodiscard]] engine::ReservationKeeper& keeper() const { return dispatcher_->keeper(); }

  void tell(const Entry& entry);
  void write_all();
  void write(Entry& entry);
  [[nodiscard]] ReservationFacts facts_of(const Entry& entry) const;
  [[nodiscard]] bool has_waiting(const Entry& entry) const;
  void count_domains(const Entry& entry, ReservationFacts& facts) const;

  EventLoop& loop_;
  watching::Caches& caches_;
  watching::Actuator& actuator_;
  LiveClusterModel& model_;
  std::function<void()> wake_;
  engine::Dispatcher* dispatcher_ = nullptr;
  bool is_started_ = false;
  std::map<watching::ObjectKey, Entry> entries_;  // Koordinator's have no namespace, and all others have one
  std::map<cluster::ReservationId, watching::ObjectKey> by_id_;
  std::set<watching::ObjectKey> to_write_;
  bool is_posted_ = false;
  bool is_room_given_up_ = false;                         // and a task is posted that sees to refused reservations
  bool are_domains_changed_ = false;                      // and a task is posted that heeds it
  bool are_policies_changed_ = false;                     // likewise
  mutable std::optional<admission::Admission> policies_;  // of the caches; nothing: to be made when it is asked
  std::size_t writes_ = 0;                                // under way
  std::unique_ptr<EventLoop::Timer> retry_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler
