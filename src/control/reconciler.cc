#include "control/reconciler.h"

#include <algorithm>
#include <utility>

#include "document/at.h"

namespace loadline::control {

using controllers::ObjectKey;

namespace {

constexpr std::size_t kKeysPerTask = 32;
constexpr Duration kFirstDelay{5'000'000};
constexpr int kMostDoublings = 18;  // 5 ms · 2^18 is more than the longest delay
constexpr Duration kLongestDelay = Duration::seconds(1000);

Duration back_off(int failures) {
  const int doublings = std::min(failures - 1, kMostDoublings);
  return std::min(Duration{kFirstDelay.nanoseconds << doublings}, kLongestDelay);
}

}  // namespace

struct Reconciler::Key {
  ObjectKey key;
  bool is_queued = false;
  bool is_busy = false;       // its actions are being carried out, or the caches have not seen them yet
  bool is_mentioned = false;  // while busy
  std::size_t awaited = 0;    // revisions that the caches have to reach
  int failed_times = 0;
  std::vector<controllers::Failure> failures;
  std::unique_ptr<EventLoop::Timer> timer;
  Instant due;  // of the timer
};

class Reconciler::Subscriber final : public controllers::Subscriptions {
 public:
  explicit Subscriber(Reconciler& reconciler) : reconciler_(reconciler) {}
  [[nodiscard]] controllers::Caches& caches() override { return reconciler_.informers_.caches(); }

 protected:
  std::function<void(const ObjectKey&)> adder() override {
    return [&reconciler = reconciler_](const ObjectKey& key) { reconciler.add(key); };
  }
  void needs(const controllers::KindName& kind) override { reconciler_.informers_.need(kind); }

 private:
  Reconciler& reconciler_;
};

Reconciler::Reconciler(EventLoop& loop, Informers& informers, std::unique_ptr<controllers::Controller> controller,
                       kube::Client& client, Actuator::Say say)
    : loop_(loop),
      informers_(informers),
      controller_(std::move(controller)),
      say_(std::move(say)),
      actuator_(client, say_) {
  Subscriber subscriber(*this);
  controller_->subscribe(subscriber);
}

Reconciler::~Reconciler() = default;

void Reconciler::start() {
  is_started_ = true;
  post();
}

void Reconciler::add(const ObjectKey& name) {
  Ptr& key = keys_[name];
  if (key == nullptr) {
    key = std::make_shared<Key>();
    key->key = name;
  }
  if (key->is_busy) {
    key->is_mentioned = true;
  } else if (!key->is_queued) {
    key->is_queued = true;
    turns_.push_back(key);
    post();
  }
}

void Reconciler::post() {
  if (!is_started_ || is_posted_ || turns_.empty()) return;
  is_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) work();
  });
}

void Reconciler::work() {
  is_posted_ = false;
  for (std::size_t done = 0; done < kKeysPerTask && !turns_.empty(); ++done) {
    const Ptr key = std::move(turns_.front());
    turns_.pop_front();
    key->is_queued = false;
    reconcile(key);
  }
  post();
}

void Reconciler::reconcile(const Ptr& key) {
  key->is_busy = true;
  key->is_mentioned = false;
  ++busy_;
  key->timer.reset();
  controllers::Reconciliation wanted =
      controller_->reconcile(key->key, {informers_.caches(), loop_.now(), key->failures});
  for (controllers::Event& event : wanted.events) say_(std::move(event));
  if (wanted.again_after) ask_after(key, *wanted.again_after);
  actuator_.perform(std::move(wanted.steps), [this, key](Outcome outcome) { on_outcome(key, std::move(outcome)); });
}

void Reconciler::on_outcome(const Ptr& key, Outcome outcome) {
  for (const Written& written : outcome.written) await(key, written);
  key->failures = std::move(outcome.failures);
  if (key->failures.empty()) {
    key->failed_times = 0;
  } else {
    ask_after(key, back_off(++key->failed_times));
  }
  if (key->awaited == 0) end(key);
}

/// The answer's revision is that of the write: once the cache is there, it holds what was written, or what came later.
void Reconciler::await(const Ptr& key, const Written& written) {
  if (!informers_.feeds(written.of)) return;
  const std::uint64_t revision = revision_of(written.object);
  if (revision <= informers_.revision(written.of)) return;
  awaiting_[Informers::name_of(written.of)].emplace(revision, key);
  ++key->awaited;
}

void Reconciler::on_news(const controllers::KindName& kind) {
  const auto found = awaiting_.find(Informers::name_of(kind.reference()));
  if (found == awaiting_.end()) return;
  const std::uint64_t revision = informers_.revision(kind.reference());
  while (!found->second.empty() && found->second.begin()->first <= revision) {
    const Ptr key = found->second.begin()->second;
    found->second.erase(found->second.begin());
    if (--key->awaited == 0) end(key);
  }
  if (found->second.empty()) awaiting_.erase(found);
}

void Reconciler::end(const Ptr& key) {
  key->is_busy = false;
  --busy_;
  // What failed is tried after its delay, whatever is heard meanwhile: much of that is about the failure itself. The
  // delay may be over by now.
  const bool is_due = key->timer != nullptr && key->due == Instant{};
  if (is_due || (key->is_mentioned && key->failures.empty())) return add(key->key);
  forget_if_done(key);
}

void Reconciler::ask_after(const Ptr& key, Duration delay) {
  const Instant due = loop_.now() + delay;
  // One that fired while the key was busy is over: it asks nobody any more.
  const bool has_fired = key->due == Instant{};
  if (key->timer != nullptr && !has_fired && key->due <= due) return;
  key->due = due;
  // Requests under way hold their key, and with it this timer, longer than there may be a reconciler.
  key->timer = loop_.after(delay, [this, alive = std::weak_ptr<int>(alive_), name = key->key] {
    if (alive.expired()) return;
    const auto found = keys_.find(name);
    if (found == keys_.end()) return;
    // The timer is what is running: it stays until the key is looked at.
    found->second->due = Instant{};
    add(name);
  });
}

void Reconciler::forget_if_done(const Ptr& key) {
  if (key->is_queued || key->is_busy || key->timer != nullptr || key->failed_times > 0) return;
  keys_.erase(key->key);
}

}  // namespace loadline::control
