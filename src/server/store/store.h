#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "server/store/collection.h"
#include "server/store/event.h"
#include "server/store/listing.h"
#include "server/store/log_batch.h"
#include "server/store/log_options.h"
#include "server/store/object.h"
#include "server/store/store_error.h"
#include "server/store/watch.h"

namespace loadline::store {

class DataDirectory;
class LogWriter;

struct Options {
  std::string data_dir = {};  ///< made if it is missing, but for its parents; empty: nothing is kept

  std::size_t history_events = 100'000;                    ///< of a resource
  std::size_t history_bytes = std::size_t{64} << 20;       ///< of a resource: versions that only history keeps
  Duration history_age = Duration::seconds(300);           ///< of any event; to a sixtieth of it
  std::size_t parsed_text_bytes = std::size_t{1} << 20;    ///< texts whose documents stay parsed after use
  std::size_t log_backlog_bytes = std::size_t{256} << 20;  ///< texts on their way to the log; beyond: kUnavailable

  // For tests and simulation.
  LogOptions log = {};           ///< with a file system of its own: `data_dir` is not touched
  bool commits_on_loop = false;  ///< no thread: commits run as tasks of the loop, so that runs can be repeated
};

struct ListOptions {
  std::optional<std::string> name_space = {};  ///< nothing: all
  std::string after_name_space = {};           ///< with `after_name`: the listing starts after that object
  std::string after_name = {};                 ///< empty: it starts with the first
  Revision at = 0;                             ///< 0: the latest
};

/// The objects of an API server: etcd and watch cache in one. The state lives in memory, and every write goes to a log
/// (log.h) that survives a crash at any point.
///
/// Everything runs on the loop's thread; a thread of the store's own commits the log, several writes at a time. Writes
/// made by one task of the loop are committed together or not at all.
///
/// A write is visible to `get`, `list` and the next `put` at once. It is not durable at once: the caller that makes an
/// answer must, in the same task, ask `when_durable` of `revision()` (or of the newest revision that the answer was
/// made from) and send it from there. If the log cannot be written, all writes that are not durable are undone, newest
/// first, as if they had never been: no watch was told of them, and the callers that wait for them get the error. The
/// store goes on, and each further write tries the log anew. Watches are told of durable writes only.
class Store {
 public:
  /// Opens or makes the store. Fails, saying why, if another process uses the directory, if it holds something else,
  /// if a newer program wrote it, or if it cannot be read. `loop` must outlive the store.
  static Result<std::unique_ptr<Store>> open(EventLoop& loop, Options options);

  /// Commits what is queued. No callback is called any more.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] Revision revision() const { return revision_; }  ///< of the latest write
  [[nodiscard]] Revision next_revision() const {
    return revision_ + 1;
  }  ///< what the next write gets: goes in its text
  [[nodiscard]] Revision durable_revision() const { return durable_; }
  [[nodiscard]] Revision delivered_revision() const { return delivered_; }  ///< all watches that keep up have seen it

  /// Whether there is so much that watches have not been told that who can wait with writes should, or what is on its
  /// way to them takes ever more memory.
  [[nodiscard]] bool is_behind() const { return pending_bytes_ > kFarBehind; }
  /// Runs `go_on`, in a task of its own, once most of it has been told. REQUIRES: is_behind().
  void when_caught_up(EventLoop::Task go_on);

  /// Null if there is none. O(log n).
  [[nodiscard]] ObjectPtr get(const Key& key) const;

  /// A walk in order of "namespace/name", now or as it was at an older revision. Takes a snapshot, in O(log n); of the
  /// past, it costs the events since, the first time. Fails with kCompacted or kFuture.
  [[nodiscard]] StoreResult<Listing> list(std::string_view resource, const ListOptions& options) const;

  /// How many objects a resource has, and the resources that ever had any.
  [[nodiscard]] std::size_t count(std::string_view resource) const;
  [[nodiscard]] std::vector<std::string> resources() const;

  /// What all objects take, and those of a namespace.
  [[nodiscard]] const UseLedger& use() const { return ledger_; }

  /// Writes an object whose text already holds `next_revision()`. `expected` is the revision that it must have now; 0:
  /// it must not exist. `document` is the text, parsed, if the caller has it. Returns the object as written.
  StoreResult<ObjectPtr> put(const Key& key, std::string_view text, Revision expected, document::Value document = {});

  /// Removes an object. `final_text` is its last state, with `next_revision()`: what watches get to see.
  StoreResult<ObjectPtr> remove(const Key& key, Revision expected, std::string_view final_text,
                                document::Value document = {});

  /// Calls `done` once all writes up to `revision` survive a crash, at once if they do; with the error if they were
  /// undone instead.
  void when_durable(Revision revision, std::function<void(Result<void>)> done);

  /// Why the last commit failed; empty: it did not.
  [[nodiscard]] const std::string& log_failure() const { return log_failure_; }
  /// Finds out whether the log can be written again: if the last commit failed, tries one that changes nothing. Calls
  /// `done` when it is known, at once if there is nothing to try.
  void try_log(EventLoop::Task done);

  /// Commits what is queued, and lets go of the log and its folder; no callback is called any more. REQUIRES: nothing
  /// is written after.
  void close();

  /// Tells `watcher`, from within later tasks, of all events of the scope after `after`, those of the past first.
  /// `watcher` must outlive the watch. Fails with kCompacted (both revisions in it) or kFuture.
  [[nodiscard]] StoreResult<std::unique_ptr<Watch>> watch(std::string_view resource, Scope scope, Revision after,
                                                          Watcher& watcher);

  /// History is complete for revisions after this one.
  [[nodiscard]] Revision compacted(std::string_view resource) const;
  /// Forgets all history up to `revision`, in small pieces; what is not delivered stays. Only tests call it: otherwise
  /// the limits alone say what is forgotten.
  void compact(Revision revision);

 private:
  friend class Watch;
  class Recovery;
  using Waiter = std::function<void(Result<void>)>;
  struct Pending {
    EventPtr event;
    Collection* collection;
    std::shared_ptr<const void> document;  // of the event's object, which watches will ask for
  };
  static constexpr std::size_t kFarBehind = std::size_t{8} << 20;

  Store(EventLoop& loop, Options options);
  [[nodiscard]] Result<void> recover();

  Collection& collection(std::string_view resource);
  [[nodiscard]] Collection* find_collection(std::string_view resource) const;
  [[nodiscard]] StoreResult<ObjectPtr> check(const Key& key, Revision expected, std::size_t text_size) const;
  /// The process ends where there is no memory for it: a write that was half done would be worse.
  ObjectPtr write(EventType type, const Key& key, std::string_view text, ObjectPtr previous,
                  document::Value document) noexcept;
  [[nodiscard]] EventLoop::Task task(void (Store::*member)());

  // The log.
  void queue_flush();
  void flush();
  void take_forgotten(LogBatch& batch);
  void on_commit(std::vector<LogBatch> batches, const Result<void>& result);
  void on_durable(Revision revision);
  void undo_all_not_durable(const Error& error);

  // Watches.
  void queue_delivery();
  void deliver();
  void take_from_pending(const Object& object);
  void queue_catch_up(const std::shared_ptr<WatchState>& state);
  void catch_up(const std::shared_ptr<WatchState>& state);
  void cut(WatchState& state);

  // History.
  bool trim(Collection& collection, std::size_t at_most);
  void queue_trim();
  void trim_slice();
  void arm_tick();
  void on_tick();

  EventLoop& loop_;
  const Options options_;
  std::shared_ptr<RecentDocuments> recent_;
  UseLedger ledger_;
  std::map<std::string, std::unique_ptr<Collection>, std::less<>> collections_;

  // compacted of a resource <= delivered_ <= durable_ <= revision_
  Revision revision_ = 1;
  Revision durable_ = 1;
  Revision delivered_ = 1;
  Revision wanted_compaction_ = 0;

  std::deque<Pending> pending_;  // events after delivered_
  std::size_t pending_bytes_ = 0;
  std::vector<EventLoop::Task> held_back_;  // who waits for pending_ to become shorter
  bool delivery_is_queued_ = false;
  std::multimap<Revision, Waiter> waiters_;

  std::unique_ptr<DataDirectory> directory_;
  LogBatch batch_;  // writes of this task of the loop
  bool flush_is_queued_ = false;
  std::uint64_t epoch_ = 0;
  std::size_t backlog_bytes_ = 0;
  std::string log_failure_;
  std::vector<EventLoop::Task> trials_;        // wait for the end of a commit that is tried
  std::deque<LogBatch::Forgotten> forgotten_;  // trimmed, and still in the log
  bool is_forgetting_ = false;                 // a batch that deletes rows is under way

  std::uint32_t tick_ = 0;
  std::unique_ptr<EventLoop::Timer> tick_timer_;
  bool trim_is_queued_ = false;

  std::shared_ptr<void> alive_ = std::make_shared<int>(0);  // tasks that outlive the store look at it
  std::unique_ptr<LogWriter> writer_;                       // null: in memory. Its thread ends first
};

}  // namespace loadline::store
