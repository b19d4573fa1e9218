#include "hosts/operators/lws/group_state.h"

#include <charconv>
#include <optional>

#include "hosts/operators/lws/group_revision.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

std::string_view label_in(const kube::ObjectMeta& metadata, std::string_view name) {
  const auto found = metadata.labels.find(name);
  return found == metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// The index in the label; nothing of a pod that is no leader.
std::optional<std::int64_t> group_led_by(const kube::Pod& pod) {
  if (label_in(pod.metadata, kube::kLwsWorkerIndex) != "0") return std::nullopt;
  const std::string_view text = label_in(pod.metadata, kube::kLwsGroupIndex);
  std::int64_t index = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
  return read.ec == std::errc() ? std::optional(index) : std::nullopt;
}

bool is_complete(const kube::StatefulSet& workers) {
  return workers.replicas == workers.status.available_replicas &&
         workers.status.current_revision == workers.status.update_revision;
}

}  // namespace

std::vector<CountedGroup> groups_of(const kube::LeaderWorkerSet& set,
                                    const watching::Observed<kube::StatefulSet>* leaders,
                                    const watching::Caches& caches, std::string_view revision) {
  std::vector<CountedGroup> groups;
  if (leaders == nullptr) return groups;
  for (const auto& [key, leader] : caches.of<kube::Pod>().controlled_by(leaders->metadata().uid)) {
    const std::optional<std::int64_t> index = group_led_by(leader->view);
    if (!index) continue;
    CountedGroup group{*index, leader->view.status.phase == kube::PodPhase::kRunning && kube::is_ready(leader->view),
                       revision_key(leader->metadata()) == revision};
    if (set.size != 1) {
      const auto workers = caches.of<kube::StatefulSet>().find(key);
      if (workers == nullptr) continue;
      group.is_ready = group.is_ready && is_complete(workers->view);
      group.is_updated = group.is_updated && revision_key(workers->metadata()) == revision;
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace loadline::operators
