#include "hosts/control/reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "foundation/observe/stopwatch.h"
#include "hosts/watching/subscriber.h"

namespace loadline::control {

using watching::ObjectKey;

namespace {

constexpr std::size_t kKeysPerTask = 32;
constexpr Duration kFirstDelay{5'000'000};
constexpr int kMostDoublings = 18;  // 5 ms · 2^18 is more than the longest delay
constexpr Duration kLongestDelay = Duration::seconds(1000);
constexpr std::size_t kMostActs = 500;
constexpr std::size_t kForgivenPerTick = 10;
constexpr Duration kTick{100'000'000};
constexpr Duration kFirstParked = Duration::seconds(1);
constexpr Duration kShortestParked = Duration::seconds(5);  // while the object changes; the first time it is shorter
constexpr std::string_view kParked = "ReconcileError";
constexpr int kWorrying = 5;  // failures: before, most are conflicts that the next try settles

Duration back_off(int failures, Duration first = kFirstDelay) {
  const int doublings = std::min(failures - 1, kMostDoublings);
  return std::min(Duration{first.nanoseconds << doublings}, kLongestDelay);
}

}  // namespace

struct Reconciler::Key {
  ObjectKey key;
  bool is_queued = false;
  bool is_busy = false;       // its actions are being carried out, or the caches have not seen them yet, or it rests
  bool is_mentioned = false;  // while busy
  bool has_rested = false;    ///< before a look that waits for others
  std::size_t awaited = 0;    // revisions that the caches have to reach
  int failed_times = 0;
  std::vector<watching::FailedAction> failures;
  std::unique_ptr<EventLoop::Timer> timer;  // null: it waits for no time
  Instant due;                              // of the timer
  bool is_due = false;                      // the time came while it was busy
  std::unique_ptr<EventLoop::Timer> rest;   // null: it does not rest
  std::size_t acts = 0;                     // counted up for each act, and down with time
  observe::Stopwatch stage;                 // since it was queued, or its turn came
};

Reconciler::Reconciler(EventLoop& loop, watching::Informers& informers,
                       std::unique_ptr<controllers::Controller> controller, kube::Client& client,
                       watching::Actuator::Say say)
    : loop_(loop),
      informers_(informers),
      controller_(std::move(controller)),
      say_(std::move(say)),
      actuator_(client, say_) {
  const auto on_need = [this](watching::AnyCache& cache) {
    if (objects_ == nullptr) objects_ = &cache;
  };
  watching::Subscriber subscriber(informers_, [this](const ObjectKey& key) { add(key); }, on_need);
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
  } else if (key->is_queued) {
    return;
  } else if (controller_->pauses_first() && !key->has_rested) {
    key->is_busy = true;
    key->is_mentioned = true;
    rest(key, controller_->pause());
  } else {
    key->has_rested = false;
    enqueue(key);
    post();
  }
}

void Reconciler::enqueue(const Ptr& key) {
  key->is_queued = true;
  turns_.push_back(key);
  key->stage = {};
  if (metrics_ != nullptr) metrics_->added(turns_.size());
}

void Reconciler::set_instruments(observe::WorkQueueMetrics::Queue* metrics, observe::Log* log) {
  metrics_ = metrics;
  log_ = log;
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
    if (key->acts >= kMostActs) {
      held_.push_back(key);
      continue;
    }
    key->is_queued = false;
    if (metrics_ != nullptr) metrics_->taken(turns_.size(), key->stage.seconds());
    key->stage = {};
    reconcile(key);
  }
  post();
}

void Reconciler::reconcile(const Ptr& key) {
  key->is_busy = true;
  key->is_mentioned = false;
  ++busy_;
  key->is_due = false;
  key->timer.reset();
  watching::Reconciliation wanted;
  try {
    wanted = controller_->reconcile(key->key, {informers_.caches(), loop_.now(), key->failures});
  } catch (const std::exception& error) {
    return park(key, error.what());
  }
  for (watching::Event& event : wanted.events) say_(std::move(event));
  if (wanted.again_after) ask_after(key, *wanted.again_after);
  if (!wanted.steps.empty()) count_act(key);
  actuator_.perform(std::move(wanted.steps),
                    [this, key, said = std::move(wanted.events_when_done)](watching::ReconciliationResult outcome) {
                      if (outcome.failures.empty()) {
                        for (const watching::Event& event : said) say_(event);
                      }
                      on_outcome(key, std::move(outcome));
                    });
}

/// Nothing was asked for, so there is nothing to wait for but time.
void Reconciler::park(const Ptr& key, std::string_view why) {
  --busy_;
  const Duration delay = back_off(++key->failed_times, kFirstParked);
  if (metrics_ != nullptr) {
    metrics_->done(key->stage.seconds());
    metrics_->retried();
  }
  if (log_ != nullptr) {
    log_->write(observe::LogLevel::kError, controller_->name(), "An object is parked",
                {{"object", key->key.name_space + "/" + key->key.name},
                 {"times", std::to_string(key->failed_times)},
                 {"seconds", std::to_string(delay.nanoseconds / kFirstParked.nanoseconds)},
                 {"err", std::string(why)}});
  }
  const document::Value* const object = objects_ == nullptr ? nullptr : objects_->document(key->key);
  if (object != nullptr) {
    say_({watching::reference_to(objects_->kind(), *object), watching::Event::Type::kWarning, std::string(kParked),
          fmt::format("{} failed: {}; it is left alone for a while", controller_->name(), why)});
  }
  ask_after(key, delay);
  rest(key, std::min(delay, kShortestParked));
}

void Reconciler::on_outcome(const Ptr& key, watching::ReconciliationResult outcome) {
  for (const watching::Written& written : outcome.written) await(key, written);
  key->failures = std::move(outcome.failures);
  if (key->failures.empty()) {
    key->failed_times = 0;
  } else {
    ask_after(key, back_off(++key->failed_times));
    if (metrics_ != nullptr) metrics_->retried();
    tell_failure(*key);
  }
  if (key->awaited == 0) end(key);
}

void Reconciler::tell_failure(const Key& key) const {
  const observe::LogLevel level =
      key.failed_times < kWorrying ? observe::LogLevel::kDebug : observe::LogLevel::kWarning;
  if (log_ == nullptr || !log_->takes(level)) return;
  log_->write(level, controller_->name(), "Reconciling failed",
              {{"object", key.key.name_space + "/" + key.key.name},
               {"times", std::to_string(key.failed_times)},
               {"err", key.failures.front().status.message}});
}

/// The answer's revision is that of the write: once the cache is there, it holds what was written, or what came later.
void Reconciler::await(const Ptr& key, const watching::Written& written) {
  if (!informers_.feeds(written.of)) return;
  const std::uint64_t revision = watching::revision_of(written.object);
  if (revision <= informers_.revision(written.of)) return;
  awaiting_[watching::Informers::name_of(written.of)].emplace(revision, key);
  ++key->awaited;
}

void Reconciler::on_advance(const watching::CacheAdvance& news) {
  const auto found = awaiting_.find(news.resource);
  if (found == awaiting_.end()) return;
  while (!found->second.empty() && found->second.begin()->first <= news.revision) {
    const Ptr key = found->second.begin()->second;
    found->second.erase(found->second.begin());
    if (--key->awaited == 0) end(key);
  }
  if (found->second.empty()) awaiting_.erase(found);
}

void Reconciler::end(const Ptr& key) {
  --busy_;
  if (metrics_ != nullptr) metrics_->done(key->stage.seconds());
  if (controller_->pause() > Duration{}) {
    rest(key, controller_->pause());
  } else {
    take_up(key);
  }
}

void Reconciler::rest(const Ptr& key, Duration span) {
  key->rest = loop_.after(span, [this, alive = std::weak_ptr<int>(alive_), name = key->key] {
    if (alive.expired()) return;
    const auto found = keys_.find(name);
    if (found == keys_.end()) return;
    const Ptr rested = found->second;
    const std::unique_ptr<EventLoop::Timer> over = std::move(rested->rest);
    rested->has_rested = true;
    take_up(rested);
  });
}

/// The key may have its next turn.
void Reconciler::take_up(const Ptr& key) {
  key->is_busy = false;
  // What caches have learnt is looked at at once, also where something failed: they need not be about that, and the
  // delay may be long.
  if (key->is_due || key->is_mentioned) return add(key->key);
  forget_if_done(key);
}

void Reconciler::ask_after(const Ptr& key, Duration delay) {
  const Instant due = loop_.now() + delay;
  key->is_due = false;
  if (key->timer != nullptr && key->due <= due) return;
  key->due = due;
  // Requests under way hold their key, and with it this timer, longer than there may be a reconciler.
  key->timer = loop_.after(delay, [this, alive = std::weak_ptr<int>(alive_), name = key->key] {
    if (!alive.expired()) on_time(name);
  });
}

void Reconciler::on_time(const ObjectKey& name) {
  const auto found = keys_.find(name);
  if (found == keys_.end()) return;
  Key& key = *found->second;
  const std::unique_ptr<EventLoop::Timer> over = std::move(key.timer);
  key.is_due = key.is_busy;
  if (!key.is_busy) add(name);
}

void Reconciler::count_act(const Ptr& key) {
  if (++key->acts == 1) acted_.push_back(key);
  await_tick();
}

void Reconciler::await_tick() {
  if (tick_ != nullptr || acted_.empty()) return;
  tick_ = loop_.after(kTick, [this] { on_tick(); });
}

/// Reduces every key's count of acts, and lets the keys go on that were held back.
void Reconciler::on_tick() {
  const std::unique_ptr<EventLoop::Timer> over = std::move(tick_);
  for (const Ptr& key : acted_) key->acts -= std::min(key->acts, kForgivenPerTick);
  const auto [first, last] = std::ranges::stable_partition(acted_, [](const Ptr& key) { return key->acts > 0; });
  const std::vector<Ptr> forgiven(first, last);
  acted_.erase(first, last);
  for (const Ptr& key : forgiven) forget_if_done(key);
  for (Ptr& key : std::exchange(held_, {})) turns_.push_back(std::move(key));
  await_tick();
  post();
}

void Reconciler::forget_if_done(const Ptr& key) {
  if (key->is_queued || key->is_busy || key->timer != nullptr || key->failed_times > 0 || key->acts > 0) return;
  keys_.erase(key->key);
}

}  // namespace loadline::control
