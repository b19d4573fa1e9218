#include "hosts/controllers/job_backoff.h"

#include <algorithm>

#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

constexpr Duration kFirstBackoff = Duration::seconds(10);
constexpr Duration kMaxBackoff = Duration::seconds(600);

bool is_sidecar(const kube::Pod& pod, const std::string& name) {
  const auto& containers = pod.spec->init_containers;
  return std::any_of(containers.begin(), containers.end(), [&](const kube::Container& container) {
    return container.name == name && container.restartable_init();
  });
}

/// Nothing if one of the containers has not ended.
std::optional<Instant> last_container_end(const kube::Pod& pod) {
  std::optional<Instant> last;
  const auto note = [&](const kube::ContainerStatus& status) {
    const auto& ended = status.state.terminated;
    if (!ended || !ended->finished_at) return false;
    last = std::max(last.value_or(*ended->finished_at), *ended->finished_at);
    return true;
  };
  for (const kube::ContainerStatus& status : pod.status.container_statuses) {
    if (!note(status)) return std::nullopt;
  }
  for (const kube::ContainerStatus& status : pod.status.init_container_statuses) {
    if (is_sidecar(pod, status.name) && !note(status)) return std::nullopt;
  }
  return last;
}

std::optional<Instant> last_end(const JobPods& pods) {
  std::optional<Instant> last;
  for (const auto* pod : pods) last = std::max(last.value_or(finished_at(pod->view)), finished_at(pod->view));
  return last;
}

}  // namespace

Instant finished_at(const kube::Pod& pod) {
  if (const auto end = last_container_end(pod)) return *end;
  const kube::Condition* ready = kube::find_condition(pod.status.conditions, "Ready");
  if (ready != nullptr && ready->status == "False" && ready->last_transition_time) return *ready->last_transition_time;
  if (pod.metadata.deletion_timestamp) {
    const std::int64_t grace = pod.metadata.deletion_grace_period_seconds.value_or(0);
    return *pod.metadata.deletion_timestamp + Duration::seconds(-grace);
  }
  return pod.metadata.creation_timestamp.value_or(Instant{});
}

Duration remaining_backoff(std::int64_t failures, std::optional<Instant> last_failure, Instant now) {
  if (failures <= 0 || !last_failure) return {};
  Duration backoff = kFirstBackoff;
  for (std::int64_t i = 1; i < failures && backoff < kMaxBackoff; ++i) {
    backoff = std::min(Duration{backoff.nanoseconds * 2}, kMaxBackoff);
  }
  const Duration passed = now - *last_failure;
  return backoff < passed ? Duration{} : Duration{backoff.nanoseconds - passed.nanoseconds};
}

void JobBackoff::notice(const JobPods& succeeded, const JobPods& failed) {
  JobPods new_failures;
  std::set<std::string> now_ended;
  bool new_success = false;
  for (const auto* pod : succeeded) {
    now_ended.insert(pod->metadata().uid);
    new_success = new_success || !noticed.contains(pod->metadata().uid);
  }
  for (const auto* pod : failed) {
    now_ended.insert(pod->metadata().uid);
    if (!noticed.contains(pod->metadata().uid)) new_failures.push_back(pod);
  }
  noticed = std::move(now_ended);
  if (new_success) {
    failures = 0;
    last_failure.reset();
    const auto success = last_end(succeeded);
    std::erase_if(new_failures, [&](const auto* pod) { return finished_at(pod->view) <= *success; });
  }
  failures += static_cast<std::int64_t>(new_failures.size());
  if (const auto last = last_end(new_failures)) last_failure = last;
}

}  // namespace loadline::controllers
