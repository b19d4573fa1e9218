#pragma once

#include <memory>

#include "server/store/watch_index.h"

namespace loadline::store {

class Store;

/// A watch that is under way; destroying it ends it. It may outlive its store.
///
/// It costs the store some 200 bytes and no queue: a watch that is behind reads the resource's history, which all
/// watches share.
class Watch {
 public:
  Watch(Store* store, std::weak_ptr<void> alive, std::shared_ptr<WatchState> state);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Holds events back until `resume`: for a connection that takes no more. The watch then goes on where it was, or is
  /// cut if history no longer reaches back that far.
  void pause();
  void resume();

  /// The watcher was told of everything up to this revision: what a bookmark may say.
  [[nodiscard]] Revision seen() const;

 private:
  Store* store_;
  std::weak_ptr<void> alive_;  // of the store
  std::shared_ptr<WatchState> state_;
};

}  // namespace loadline::store
