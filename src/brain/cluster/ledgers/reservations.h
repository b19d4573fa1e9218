#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/ledgers/ledger.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/unused_ids.h"

namespace loadline::cluster {

/// Of the pods that a rule matches: which may consume the room.
enum class ReservedFor : std::uint8_t {
  kAnyPod,
  /// Those that complete a broken group: one that was whole, and of which fewer members are on nodes than start
  /// together. A group of which no member is on a node begins anew, and replaces nothing.
  kReplacements,
};

/// Which pods may consume a reservation. All that is given must hold.
struct ReservationRule {
  Symbol name_space;  ///< invalid: whatever their namespace
  PodSelector selector = PodSelector::everything();
  /// Their controller; an empty kind: whatever it is. Pods of a Deployment's ReplicaSets and of a CronJob's Jobs are
  /// told by the names that these get.
  std::string owner_kind;
  std::string owner_name;
  /// A Workload of Kueue that was admitted: the room is for its pods alone. Invalid: of whichever Workload they are.
  Symbol workload;
  bool is_closed = false;  ///< no pod may
  ReservedFor reserved_for = ReservedFor::kAnyPod;
  /// Room is held in each domain of this node label; a replacement consumes it where members of its group are. Invalid:
  /// room is not held by domain.
  Symbol domain_label;
  /// What is consumed is held anew, so a pod that finds its place elsewhere takes no waiting placeholder with it.
  bool is_refilled = false;

  /// Whether namespace, selector and owner are those of the pod. What else the rule says depends on where other pods
  /// are: placement::first_reserved_node.
  [[nodiscard]] bool matches(const PodShape& shape, const SymbolTable& symbols) const;
  friend bool operator==(const ReservationRule&, const ReservationRule&) = default;
};

/// Room for pods that do not exist yet. It is held by placeholders: pods of the cluster that no API server knows.
struct Reservation {
  std::string name_space;  ///< empty: it is in none
  std::string name;
  ReservationRule rule;
  std::vector<PodId> placeholders;  ///< those that hold room, or wait for it, in order of creation
  std::int32_t consumed = 0;        ///< pods that took the room of a placeholder, or have its place

  /// "namespace/name".
  [[nodiscard]] std::string text() const { return name_space.empty() ? name : name_space + '/' + name; }
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

/// The ledger of reservations. In a transaction only consume() may be called. Each is O(reservations) at most, but for
/// those that name a placeholder, which are O(placeholders of the reservation).
class Reservations final : public Ledger {
 public:
  [[nodiscard]] bool empty() const { return by_age_.empty(); }
  /// The oldest first.
  [[nodiscard]] const std::vector<ReservationId>& all() const { return by_age_; }
  [[nodiscard]] bool is_reservation(ReservationId id) const;
  /// REQUIRES: is_reservation(id).
  [[nodiscard]] const Reservation& at(ReservationId id) const;
  /// Grows when a rule comes, changes or goes: what pods match has to be found anew. Never 0.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Those whose rule the shape fulfils, the oldest first. O(reservations).
  [[nodiscard]] std::vector<ReservationId> matching(const PodShape& shape, const SymbolTable& symbols) const;

  ReservationId add(Reservation reservation);
  void set_rule(ReservationId id, ReservationRule rule);
  void set_consumed(ReservationId id, std::int32_t pods);
  /// REQUIRES: it has no placeholders.
  void remove(ReservationId id);
  /// The pod is one more of its placeholders, behind the others.
  void hold(ReservationId id, PodId placeholder);
  /// The pod is none of its placeholders any more. False: it was none.
  bool drop(ReservationId id, PodId placeholder);

  /// The same, because a pod has its room now. REQUIRES: it is one.
  void consume(ReservationId id, PodId placeholder);
  /// The opposite of consume(): it is one again, before `next`, or behind all if that is invalid.
  void give_back(ReservationId id, PodId placeholder, PodId next);

  // ---- in a transaction: what consume() changed --------------------------------------------------------------------
  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override;
  void end() override { undo_.end(); }

 private:
  struct Consumed {
    ReservationId reservation;
    PodId placeholder;
    std::size_t position;
  };

  Reservation& get(ReservationId id);
  std::optional<std::size_t> take_out(ReservationId id, PodId placeholder);

  std::vector<std::optional<Reservation>> reservations_;  // by id
  std::vector<ReservationId> by_age_;
  UnusedIds<ReservationId> unused_;
  std::uint64_t version_ = 1;
  UndoLog<Consumed> undo_;
};

}  // namespace loadline::cluster
