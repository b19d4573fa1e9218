#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/watching/cache.h"
#include "hosts/watching/reflector.h"

namespace loadline::watching {

/// Feeds a cache with what a reflector hears, and calls back after each change.
class CacheFeed final : public Mirror {
 public:
  /// `on_advance()` is called once the cache has moved on.
  CacheFeed(AnyCache& cache, std::function<void()> on_advance) : cache_(cache), on_advance_(std::move(on_advance)) {}

  /// What is gone, or going, is told first: of a group's pods, others came only afterwards, and so many were never
  /// there.
  void replace(std::vector<document::Value> objects, std::uint64_t revision) override {
    std::set<ObjectKey> gone;
    for (ObjectKey& key : cache_.keys()) gone.insert(std::move(key));
    for (const document::Value& object : objects) gone.erase(key_of(object));
    for (const ObjectKey& key : gone) cache_.erase(key);
    std::ranges::stable_partition(objects, is_going);
    for (const document::Value& object : objects) cache_.put(object);
    reach(revision);
  }
  void put(const document::Value& object) override {
    cache_.put(object);
    reach(revision_of(object));
  }
  void erase(const document::Value& object) override {
    cache_.erase(key_of(object));
    reach(revision_of(object));
  }
  void reach(std::uint64_t revision) override {
    cache_.reach(revision);
    on_advance_();
  }

 private:
  static bool is_going(const document::Value& object) {
    return !document::text_at(object, {"metadata", "deletionTimestamp"}).empty();
  }

  AnyCache& cache_;
  std::function<void()> on_advance_;
};

}  // namespace loadline::watching
