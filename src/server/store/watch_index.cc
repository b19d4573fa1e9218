#include "server/store/watch_index.h"

namespace loadline::store {

std::string WatchIndex::bucket_name(const std::string* name_space, const std::string* name) {
  // No name contains a star.
  std::string place = name_space == nullptr ? "*" : *name_space;
  place += '/';
  place += name == nullptr ? "*" : *name;
  return place;
}

std::string WatchIndex::bucket_name(const Scope& scope) {
  return bucket_name(scope.name_space ? &*scope.name_space : nullptr, scope.name ? &*scope.name : nullptr);
}

void WatchIndex::add(WatchState& state) {
  std::unique_ptr<Bucket>& bucket = buckets_[bucket_name(state.scope)];
  if (bucket == nullptr) bucket = std::make_unique<Bucket>();
  state.slot = bucket->size();
  state.bucket = bucket.get();
  bucket->push_back(&state);
  ++size_;
}

void WatchIndex::remove(WatchState& state) {
  Bucket& bucket = *state.bucket;
  --size_;
  if (telling_ > 0) {
    bucket[state.slot] = nullptr;
    with_holes_.push_back(bucket_name(state.scope));
    return;
  }
  bucket[state.slot] = bucket.back();
  bucket[state.slot]->slot = state.slot;
  bucket.pop_back();
  if (bucket.empty()) buckets_.erase(bucket_name(state.scope));
}

void WatchIndex::sweep() {
  for (const std::string& name : with_holes_) {
    const auto found = buckets_.find(name);
    if (found == buckets_.end()) continue;
    Bucket& bucket = *found->second;
    std::erase(bucket, nullptr);
    for (std::size_t i = 0; i < bucket.size(); ++i) bucket[i]->slot = i;
    if (bucket.empty()) buckets_.erase(found);
  }
  with_holes_.clear();
}

}  // namespace loadline::store
