#include "apiserver/housekeeping/event_expiry.h"

#include <utility>

namespace loadline::apiserver {
namespace {

constexpr const char* kEvents = "events";
constexpr Duration kMinute = Duration::seconds(60);
constexpr std::size_t kMinutes = 60;
constexpr std::size_t kEventsPerTask = 100;

}  // namespace

EventExpiry::EventExpiry(const Parts& parts)
    : parts_(parts),
      writer_(parts, "system:apiserver", "kube-apiserver"),
      minutes_(1),
      queue_(parts, kEventsPerTask, [this](const Entry& entry) { expire(entry); }),
      follower_(parts.store, kEvents, [this](const store::ObjectPtr& event, bool gone) {
        if (!gone) note(event);
      }) {}

void EventExpiry::note(const store::ObjectPtr& event) {
  minutes_.back().push_back({std::string(event->name_space()), std::string(event->name()), event->revision()});
  ++entries_;
  arm();
}

void EventExpiry::arm() {
  if (timer_ != nullptr || entries_ == 0) return;
  timer_ = parts_.loop.after(kMinute, [this] { on_minute(); });
}

void EventExpiry::on_minute() {
  const std::unique_ptr<EventLoop::Timer> over = std::move(timer_);
  minutes_.emplace_back();
  // The minute under way, and sixty before it.
  if (minutes_.size() > kMinutes + 1) {
    for (const Entry& entry : minutes_.front()) queue_.add(entry);
    entries_ -= minutes_.front().size();
    minutes_.pop_front();
  }
  arm();
}

void EventExpiry::expire(const Entry& entry) {
  const store::Key key{kEvents, entry.name_space, entry.name};
  const store::ObjectPtr event = parts_.store.get(key);
  if (event == nullptr || event->revision() != entry.revision) return;
  const Answer<Written> removed = writer_.remove(key, {});
  if (!removed && removed.error().code >= 500) queue_.add_later(entry);
}

}  // namespace loadline::apiserver
