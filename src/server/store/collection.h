#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "server/store/event.h"
#include "server/store/log_batch.h"
#include "server/store/store_error.h"
#include "server/store/tree.h"
#include "server/store/use.h"
#include "server/store/watch_index.h"

namespace loadline::store {

/// How much history a resource keeps for watches that start in the past and lists of the past: what violates any of
/// these goes, oldest first.
struct HistoryLimits {
  std::size_t events = 100'000;
  std::size_t bytes = std::size_t{64} << 20;  ///< of versions that only history keeps
  std::uint32_t age = 60;                     ///< in ticks of the store
};

/// One resource: its objects now, and the events that led there since `compacted`.
class Collection {
 public:
  /// `ledger` counts what there is; it outlives the collection. Null: nobody counts.
  explicit Collection(std::string name, UseLedger* ledger = nullptr) : name_(std::move(name)), ledger_(ledger) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] WatchIndex& watches() { return watches_; }

  /// Takes a write over: `event` is newer than all before it. `tick` is the time that it counts its age from.
  void apply(const EventPtr& event, std::uint32_t tick);

  /// Takes the newest event back. REQUIRES: `event` is the newest.
  void undo(const Event& event);

  /// An object that was there before the history starts.
  void restore(ObjectPtr object);

  /// History is complete for revisions after this one.
  [[nodiscard]] Revision compacted() const { return compacted_; }
  [[nodiscard]] bool has_history() const { return !history_.empty(); }
  [[nodiscard]] std::size_t history_bytes() const { return history_bytes_; }

  /// The first event after a revision; null if there is none. O(log events).
  [[nodiscard]] EventPtr first_after(Revision revision) const;

  /// The objects as they were at `revision`. Costs the events since, and nothing when asked again for the same one.
  /// REQUIRES: compacted() <= revision.
  [[nodiscard]] Tree at(Revision revision);

  /// Forgets the oldest event if it is not newer than `newest_allowed` and the limits, or a compaction up to `wanted`,
  /// demand it. Returns what the log need not keep any more; nothing if nothing had to go.
  std::optional<LogBatch::Forgotten> trim_one(const HistoryLimits& limits, std::uint32_t tick, Revision newest_allowed,
                                              Revision wanted);

  /// History up to `revision` is refused from now on. REQUIRES: no event up to it is left.
  void set_compacted(Revision revision);

 private:
  struct Entry {
    EventPtr event;
    std::uint32_t tick;
  };

  /// What was there before is not any more, and what comes is; either may be null.
  void count(const Object* before, const Object* now);

  std::string name_;
  UseLedger* ledger_;
  Tree tree_;
  std::deque<Entry> history_;
  std::size_t history_bytes_ = 0;
  Revision compacted_ = 0;
  WatchIndex watches_;

  // The tree of the past that was asked for last: pages of a list ask for the same one again and again.
  Tree past_;
  Revision past_revision_ = -1;
};

}  // namespace loadline::store
