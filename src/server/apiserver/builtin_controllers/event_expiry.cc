#include "server/apiserver/builtin_controllers/event_expiry.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "foundation/observe/log.h"

namespace loadline::apiserver {
namespace {

constexpr const char* kEvents = "events";
constexpr Duration kMinute = Duration::seconds(60);
constexpr std::size_t kMinutes = 60;
constexpr std::size_t kPerTask = 100;

}  // namespace

EventExpiry::EventExpiry(const ServerContext& context, std::size_t most, std::shared_ptr<observe::Log> log)
    : context_(context),
      most_(most),
      log_(std::move(log)),
      writer_(context, "system:apiserver", "kube-apiserver"),
      queue_(context, kPerTask, [this](const Entry& entry) { expire(entry); }),
      follower_(context.store, kEvents, [this](const store::ObjectPtr& /*event*/, bool gone) {
        if (!gone) on_write();
      }) {}

void EventExpiry::on_write() {
  arm();
  // Those that wait for their turn to go do not count.
  if (context_.store.count(kEvents) > most_ + queue_.size()) make_room();
}

void EventExpiry::arm() {
  if (timer_ == nullptr) timer_ = context_.loop.after(kMinute, [this] { on_minute(); });
}

void EventExpiry::on_minute() {
  const std::unique_ptr<EventLoop::Timer> over = std::move(timer_);
  // What is not durable may be undone, and its revision be another write's later.
  minutes_.push_back(context_.store.durable_revision());
  // The minute under way, and sixty before it.
  if (minutes_.size() > kMinutes) {
    take_away_up_to(minutes_.front());
    minutes_.pop_front();
  }
  context_.store.count(kEvents) > 0 ? arm() : minutes_.clear();
}

void EventExpiry::make_room() {
  const auto listing = context_.store.list(kEvents, {});
  if (!listing) return;
  std::vector<store::Revision> revisions;
  revisions.reserve(listing->remaining());
  store::Listing events = *listing;
  while (const store::ObjectPtr* event = events.next()) revisions.push_back((*event)->revision());
  const std::size_t surplus = std::min(revisions.size(), revisions.size() - most_ + most_ / 10);
  if (surplus == 0) return;
  const auto last = revisions.begin() + static_cast<std::ptrdiff_t>(surplus - 1);
  std::nth_element(revisions.begin(), last, revisions.end());
  if (log_ != nullptr) {
    log_->write(observe::LogLevel::kWarning, "apiserver", "Too many events: the oldest go before their hour",
                {{"events", std::to_string(revisions.size())},
                 {"most", std::to_string(most_)},
                 {"going", std::to_string(surplus)}});
  }
  take_away_up_to(*last);
}

void EventExpiry::take_away_up_to(store::Revision last) {
  const auto listing = context_.store.list(kEvents, {});
  if (!listing) return;
  store::Listing events = *listing;
  while (const store::ObjectPtr* event = events.next()) {
    const store::Object& one = **event;
    if (one.revision() > last) continue;
    queue_.add({std::string(one.name_space()), std::string(one.name()), one.revision()});
  }
}

void EventExpiry::expire(const Entry& entry) {
  const store::Key key{kEvents, entry.name_space, entry.name};
  const store::ObjectPtr event = context_.store.get(key);
  if (event == nullptr || event->revision() != entry.revision) return;
  const Answer<Written> removed = writer_.remove(key, {});
  if (!removed && removed.error().code >= 500) queue_.add_later(entry);
}

}  // namespace loadline::apiserver
