// How events get from the log to watches, and out of history again.

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "server/store/store.h"

namespace loadline::store {
namespace {

// What one task of the loop does at most, so that others get their turn.
constexpr std::size_t kToldAtOnce = 4096;
// However long that takes: more comes with every turn of those who write.
constexpr std::size_t kToldAtLeast = 16;
constexpr std::size_t kToldOfThePastAtOnce = 256;
constexpr std::size_t kReadOfThePastAtOnce = 4096;
constexpr std::size_t kTrimmedAtOnce = 1024;

// History shrinks faster than it grows, until it is within its limits.
constexpr std::size_t kTrimmedPerEvent = 4;

constexpr std::uint32_t kTicksOfAge = 60;

}  // namespace

StoreResult<std::unique_ptr<Watch>> Store::watch(std::string_view resource, Scope scope, Revision after,
                                                 Watcher& watcher) {
  if (after > revision_) return tl::unexpected(future_error(after, revision_));
  Collection& watched = collection(resource);
  if (after < watched.compacted()) return tl::unexpected(compacted_error(after, watched.compacted()));
  auto state = std::make_shared<WatchState>();
  state->watcher = &watcher;
  state->collection = &watched;
  state->scope = std::move(scope);
  state->seen = after;
  watched.watches().add(*state);
  const EventPtr first = watched.first_after(after);
  state->live = first == nullptr || first->revision > delivered_;
  if (!state->live) queue_catch_up(state);
  return std::make_unique<Watch>(this, alive_, std::move(state));
}

void Store::queue_delivery() {
  if (std::exchange(delivery_is_queued_, true)) return;
  loop_.post(task(&Store::deliver));
}

void Store::when_caught_up(EventLoop::Task go_on) {
  REQUIRES(is_behind());
  held_back_.push_back(std::move(go_on));
}

void Store::take_from_pending(const Object& object) {
  pending_bytes_ -= object.memory();
  if (pending_bytes_ > kFarBehind / 2) return;
  for (EventLoop::Task& go_on : std::exchange(held_back_, {})) loop_.post(std::move(go_on));
}

void Store::deliver() {
  delivery_is_queued_ = false;
  std::size_t told = 0;
  while (!pending_.empty() && pending_.front().event->revision <= durable_) {
    if (told >= kToldAtOnce || (told >= kToldAtLeast && loop_.is_turn_long())) return queue_delivery();
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    const Event& event = *next.event;
    take_from_pending(*event.object);
    told += 1 + next.collection->watches().tell(*event.object, [&](WatchState& state) {
      if (!state.live || event.revision <= state.seen) return;
      state.seen = event.revision;
      state.watcher->on_event(next.event);
    });
    delivered_ = event.revision;
    event.encodings.clear();
    if (event.previous != nullptr) event.previous->let_go_of_caches();
    if (event.type == EventType::kDeleted) event.object->let_go_of_caches();
    trim(*next.collection, kTrimmedPerEvent);
  }
  if (!forgotten_.empty()) queue_flush();
}

void Store::queue_catch_up(const std::shared_ptr<WatchState>& state) {
  if (std::exchange(state->catching_up, true)) return;
  loop_.post([this, alive = std::weak_ptr<void>(alive_), weak = std::weak_ptr<WatchState>(state)] {
    const std::shared_ptr<WatchState> kept = weak.lock();
    if (kept == nullptr || alive.expired()) return;
    kept->catching_up = false;
    catch_up(kept);
  });
}

void Store::catch_up(const std::shared_ptr<WatchState>& state) {
  std::size_t told = 0;
  for (std::size_t read = 0; read < kReadOfThePastAtOnce && told < kToldOfThePastAtOnce; ++read) {
    // The watcher that was told may have ended the watch: then only this function holds its state.
    if (state.use_count() == 1 || state->paused || state->cut) return;
    if (state->seen < state->collection->compacted()) return cut(*state);
    const EventPtr event = state->collection->first_after(state->seen);
    if (event == nullptr || event->revision > delivered_) {
      state->live = true;
      state->seen = std::max(state->seen, delivered_);
      return;
    }
    state->seen = event->revision;
    if (!state->scope.contains(*event->object)) continue;
    ++told;
    state->watcher->on_event(event);
    event->encodings.clear();
  }
  queue_catch_up(state);
}

void Store::cut(WatchState& state) {
  state.cut = true;
  state.watcher->on_cut(compacted_error(state.seen, state.collection->compacted()));
}

Revision Store::compacted(std::string_view resource) const {
  const Collection* collection = find_collection(resource);
  return collection == nullptr ? 0 : collection->compacted();
}

void Store::compact(Revision revision) {
  wanted_compaction_ = std::max(wanted_compaction_, std::min(revision, delivered_));
  queue_trim();
}

/// Says whether there may be more to trim.
bool Store::trim(Collection& collection, std::size_t at_most) {
  const HistoryLimits limits{.events = options_.history_events, .bytes = options_.history_bytes, .age = kTicksOfAge};
  for (std::size_t i = 0; i < at_most; ++i) {
    const std::optional<LogBatch::Forgotten> forgotten =
        collection.trim_one(limits, tick_, delivered_, wanted_compaction_);
    if (!forgotten) {
      collection.set_compacted(wanted_compaction_);
      return false;
    }
    if (writer_ != nullptr) forgotten_.push_back(*forgotten);
  }
  return true;
}

void Store::queue_trim() {
  if (std::exchange(trim_is_queued_, true)) return;
  loop_.post(task(&Store::trim_slice));
}

void Store::trim_slice() {
  trim_is_queued_ = false;
  bool more = false;
  for (const auto& [name, collection] : collections_) more = trim(*collection, kTrimmedAtOnce) || more;
  if (!forgotten_.empty()) queue_flush();
  if (more) queue_trim();
}

/// Age is counted in ticks, and only while there is something to age: a clock that jumps makes nothing old, and an
/// idle store sets no timer.
void Store::arm_tick() {
  if (tick_timer_ != nullptr) return;
  const Duration tick{std::max<std::int64_t>(options_.history_age.nanoseconds / kTicksOfAge, 1'000'000)};
  tick_timer_ = loop_.after(tick, task(&Store::on_tick));
}

void Store::on_tick() {
  tick_timer_.reset();
  ++tick_;
  queue_trim();
  const bool has_history = std::any_of(collections_.begin(), collections_.end(),
                                       [](const auto& entry) { return entry.second->has_history(); });
  if (has_history) arm_tick();
}

}  // namespace loadline::store
