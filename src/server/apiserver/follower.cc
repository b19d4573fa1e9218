#include "server/apiserver/follower.h"

#include <utility>

namespace loadline::apiserver {

Follower::Follower(store::Store& store, std::string resource, Tell tell)
    : store_(store), resource_(std::move(resource)), tell_(std::move(tell)) {
  start();
}

void Follower::start() {
  store::StoreResult<store::Listing> listing = store_.list(resource_, {});
  if (!listing) return;  // the latest state can always be listed
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    tell_(*object, false);
  }
  auto watch = store_.watch(resource_, {}, listing->revision(), *this);
  if (watch) watch_ = std::move(*watch);
}

void Follower::on_event(const store::EventPtr& event) {
  tell_(event->object, event->type == store::EventType::kDeleted);
}

// Cannot happen: a follower never pauses. If it did, starting anew is right, but for deletions that were missed.
void Follower::on_cut(const store::StoreError& /*error*/) { start(); }

}  // namespace loadline::apiserver
