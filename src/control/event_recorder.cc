#include "control/event_recorder.h"

#include <utility>

namespace loadline::control {

using controllers::EventWrite;

namespace {

constexpr std::size_t kLongestQueue = 100'000;
constexpr std::size_t kAtOnce = 16;
/// A loop that takes longer from a post to its task has other work to do.
constexpr Duration kBusy{1'000'000};
constexpr Duration kPause{10'000'000};
constexpr Duration kLongestPause{100'000'000};
constexpr Duration kTick = Duration::seconds(6 * 60);

}  // namespace

EventRecorder::EventRecorder(EventLoop& loop, kube::Client& client)
    : loop_(loop), client_(client), series_("default-scheduler", "default-scheduler-loadline") {
  await_tick();
}

void EventRecorder::record(const std::string& source, const controllers::Event& event) {
  enqueue(correlator_.correlate(event, source, loop_.now()));
}

void EventRecorder::record(const controllers::SchedulingEvent& event) {
  enqueue(series_.correlate(event, loop_.now()));
}

/// Series tell how they went on now and then, and that they have ended.
void EventRecorder::await_tick() {
  tick_ = loop_.after(kTick, [this] {
    for (EventWrite& write : series_.tick(loop_.now())) enqueue(std::move(write));
    await_tick();
  });
}

void EventRecorder::enqueue(EventWrite write) {
  if (write.verb == EventWrite::Verb::kDrop || queue_.size() >= kLongestQueue) return;
  queue_.push_back(std::move(write));
  post();
}

void EventRecorder::post() {
  if (is_posted_ || queue_.empty() || open_ > 0) return;
  is_posted_ = true;
  posted_ = loop_.now();
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) consider();
  });
}

/// Lets a busy loop be, but never for long.
void EventRecorder::consider() {
  const Instant now = loop_.now();
  if (now - posted_ <= kBusy || now - worked_ >= kLongestPause) return work();
  pause_ = loop_.after(kPause, [this] {
    posted_ = loop_.now();
    loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) consider();
    });
  });
}

void EventRecorder::work() {
  is_posted_ = false;
  worked_ = loop_.now();
  for (std::size_t sent = 0; sent < kAtOnce && !queue_.empty(); ++sent) {
    EventWrite next = std::move(queue_.front());
    queue_.pop_front();
    ++open_;
    send(std::move(next));
  }
}

void EventRecorder::send(EventWrite write) {
  const kube::ResourceReference of = write.of;
  const document::Value body = write.verb == EventWrite::Verb::kCreate ? write.document : write.patch;
  const bool is_patch = write.verb == EventWrite::Verb::kPatch;
  const auto answered = [this, alive = std::weak_ptr<int>(alive_),
                         write = std::move(write)](const kube::Answer<document::Value>& answer) {
    if (!alive.expired()) finish(write, answer);
  };
  if (is_patch) {
    client_.patch(of, {kube::PatchType::kMerge, body}, answered);
  } else {
    client_.create(of, body, answered);
  }
}

/// The event to be patched may have been deleted, or may never have come to be: then it is created.
void EventRecorder::finish(const EventWrite& write, const kube::Answer<document::Value>& answer) {
  --open_;
  if (!answer && write.verb == EventWrite::Verb::kPatch && answer.error().reason == "NotFound") {
    EventWrite anew = write;
    anew.verb = EventWrite::Verb::kCreate;
    anew.of.name.clear();
    enqueue(std::move(anew));
  }
  post();
}

}  // namespace loadline::control
