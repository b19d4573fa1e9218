#include "brain/gang/expected_ends.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace loadline::gang {

using cluster::GroupId;
using cluster::PodId;

namespace {

/// Starts of pods; those of a group count as that of its last pod.
class Starts {
 public:
  Starts(const cluster::Cluster& cluster, Instant now) : cluster_(cluster), now_(now) {}

  Instant of(const cluster::PodRecord& record) {
    const Instant own = record.started.value_or(now_);
    if (!record.group.valid()) return own;
    const auto [found, is_new] = last_of_group_.try_emplace(record.group, own);
    if (is_new) found->second = last_start(record.group, own);
    return found->second;
  }

 private:
  [[nodiscard]] Instant last_start(GroupId group, Instant last) const {
    for (const PodId member : cluster_.group(group).members) {
      const cluster::PodRecord& record = cluster_.pod(member);
      if (record.node.valid()) last = std::max(last, record.started.value_or(now_));
    }
    return last;
  }

  const cluster::Cluster& cluster_;
  Instant now_;
  std::map<GroupId, Instant> last_of_group_;
};

}  // namespace

Instant ExpectedEnds::corrected(Instant end, Instant now) {
  if (end > now) return end;
  Duration more = kSoon;
  while (end + more <= now) more = more + more;
  return end + more;
}

bool ExpectedEnds::is_refuted(Instant end, Duration run, Instant now) { return end + std::max(run, kPatience) < now; }

namespace {

/// The end of a pod that started then; nothing: it is not known any more.
std::optional<End> end_of(PodId pod, Instant started, Duration run, Instant now) {
  const Instant end = started + run;
  if (ExpectedEnds::is_refuted(end, run, now)) return std::nullopt;
  return End{ExpectedEnds::corrected(end, now), pod, end <= now};
}

bool ends_before(const cluster::Cluster& cluster, const End& a, const End& b) {
  return std::tuple(a.at, cluster.pod(a.pod).uid) < std::tuple(b.at, cluster.pod(b.pod).uid);
}

}  // namespace

void ExpectedEnds::add(const cluster::Cluster& cluster, PodId pod, Instant now) {
  const cluster::PodRecord& record = cluster.pod(pod);
  const std::optional<Duration>& run = cluster.run_facts(pod).expected;
  if (!run || record.reservation.valid()) return;
  const std::optional<End> end = end_of(pod, Starts(cluster, now).of(record), *run, now);
  if (!end) return;
  const auto place =
      std::ranges::upper_bound(ends_, *end, [&](const End& a, const End& b) { return ends_before(cluster, a, b); });
  ends_.insert(place, *end);
  by_pod_[pod] = end->at;
}

void ExpectedEnds::forget(PodId pod) {
  if (by_pod_.erase(pod) > 0) std::erase_if(ends_, [pod](const End& end) { return end.pod == pod; });
}

ExpectedEnds::ExpectedEnds(const cluster::Cluster& cluster, Instant now) {
  Starts starts(cluster, now);
  for (const cluster::NodeId node : cluster.nodes()) {
    for (const PodId pod : cluster.pods_on(node)) {
      const cluster::PodRecord& record = cluster.pod(pod);
      if (record.reservation.valid()) continue;
      if (record.terminating) {
        ends_.push_back({now + kSoon, pod, true});
      } else if (const std::optional<Duration>& run = cluster.run_facts(pod).expected) {
        if (const std::optional<End> end = end_of(pod, starts.of(record), *run, now)) ends_.push_back(*end);
      }
    }
  }
  std::ranges::sort(ends_, [&](const End& a, const End& b) { return ends_before(cluster, a, b); });
  by_pod_.reserve(ends_.size());
  for (const End& end : ends_) by_pod_.emplace(end.pod, end.at);
}

}  // namespace loadline::gang
