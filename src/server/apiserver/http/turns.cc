#include "server/apiserver/http/turns.h"

#include <utility>

namespace loadline::apiserver {

void Turns::add(const std::string& user, EventLoop::Task task) {
  waiting_[user].push_back(std::move(task));
  post();
}

void Turns::post() {
  if (waiting_.empty() || std::exchange(is_posted_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) run_one();
  });
}

void Turns::run_one() {
  is_posted_ = false;
  auto next = waiting_.upper_bound(last_);
  if (next == waiting_.end()) next = waiting_.begin();
  last_ = next->first;
  const EventLoop::Task task = std::move(next->second.front());
  next->second.pop_front();
  if (next->second.empty()) waiting_.erase(next);
  // Before the task: what it posts, such as its answer, comes after others' turns all the same.
  post();
  task();
}

}  // namespace loadline::apiserver
