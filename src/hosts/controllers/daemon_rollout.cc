#include "hosts/controllers/daemon_rollout.h"

#include <algorithm>

#include "hosts/controllers/rollout.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::controllers {
namespace {

std::int32_t count_of(const kube::DaemonSet& set, const std::optional<kube::IntOrString>& value, std::int32_t nodes) {
  if (set.update_strategy == "OnDelete" || !value) return 0;
  return scaled_value(*value, nodes, Rounding::kUp);
}

/// The pod of the current template on a node, and the other one.
struct Pair {
  const DaemonPod* current = nullptr;
  const DaemonPod* old = nullptr;
  bool is_crowded = false;  ///< there are more: they are sorted out elsewhere
};

Pair pair_of(const std::vector<const DaemonPod*>& pods, const DaemonTemplate& current) {
  Pair pair;
  for (const DaemonPod* pod : pods) {
    if (pod->is_being_deleted()) continue;
    const DaemonPod*& place = current.is_of(pod->view) ? pair.current : pair.old;
    if (place != nullptr) pair.is_crowded = true;
    place = pod;
  }
  return pair;
}

template <class T>
void append_first(std::vector<T>& to, const std::vector<T>& from, std::int64_t count) {
  const auto some = std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(from.size()));
  to.insert(to.end(), from.begin(), from.begin() + some);
}

class Step {
 public:
  explicit Step(const DaemonRollout& rollout) : rollout_(rollout) {}

  DaemonStep replace(const DaemonPodsByNode& nodes, std::int32_t max_unavailable) {
    std::int32_t unavailable = 0;
    std::vector<const DaemonPod*> candidates;
    for (const auto& [node, pods] : nodes) {
      const Pair pair = pair_of(pods, rollout_.current);
      const bool is_alone = (pair.current == nullptr) != (pair.old == nullptr);
      if (pair.is_crowded || !is_alone) {
        ++unavailable;
      } else if (pair.old == nullptr) {
        if (!is_available_now(*pair.current)) ++unavailable;
      } else if (!is_available_now(*pair.old)) {
        step_.deleted.push_back(pair.old);
        ++unavailable;
      } else {
        candidates.push_back(pair.old);
      }
    }
    append_first(step_.deleted, candidates, max_unavailable - unavailable);
    return std::move(step_);
  }

  DaemonStep surge(const DaemonPodsByNode& nodes, std::int32_t max_surge) {
    for (const auto& [node, pods] : nodes) look_at(node, pair_of(pods, rollout_.current));
    append_first(step_.deleted, misplaced_, available_ - rollout_.desired);
    append_first(step_.nodes, candidates_, max_surge - surging_);
    return std::move(step_);
  }

 private:
  void look_at(const std::string& node, const Pair& pair) {
    if (pair.is_crowded) {
      ++surging_;
      return;
    }
    const DaemonPod* const counted = pair.old != nullptr ? pair.old : pair.current;
    if (counted != nullptr && is_available_now(*counted)) ++available_;
    if (pair.old == nullptr) return;
    if (pair.current != nullptr) {
      if (is_available_now(*pair.current)) {
        step_.deleted.push_back(pair.old);
      } else {
        ++surging_;
      }
    } else if (!rollout_.should_run_on(node)) {
      (is_available_now(*pair.old) ? misplaced_ : step_.deleted).push_back(pair.old);
    } else {
      (is_available_now(*pair.old) ? candidates_ : step_.nodes).push_back(node);
    }
  }

  [[nodiscard]] bool is_available_now(const DaemonPod& pod) const {
    return is_available(pod.view, rollout_.daemon_set.min_ready_seconds, rollout_.now);
  }

  const DaemonRollout& rollout_;
  DaemonStep step_;
  std::int32_t surging_ = 0;
  std::int32_t available_ = 0;
  std::vector<const DaemonPod*> misplaced_;
  std::vector<std::string> candidates_;
};

}  // namespace

bool allows_surge(const kube::DaemonSet& daemon_set) { return count_of(daemon_set, daemon_set.max_surge, 1) > 0; }

DaemonStep roll(const DaemonRollout& rollout, const DaemonPodsByNode& nodes) {
  const kube::DaemonSet& set = rollout.daemon_set;
  const std::int32_t max_surge = count_of(set, set.max_surge, rollout.desired);
  if (max_surge > 0) return Step(rollout).surge(nodes, max_surge);
  // Neither surge nor unavailability would move nothing.
  return Step(rollout).replace(nodes, std::max(1, count_of(set, set.max_unavailable, rollout.desired)));
}

}  // namespace loadline::controllers
