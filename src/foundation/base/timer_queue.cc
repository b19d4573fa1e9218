#include "foundation/base/timer_queue.h"

namespace loadline {

class TimerQueue::Handle final : public EventLoop::Timer {
 public:
  Handle(std::weak_ptr<Waiting> waiting, Key key) : waiting_(std::move(waiting)), key_(key) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() override {
    const std::shared_ptr<Waiting> waiting = waiting_.lock();
    if (waiting == nullptr) return;
    // The task may own what owns this handle: it is destroyed only once the map is whole again.
    const auto node = waiting->extract(key_);
  }

 private:
  std::weak_ptr<Waiting> waiting_;
  Key key_;
};

std::unique_ptr<EventLoop::Timer> TimerQueue::add(std::int64_t due, EventLoop::Task task) {
  const Key key{due, added_++};
  waiting_->emplace(key, std::move(task));
  return std::make_unique<Handle>(waiting_, key);
}

std::optional<std::int64_t> TimerQueue::next_due() const {
  if (waiting_->empty()) return std::nullopt;
  return waiting_->begin()->first.first;
}

std::optional<EventLoop::Task> TimerQueue::take(std::int64_t now) {
  if (waiting_->empty() || waiting_->begin()->first.first > now) return std::nullopt;
  return std::move(waiting_->extract(waiting_->begin()).mapped());
}

}  // namespace loadline
