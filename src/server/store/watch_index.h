#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/store/event.h"
#include "server/store/store_error.h"

namespace loadline::store {

class Collection;

/// Which objects of a resource a watch is about.
struct Scope {
  std::optional<std::string> name_space = {};  ///< nothing: every namespace
  std::optional<std::string> name;             ///< nothing: every name

  [[nodiscard]] bool contains(const Object& object) const {
    return (!name || *name == object.name()) && (!name_space || *name_space == object.name_space());
  }
};

/// Is told of events, on the loop's thread. A watcher may end its watch, start others and write from within.
class Watcher {
 public:
  virtual ~Watcher() = default;

  /// The next event of the watch's scope, in order of revisions. It is durable.
  virtual void on_event(const EventPtr& event) = 0;

  /// The watch fell so far behind (it was paused) that history no longer reaches back to it. No event follows.
  virtual void on_cut(const StoreError& error) = 0;
};

/// What the store knows of one watch.
struct WatchState {
  Watcher* watcher = nullptr;
  Collection* collection = nullptr;
  Scope scope;
  Revision seen = 0;    ///< all events up to here were told, or concern others
  bool live = false;    ///< is told of events as they become durable; otherwise reads history from `seen` on
  bool paused = false;  ///< is told of no events for now
  bool cut = false;
  bool catching_up = false;  ///< a task for it is queued
  std::size_t slot = 0;      ///< in its bucket
  std::vector<WatchState*>* bucket = nullptr;
};

/// The live and other watches of a resource by scope, so that an event touches only those that it concerns.
class WatchIndex {
 public:
  void add(WatchState& state);
  void remove(WatchState& state);

  /// Calls `tell(WatchState&)` for each watch whose scope contains `object`. Watches may come and go meanwhile: a watch
  /// that went is not called any more, one that came may or may not be. O(watches concerned).
  template <class Tell>
  std::size_t tell(const Object& object, Tell&& tell);

 private:
  using Bucket = std::vector<WatchState*>;  // null: went while watches were told

  [[nodiscard]] static std::string bucket_name(const std::string* name_space, const std::string* name);
  [[nodiscard]] static std::string bucket_name(const Scope& scope);
  void sweep();

  std::unordered_map<std::string, std::unique_ptr<Bucket>> buckets_;
  std::size_t size_ = 0;
  std::size_t telling_ = 0;
  std::vector<std::string> with_holes_;  // names of buckets
};

template <class Tell>
std::size_t WatchIndex::tell(const Object& object, Tell&& tell) {
  if (size_ == 0) return 0;
  const std::string name_space(object.name_space());
  const std::string name(object.name());
  std::size_t told = 0;
  ++telling_;
  for (const std::string& place : {bucket_name(nullptr, nullptr), bucket_name(&name_space, nullptr),
                                   bucket_name(nullptr, &name), bucket_name(&name_space, &name)}) {
    const auto found = buckets_.find(place);
    if (found == buckets_.end()) continue;
    Bucket& bucket = *found->second;
    // By index: a watcher that adds a watch moves the others.
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      if (bucket[i] == nullptr) continue;
      tell(*bucket[i]);
      ++told;
    }
  }
  if (--telling_ == 0 && !with_holes_.empty()) sweep();
  return told;
}

}  // namespace loadline::store
