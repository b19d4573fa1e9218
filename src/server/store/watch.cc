#include "server/store/watch.h"

#include <algorithm>
#include <utility>

#include "server/store/collection.h"
#include "server/store/store.h"

namespace loadline::store {

Watch::Watch(Store* store, std::weak_ptr<void> alive, std::shared_ptr<WatchState> state)
    : store_(store), alive_(std::move(alive)), state_(std::move(state)) {}

Watch::~Watch() {
  if (!alive_.expired()) state_->collection->watches().remove(*state_);
}

void Watch::pause() {
  state_->seen = seen();
  state_->live = false;
  state_->paused = true;
}

void Watch::resume() {
  if (!state_->paused) return;
  state_->paused = false;
  if (!alive_.expired()) store_->queue_catch_up(state_);
}

Revision Watch::seen() const {
  if (!state_->live || alive_.expired()) return state_->seen;
  return std::max(state_->seen, store_->delivered_revision());
}

}  // namespace loadline::store
