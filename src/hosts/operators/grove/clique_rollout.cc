#include "hosts/operators/grove/clique_rollout.h"

#include <algorithm>
#include <tuple>

#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/grove/clique_pod.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "objects/kube/condition.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

bool is_of(const CliquePod& pod, std::string_view hash) {
  return label_of(pod.metadata(), kube::kGroveTemplateHash) == hash;
}
bool is_ready(const CliquePod& pod) { return kube::has_true_condition(pod.view.status.conditions, "Ready"); }

/// It runs, and there is something to lose.
bool serves(const CliquePod& pod) {
  if (pod.view.status.phase == kube::PodPhase::kPending || !is_ready(pod) || has_failed_before(pod.document)) {
    return false;
  }
  return std::ranges::none_of(pod.view.status.container_statuses, [](const kube::ContainerStatus& container) {
    return container.started.value_or(false) && !container.ready;
  });
}

int place_of(kube::PodPhase phase) {
  if (phase == kube::PodPhase::kRunning) return 2;
  return phase == kube::PodPhase::kUnknown ? 1 : 0;
}

}  // namespace

std::vector<const CliquePod*> first_to_go(std::vector<const CliquePod*> pods, std::size_t count,
                                          std::string_view hash) {
  const auto key = [&](const CliquePod* pod) {
    return std::tuple(!pod->view.spec->node_name.empty(), place_of(pod->view.status.phase), is_ready(*pod),
                      is_of(*pod, hash));
  };
  std::ranges::stable_sort(pods, [&](const CliquePod* a, const CliquePod* b) {
    if (key(a) != key(b)) return key(a) < key(b);
    return b->metadata().creation_timestamp < a->metadata().creation_timestamp;
  });
  pods.resize(std::min(count, pods.size()));
  return pods;
}

std::vector<const CliquePod*> replace_old_pods(const std::vector<const CliquePod*>& pods, std::string_view hash,
                                               bool has_enough_ready, Instant now, kube::CliqueUpdate& update) {
  std::vector<const CliquePod*> leaving;
  std::vector<const CliquePod*> old;
  std::size_t replaced = 0;
  for (const CliquePod* pod : pods) {
    if (is_of(*pod, hash)) {
      replaced += is_ready(*pod) ? 1 : 0;
    } else {
      (serves(*pod) ? old : leaving).push_back(pod);
    }
  }
  if (update.pods && !update.pods->current.empty()) {
    const bool is_there =
        std::ranges::any_of(pods, [&](const CliquePod* pod) { return pod->metadata().name == update.pods->current; });
    if (is_there || replaced < update.pods->completed.size() + 1) return leaving;
  }
  if (old.empty()) {
    update.ended_at = controllers::whole_seconds(now);
    update.pods.reset();
    return leaving;
  }
  if (!has_enough_ready) return leaving;
  const CliquePod* const next =
      *std::ranges::min_element(old, {}, [](const CliquePod* pod) { return pod->metadata().creation_timestamp; });
  if (update.pods) {
    update.pods->completed.push_back(update.pods->current);
  } else {
    update.pods.emplace();
  }
  update.pods->current = next->metadata().name;
  leaving.push_back(next);
  return leaving;
}

}  // namespace loadline::operators
