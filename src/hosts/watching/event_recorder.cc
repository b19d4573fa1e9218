#include "hosts/watching/event_recorder.h"

#include <utility>

namespace loadline::watching {

namespace {

constexpr std::size_t kLongestQueue = 100'000;
constexpr std::size_t kAtOnce = 16;
/// A loop that takes longer for a turn has other work to do.
constexpr Duration kBusy{1'000'000};
constexpr Duration kPause{10'000'000};
constexpr Duration kLongestPause{100'000'000};
constexpr Duration kSeriesTick = Duration::seconds(6 * 60);

}  // namespace

EventRecorder::EventRecorder(EventLoop& loop, kube::Client& client)
    : loop_(loop),
      client_(client),
      take_turn_([&loop](EventLoop::Task task) { loop.post(std::move(task)); }),
      series_("default-scheduler", "default-scheduler-loadline") {
  await_tick();
}

void EventRecorder::record(const std::string& source, const Event& event) {
  enqueue([this, source, event, now = loop_.now()] { return correlator_.correlate(event, source, now); });
}

void EventRecorder::record(const SchedulingEvent& event) {
  enqueue([this, event, now = loop_.now()] { return series_.correlate(event, now); });
}

/// Series tell how they went on now and then, and that they have ended.
void EventRecorder::await_tick() {
  tick_ = loop_.after(kSeriesTick, [this] {
    for (EventWrite& write : series_.tick(loop_.now())) {
      enqueue([write = std::move(write)] { return write; });
    }
    await_tick();
  });
}

void EventRecorder::enqueue(Said said) {
  if (queue_.size() >= kLongestQueue) return;
  queue_.push_back(std::move(said));
  post();
}

void EventRecorder::post() {
  if (is_posted_ || queue_.empty() || open_ > 0) return;
  is_posted_ = true;
  take_turn();
}

void EventRecorder::take_turn() {
  posted_ = loop_.now();
  take_turn_([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) consider();
  });
}

/// Waits while the loops are busy, but never for long.
void EventRecorder::consider() {
  const Instant now = loop_.now();
  if (now - posted_ <= kBusy || now - worked_ >= kLongestPause) return work();
  pause_ = loop_.after(kPause, [this] { take_turn(); });
}

void EventRecorder::work() {
  is_posted_ = false;
  worked_ = loop_.now();
  for (std::size_t sent = 0; sent < kAtOnce && !queue_.empty(); ++sent) {
    EventWrite next = queue_.front()();
    queue_.pop_front();
    if (next.verb == EventWrite::Verb::kDrop) continue;
    ++open_;
    send(std::move(next));
  }
  post();  // if none of them was to be sent
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
    enqueue([anew = std::move(anew)] { return anew; });
  }
  post();
}

}  // namespace loadline::watching
