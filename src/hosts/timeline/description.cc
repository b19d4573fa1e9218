#include "hosts/timeline/description.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace loadline::timeline {
namespace {

/// The pods of one workload, and its object.
struct Members {
  const SeenObject* object = nullptr;  // null: a pod, or an object that was not seen
  std::vector<const SeenPod*> pods;    // in order of creation
};

/// How many pods there are, and how many of them have nodes; those that leave do not count.
struct Census {
  std::int64_t there = 0;
  std::int64_t on_nodes = 0;
};

/// After each instant at which it changed.
std::map<Duration, Census> census_of(const std::vector<const SeenPod*>& pods) {
  std::map<Duration, Census> changes;
  for (const SeenPod* pod : pods) {
    ++changes[pod->life.created].there;
    if (pod->life.scheduled) ++changes[*pod->life.scheduled].on_nodes;
    if (!pod->left) continue;
    --changes[*pod->left].there;
    if (pod->life.scheduled) --changes[*pod->left].on_nodes;
  }
  Census now;
  for (auto& [at, census] : changes) {
    now.there += census.there;
    now.on_nodes += census.on_nodes;
    census = now;
  }
  return changes;
}

class WorkloadDescription {
 public:
  WorkloadDescription(WorkloadName name, const Members& members) : members_(members), census_(census_of(members.pods)) {
    life_.name = std::move(name);
  }

  WorkloadLife describe() {
    const std::vector<const SeenPod*>& pods = members_.pods;
    life_.arrived = members_.object != nullptr ? members_.object->seen : pods.front()->life.created;
    life_.pods = pods.size();
    for (const SeenPod* pod : pods) {
      life_.failed_pods += pod->life.ending == Ending::kFailed ? 1 : 0;
      if (!pod->life.scheduled) continue;
      life_.started = life_.started ? std::min(*life_.started, *pod->life.scheduled) : *pod->life.scheduled;
    }
    note_all_started();
    end();
    if (life_.message.empty()) life_.message = message_of_pods();
    return std::move(life_);
  }

 private:
  /// As many as it says, or as it ever had at a time.
  [[nodiscard]] std::int64_t wanted() const {
    std::int64_t most = 0;
    for (const auto& [at, census] : census_) most = std::max(most, census.there);
    return members_.object == nullptr ? most : members_.object->wanted_pods.value_or(most);
  }

  void note_all_started() {
    const std::int64_t all = std::max<std::int64_t>(wanted(), 1);
    const auto found = std::ranges::find_if(census_, [&](const auto& each) { return each.second.on_nodes >= all; });
    if (found != census_.end()) life_.all_started = found->first;
  }

  void end() {
    if (life_.name.kind == "Pod") {
      const PodLife& last = members_.pods.back()->life;
      life_.ending = last.ended || last.scheduled ? last.ending : Ending::kPending;
      if (!last.ended && last.scheduled) life_.ending = Ending::kRunning;
      life_.ended = last.ended;
    } else if (members_.object != nullptr && members_.object->ended) {
      life_.ending = members_.object->ended->ending;
      life_.ended = members_.object->ended->at;
      if (life_.ending == Ending::kFailed) life_.message = members_.object->ended->message;
    } else if (members_.object != nullptr && members_.object->gone) {
      life_.ending = Ending::kDeleted;
      life_.ended = members_.object->gone;
    } else {
      end_by_pods();
    }
  }

  /// Of what says nothing itself: an owner that was not seen, a CronJob between two runs, a Deployment.
  void end_by_pods() {
    const Census now = census_.empty() ? Census{} : census_.rbegin()->second;
    const bool wants_some = members_.object == nullptr || members_.object->wanted_pods.value_or(1) > 0;
    // Pods of a Job that have completed are not missing.
    const bool has_replicas = members_.object != nullptr && life_.name.kind != "Job" && members_.object->wanted_pods;
    const std::int64_t all = has_replicas ? wanted() : now.there;
    if (now.there == 0 && !members_.pods.empty()) return end_with_last_pod();
    if (now.on_nodes == 0 && wants_some) {
      life_.ending = Ending::kPending;
    } else {
      life_.ending = now.on_nodes < std::max(all, now.there) ? Ending::kStarting : Ending::kRunning;
    }
  }

  /// It has had pods, and has none. One that wants some waits for them to be made again.
  void end_with_last_pod() {
    const bool waits = members_.object != nullptr && members_.object->wanted_pods.value_or(0) > 0;
    if (waits) return;
    const SeenPod& last = **std::ranges::max_element(
        members_.pods, {}, [](const SeenPod* pod) { return pod->life.ended.value_or(*pod->left); });
    life_.ending = last.life.ended ? last.life.ending : Ending::kDeleted;
    life_.ended = last.life.ended.value_or(*last.left);
  }

  /// Of the first pod that waits; of what failed, of the last pod that did.
  [[nodiscard]] std::string message_of_pods() const {
    const Ending ending = life_.ending;
    if (ending == Ending::kPending || ending == Ending::kStarting) {
      for (const SeenPod* pod : members_.pods) {
        if (!pod->left && !pod->life.scheduled) return pod->life.message;
      }
      if (members_.object != nullptr) return members_.object->waits_because;
    }
    if (ending != Ending::kFailed && ending != Ending::kDeleted) return {};
    std::string message;
    for (const SeenPod* pod : members_.pods) {
      if (pod->life.ending == ending) message = pod->life.message;
    }
    return message;
  }

  const Members& members_;
  std::map<Duration, Census> census_;
  WorkloadLife life_;
};

using Workloads = std::map<WorkloadName, Members>;

WorkloadName name_of(const SeenPod& pod, const Observer& observer) {
  if (!pod.controller) return {"Pod", pod.life.name_space, pod.life.name};
  return observer.top_of(*pod.controller, pod.life.name_space);
}

bool is_earlier(const SeenPod* a, const SeenPod* b) {
  return std::tie(a->life.created, a->life.name_space, a->life.name) <
         std::tie(b->life.created, b->life.name_space, b->life.name);
}

Workloads workloads_of(const std::vector<const SeenPod*>& pods, const Observer& observer) {
  Workloads workloads;
  for (const auto& [uid, object] : observer.objects()) {
    if (!object.is_workload) continue;
    // Of objects that had a name one after the other, what became of the last one counts.
    Members& members = workloads[object.name];
    if (members.object == nullptr || members.object->seen < object.seen) members.object = &object;
  }
  for (const SeenPod* pod : pods) workloads[name_of(*pod, observer)].pods.push_back(pod);
  std::erase_if(workloads, [](const auto& each) {
    return each.second.pods.empty() && each.second.object->wanted_pods.value_or(1) == 0;
  });
  return workloads;
}

std::vector<std::string> nodes_of(const Observer& observer, std::vector<std::string> names) {
  std::set<std::string, std::less<>> there(names.begin(), names.end());
  for (const std::string& name : observer.nodes()) {
    if (there.insert(name).second) names.push_back(name);
  }
  return names;
}

}  // namespace

Timeline describe(const Observer& observer, const std::vector<std::string>& first) {
  std::vector<const SeenPod*> pods;
  for (const auto& [uid, pod] : observer.pods()) pods.push_back(&pod);
  std::ranges::stable_sort(pods, is_earlier);
  Timeline timeline;
  for (const auto& [name, members] : workloads_of(pods, observer)) {
    timeline.workloads.push_back(WorkloadDescription(name, members).describe());
  }
  std::ranges::stable_sort(timeline.workloads, {}, [](const WorkloadLife& life) {
    return std::tuple(life.arrived, life.name.name_space, life.name.name, life.name.kind);
  });
  std::map<WorkloadName, std::size_t> places;
  for (std::size_t i = 0; i < timeline.workloads.size(); ++i) places.emplace(timeline.workloads[i].name, i);
  for (const SeenPod* pod : pods) {
    timeline.pods.push_back(pod->life);
    timeline.pods.back().workload = places.at(name_of(*pod, observer));
  }
  timeline.nodes = nodes_of(observer, first);
  timeline.resources = observer.resources().uses();
  timeline.pending_pods = observer.pending_pods().steps();
  timeline.queues = observer.queues().lives();
  return timeline;
}

}  // namespace loadline::timeline
