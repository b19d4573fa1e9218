#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "server/apiserver/server_context.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// What waits for a controller's attention: each item once, first come, first served, and a few of them in a task of
/// the loop, fewer where they take long, so that requests get their turn. Work may add to the queue. What it wrote is
/// undone if the disk fails, as if it had never been: then the item comes again.
template <class Item>
class WorkQueue {
 public:
  using Work = std::function<void(const Item& item)>;

  WorkQueue(const ServerContext& context, std::size_t per_task, Work work)
      : loop_(context.loop), store_(context.store), per_task_(per_task), work_(std::move(work)) {}

  void add(const Item& item) {
    if (!known_.insert(item).second) return;
    items_.push_back(item);
    post();
  }

  /// Items that wait, those that come later among them.
  [[nodiscard]] std::size_t size() const { return items_.size() + later_.size(); }

  /// In a second: what could not be done now.
  void add_later(const Item& item) {
    later_.insert(item);
    if (timer_ != nullptr) return;
    timer_ = loop_.after(Duration::seconds(1), [this] {
      timer_.reset();
      for (const Item& late : std::exchange(later_, {})) add(late);
    });
  }

 private:
  void post() {
    if (is_posted_) return;
    is_posted_ = true;
    loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) run();
    });
  }

  void run() {
    is_posted_ = false;
    if (store_.is_behind()) {
      return store_.when_caught_up([this, alive = std::weak_ptr<int>(alive_)] {
        if (!alive.expired()) post();
      });
    }
    for (std::size_t done = 0; done < per_task_ && !items_.empty(); ++done) {
      const Item item = std::move(items_.front());
      items_.pop_front();
      known_.erase(item);
      const store::Revision before = store_.revision();
      work_(item);
      if (store_.revision() != before) come_again_if_undone(item);
      if (loop_.is_turn_long()) break;
    }
    if (!items_.empty()) post();
  }

  void come_again_if_undone(const Item& item) {
    store_.when_durable(store_.revision(),
                        [this, alive = std::weak_ptr<int>(alive_), item](const Result<void>& durable) {
                          if (!durable && !alive.expired()) add_later(item);
                        });
  }

  EventLoop& loop_;
  store::Store& store_;
  std::size_t per_task_;
  Work work_;
  std::deque<Item> items_;
  std::set<Item> known_;  // the same items
  std::set<Item> later_;
  bool is_posted_ = false;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::apiserver
