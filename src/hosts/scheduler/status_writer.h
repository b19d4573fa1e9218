#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "foundation/base/event_loop.h"
#include "hosts/watching/action.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/object.h"

namespace loadline::scheduler {

/// Has statuses of objects of one kind written: one write of an object after the other, and again a second after one
/// that failed. What was wanted last counts; what is wanted again while it is written is not written twice.
template <class Wanted>
class StatusWriter {
 public:
  /// What has to be written of an object, as the caches have it now; empty: it says so already, or it is gone.
  using Compose = std::function<std::vector<watching::Action>(const watching::ObjectKey& key, const Wanted&)>;

  /// Everything that is named outlives it.
  StatusWriter(EventLoop& loop, watching::Actuator& actuator, Compose compose)
      : loop_(loop), actuator_(actuator), compose_(std::move(compose)) {}
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  /// The caches are full: from now on it writes.
  void start() {
    is_started_ = true;
    std::vector<watching::ObjectKey> keys;
    for (const auto& [key, wanted] : wanted_) keys.push_back(key);
    for (const watching::ObjectKey& key : keys) write(key);
  }
  void want(const watching::ObjectKey& key, Wanted wanted) {
    wanted_.insert_or_assign(key, std::move(wanted));
    write(key);
  }
  /// What is under way goes on, and is not tried again.
  void forget(const watching::ObjectKey& key) { wanted_.erase(key); }

 private:
  void write(const watching::ObjectKey& key) {
    const auto found = wanted_.find(key);
    if (!is_started_ || found == wanted_.end() || under_way_.contains(key)) return;
    std::vector<watching::Action> actions = compose_(key, found->second);
    if (actions.empty()) {
      wanted_.erase(found);
      return;
    }
    under_way_.insert(key);
    actuator_.perform({std::move(actions)},
                      [this, key, wanted = found->second](const watching::ReconciliationResult& outcome) {
                        under_way_.erase(key);
                        on_written(key, wanted, outcome.failures.empty());
                      });
  }

  void on_written(const watching::ObjectKey& key, const Wanted& written, bool is_done) {
    const auto found = wanted_.find(key);
    if (found == wanted_.end()) return;
    if (is_done && found->second == written) {
      wanted_.erase(found);
    } else if (is_done) {
      write(key);
    } else {
      retries_[key] = loop_.after(Duration::seconds(1), [this, key] {
        const auto done = retries_.extract(key);
        write(key);
      });
    }
  }

  EventLoop& loop_;
  watching::Actuator& actuator_;
  Compose compose_;
  bool is_started_ = false;
  std::map<watching::ObjectKey, Wanted> wanted_;  // that the API server does not say yet
  std::set<watching::ObjectKey> under_way_;       // objects of which a write has no answer yet
  std::map<watching::ObjectKey, std::unique_ptr<EventLoop::Timer>> retries_;
};

}  // namespace loadline::scheduler
