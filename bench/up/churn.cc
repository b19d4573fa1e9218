#include "bench/up/churn.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bench/subjects/pods.h"

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kTail{30'000};
constexpr std::chrono::milliseconds kChurnPause{100};
constexpr std::string_view kName = "churn-";

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

Result<ChurnOutcome> Churn::run(Session& session, const std::string& name_space, const ChurnPlan& plan) {
  Churn churn(session, name_space, plan);
  if (const Result<void> opened = churn.open(); !opened) return tl::unexpected(opened.error());
  churn.start_ = Clock::now();
  const auto length = std::chrono::milliseconds(static_cast<std::int64_t>(plan.seconds * 1000));
  const auto tick = [&churn] {
    churn.tick();
    return churn.is_over();
  };
  run_until(session, length + kTail, tick);
  if (const Error* error = churn.error()) return tl::unexpected(*error);
  if (churn.refused_ > 0) return failure(fmt::format("{} pods were refused", churn.refused_));
  if (churn.watch_->renewals() > 0) fmt::print(stderr, "{} watches were ended\n", churn.watch_->renewals());
  ChurnOutcome outcome = churn.outcome();
  const Clock::time_point end = Clock::now();
  do {
    const Result<std::size_t> there = churn.count_pods();
    if (!there) return tl::unexpected(there.error());
    outcome.undeleted = *there;
    session.run(kChurnPause);
  } while (outcome.undeleted > 0 && Clock::now() - end < kTail);
  return outcome;
}

/// How many there are still, in the namespace.
Result<std::size_t> Churn::count_pods() {
  const auto list = session_.expect(200, session_.request("GET", pods_path(name_space_) + "?limit=1"));
  if (!list) return tl::unexpected(list.error());
  constexpr std::string_view kMore = "\"remainingItemCount\":";
  const std::size_t more = list->body.find(kMore);
  if (more != std::string::npos) return 1 + std::stoul(list->body.substr(more + kMore.size(), 12));
  return list->body.find("\"items\":[]") == std::string::npos ? 1 : 0;
}

Result<void> Churn::open() {
  auto watch = PodWatch::open(session_, name_space_, [this](const PodWatch::Event& event) { on_pod(event); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = std::move(*watch);
  return {};
}

/// Sends what is due: new pods, and the end of those that lived long enough.
void Churn::tick() {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::min(seconds_between(start_, now), plan_.seconds);
  const auto due = static_cast<std::size_t>(elapsed * plan_.per_second);
  while (lives_.size() < due) create_next();
  while (deleted_ < bound_.size()) {
    const std::size_t number = bound_[deleted_];
    if (seconds_between(*lives_[number].bound, now) < plan_.lifetime_seconds) break;
    ++deleted_;
    remove(number);
  }
}

void Churn::create_next() {
  const std::size_t number = lives_.size();
  lives_.emplace_back();
  creates_.send(create_pod(session_, name_space_, fmt::format("{}{}", kName, number)), [this, number](int status) {
    const Clock::time_point now = Clock::now();
    if (status != 201) {
      ++refused_;
      return;
    }
    lives_[number].created = now;
    if (seconds_between(start_, now) <= plan_.seconds) ++in_time_;
  });
}

void Churn::remove(std::size_t number) {
  deletes_.send(session_.request("DELETE", fmt::format("{}/{}{}", pods_path(name_space_), kName, number)), [](int) {});
}

void Churn::on_pod(const PodWatch::Event& event) {
  if (!event.name.starts_with(kName)) return;
  std::size_t number = 0;
  const std::string_view digits = event.name.substr(kName.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number >= lives_.size()) return;
  Life& life = lives_[number];
  if (!life.bound) {
    life.bound = Clock::now();
    bound_.push_back(number);
  }
}

const Error* Churn::error() const {
  for (const Requests* requests : {&creates_, &deletes_}) {
    if (requests->error()) return &*requests->error();
  }
  return nullptr;
}

bool Churn::is_over() const {
  if (error() != nullptr || refused_ > 0) return true;
  return seconds_between(start_, Clock::now()) >= plan_.seconds && creates_.is_idle() && deletes_.is_idle() &&
         deleted_ == lives_.size();
}

ChurnOutcome Churn::outcome() const {
  ChurnOutcome outcome;
  outcome.created_per_second = static_cast<double>(in_time_) / plan_.seconds;
  for (const Life& life : lives_) {
    if (!life.created) continue;
    ++outcome.created;
    if (life.bound) {
      // Its event may come before the answer.
      outcome.scheduling_ms.push_back(std::max(0.0, seconds_between(*life.created, *life.bound) * 1000));
    }
    outcome.unbound += life.bound ? 0 : 1;
  }
  return outcome;
}

}  // namespace loadline::bench
