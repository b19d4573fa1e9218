#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
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
/// the API server has the pod on its node; until then the room can be given back, and status tells of it as held.
class LiveReservations {
 public:
  /// `wake` is called when there may be turns to take. Everything that is named outlives it.
  LiveReservations(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                   LiveClusterModel& model, std::function<void()> wake);
  LiveReservations(const LiveReservations&) = delete;
  LiveReservations& operator=(const LiveReservations&) = delete;

  void set_dispatcher(engine::Dispatcher& dispatcher) { dispatcher_ = &dispatcher; }
  /// The caches are full: from now on room is held.
  void start();
  /// The scheduler has other profiles: placeholders of those that are gone must not have a turn.
  void reconsider();
  [[nodiscard]] bool is_idle() const { return writes_ == 0; }

  // ---- turns -------------------------------------------------------------------------------------------------------
  /// A placeholder had its turn.
  void decided(const engine::PodTurn& turn);
  /// A turn of the placeholder threw: no more room is held for its reservation until that is changed.
  void set_aside(cluster::PodId placeholder, std::string_view why);
  /// "Reservation ml/room", for what is said about a placeholder.
  [[nodiscard]] std::string name_of(cluster::PodId placeholder) const;
  /// The pod was placed and has consumed room. Removes the placeholder; returns the annotations that say so.
  kube::StringMap consume(const watching::Observed<kube::Pod>& pod, const engine::PodTurn& turn);
  /// The pod will not be bound where it was placed: the room, if it had some, is held again.
  void give_back(const watching::ObjectKey& pod);

 private:
  struct Entry {
    kube::Reservation object;
    ReservationSpelling spelling = ReservationSpelling::kOwn;
    std::string mistake;                   ///< why plan would refuse the object, whatever an API server says; or empty
    std::string failure;                   ///< what was thrown for its sake; empty: nothing was
    document::Value shape;                 ///< what decides how a placeholder looks: the template, and the nodes
    cluster::ReservationId id;             ///< invalid: it holds nothing
    std::optional<kube::Pod> placeholder;  ///< but for its name; nullopt: not made yet, or refused
    bool is_refused = false;
    std::string message;        ///< why it waits, or is refused
    std::int32_t consumed = 0;  ///< by pods that are bound
    std::uint64_t made = 0;     ///< placeholders, for their names
    std::vector<workloads::DomainRoom> rooms;
    std::map<cluster::PodId, std::string> domain_of;                  ///< of placeholders
    std::map<std::string, std::vector<cluster::PodId>> placeholders;  ///< by domain, in order of creation
    std::unique_ptr<EventLoop::Timer> timer;
    std::optional<kube::ReservationStatus> written;  ///< the last status that was sent, until the cache tells of one
    bool is_writing = false;
  };
  /// Room that a pod has consumed whose binding is under way.
  struct Claim {
    watching::ObjectKey reservation;
    std::string pod_uid;
    std::string node;  ///< where room was held for it; empty: it took the place of a placeholder that waited
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
  void on_pod(const watching::Change<kube::Pod>& change);
  void on_node(const watching::Change<kube::Node>& change);
  void heed_domains();
  void forget(const watching::ObjectKey& key);

  void take_up(Entry& entry);
  void sync(Entry& entry);
  void settle(Entry& entry);
  void refuse_for(Entry& entry, std::string_view why);
  [[nodiscard]] std::string no_room_for(const Entry& entry) const;
  [[nodiscard]] static std::size_t wanted_by(const Entry& entry);
  void sync_refused_later();
  void sync_refused();
  void set_timer(Entry& entry);
  [[nodiscard]] Result<kube::Pod> make_placeholder(const Entry& entry) const;
  Result<void> complete(kube::Pod& pod) const;
  void settle_count(Entry& entry);
  void settle_room(Entry& entry, const workloads::DomainRoom& room, std::size_t wanted,
                   const std::vector<std::string>& held);
  void add_placeholder(Entry& entry, const workloads::DomainRoom& room, const std::string& node);
  void let_go(Entry& entry);
  void remove_placeholder(Entry& entry, cluster::PodId placeholder);
  void drop_placeholders(Entry& entry, const std::string& domain, std::size_t down_to);
  void drop_all_placeholders(Entry& entry);
  [[nodiscard]] static std::span<const cluster::PodId> placeholders_in(const Entry& entry, const std::string& domain);
  [[nodiscard]] std::int32_t under_way(const watching::ObjectKey& reservation) const;
  [[nodiscard]] std::int32_t consumers_of(const Entry& entry) const;
  Entry* entry_of(cluster::PodId placeholder);

  void tell(const Entry& entry);
  void write_all();
  void write(Entry& entry);
  [[nodiscard]] ReservationFacts facts_of(const Entry& entry) const;
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
  std::map<watching::ObjectKey, Claim> claims_;  // by pod
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
