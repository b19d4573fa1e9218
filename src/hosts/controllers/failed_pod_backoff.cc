#include "hosts/controllers/failed_pod_backoff.h"

#include <algorithm>

namespace loadline::controllers {
namespace {

constexpr Duration kFirst = Duration::seconds(1);
constexpr Duration kLongest = Duration::seconds(15 * 60);
constexpr Duration kForgotten = Duration::seconds(2 * 15 * 60);

}  // namespace

std::optional<Duration> FailedPodBackoff::wait(const kube::DaemonSet& set, std::string_view node, Instant now) const {
  const auto found = entries_.find({set.metadata.uid, set.status.observed_generation, std::string(node)});
  if (found == entries_.end()) return std::nullopt;
  const Duration left = found->second.since + found->second.delay - now;
  return left > Duration{} ? std::optional(left) : std::nullopt;
}

void FailedPodBackoff::note(const kube::DaemonSet& set, std::string_view node, Instant now) {
  forget_what_is_over(now);
  const auto [entry, is_new] = entries_.try_emplace(
      Key{set.metadata.uid, set.status.observed_generation, std::string(node)}, Entry{kFirst, now});
  if (is_new) return;
  const bool is_long_ago = now - entry->second.since > kForgotten;
  const Duration twice{entry->second.delay.nanoseconds * 2};
  entry->second = {is_long_ago ? kFirst : std::min(twice, kLongest), now};
}

void FailedPodBackoff::forget_what_is_over(Instant now) {
  if (entries_.size() < next_sweep_) return;
  std::erase_if(entries_, [now](const auto& entry) { return now - entry.second.since > kForgotten; });
  next_sweep_ = std::max<std::size_t>(1024, entries_.size() * 2);
}

}  // namespace loadline::controllers
