#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/unit_record.h"

namespace loadline::engine {

/// One record for each unit that waits, and what follows from it and the cluster. Records stay where they are until
/// they are closed.
class UnitTable {
 public:
  using Groups = std::map<cluster::GroupId, decision::UnitRecord*>;

  explicit UnitTable(const cluster::Cluster& cluster) : cluster_(cluster) {}
  UnitTable(const UnitTable&) = delete;
  UnitTable& operator=(const UnitTable&) = delete;

  /// The unit's record; a new one if it has none. O(1), of groups O(log groups).
  decision::UnitRecord& open(decision::Unit unit);
  /// Null: it has none.
  [[nodiscard]] decision::UnitRecord* find(decision::Unit unit) { return lookup(unit); }
  [[nodiscard]] const decision::UnitRecord* find(decision::Unit unit) const { return lookup(unit); }
  /// REQUIRES: it has one.
  [[nodiscard]] decision::UnitRecord& at(decision::Unit unit) { return known(unit); }
  [[nodiscard]] const decision::UnitRecord& at(decision::Unit unit) const { return known(unit); }
  /// The unit waits no longer. Does nothing if it has no record.
  void close(decision::Unit unit);

  [[nodiscard]] std::size_t size() const { return records_.size() - unused_.size(); }
  /// Groups of which pods wait, in the order of their ids.
  [[nodiscard]] const Groups& groups() const { return groups_; }

  // ---- of a unit that waits ----------------------------------------------------------------------------------------
  /// Its pods that wait: see UnitRecord::pods().
  [[nodiscard]] std::span<const cluster::PodId> pods(decision::Unit unit) const { return at(unit).pods(); }
  /// So many of them start together, or none does.
  [[nodiscard]] std::size_t least(decision::Unit unit) const;
  /// The group's own, or the best of its pods'.
  [[nodiscard]] std::int32_t priority(decision::Unit unit) const;
  /// Where its pods are to be depends on each other by more than the filters know: they ask for a topology.
  [[nodiscard]] bool is_bound_together(decision::Unit unit) const;
  /// Of a pod, or because of it of its group.
  [[nodiscard]] decision::UnitRecord::Rank rank_by(decision::Unit unit, cluster::PodId pod) const;
  /// Of the best of its pods.
  [[nodiscard]] decision::UnitRecord::Rank best_rank(const decision::UnitRecord& record) const;

 private:
  [[nodiscard]] decision::UnitRecord* lookup(decision::Unit unit) const;
  [[nodiscard]] decision::UnitRecord& known(decision::Unit unit) const;
  decision::UnitRecord& unused_record();

  const cluster::Cluster& cluster_;
  std::deque<decision::UnitRecord> records_;
  std::vector<decision::UnitRecord*> unused_;
  std::vector<decision::UnitRecord*> by_pod_;  // of pods of no group
  Groups groups_;
};

}  // namespace loadline::engine
