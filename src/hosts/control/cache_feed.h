#pragma once

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "hosts/control/reflector.h"
#include "hosts/controllers/cache.h"

namespace loadline::control {

/// Feeds a cache with what a reflector hears, and calls back after each change.
class CacheFeed final : public Mirror {
 public:
  /// `on_advance()` is called once the cache has moved on.
  CacheFeed(controllers::AnyCache& cache, std::function<void()> on_advance)
      : cache_(cache), on_advance_(std::move(on_advance)) {}

  void replace(std::vector<document::Value> objects, std::uint64_t revision) override {
    std::set<controllers::ObjectKey> gone;
    for (controllers::ObjectKey& key : cache_.keys()) gone.insert(std::move(key));
    for (const document::Value& object : objects) {
      gone.erase(controllers::key_of(object));
      cache_.put(object);
    }
    for (const controllers::ObjectKey& key : gone) cache_.erase(key);
    reach(revision);
  }
  void put(const document::Value& object) override {
    cache_.put(object);
    reach(controllers::revision_of(object));
  }
  void erase(const document::Value& object) override {
    cache_.erase(controllers::key_of(object));
    reach(controllers::revision_of(object));
  }
  void reach(std::uint64_t revision) override {
    cache_.reach(revision);
    on_advance_();
  }

 private:
  controllers::AnyCache& cache_;
  std::function<void()> on_advance_;
};

}  // namespace loadline::control
