#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/writer.h"
#include "objects/kube/condition.h"
#include "simulation/settled.h"

namespace loadline::simulation {

void Settled::check_groups() {
  for (const auto& [key, group] : observer_.groups()) check_group(group);
}

/// A gang has no pod on a node, or as many as start together; fewer only if it had as many once, and lost some: the
/// others go on. Its object says so once that is so, and says of a group whose turns fail that it waits.
void Settled::check_group(const Observer::Group& group) {
  const std::string key = key_of(group.document);
  const auto says = [&](const char* what) {
    observer_.report(fmt::format("{} {}: {}", key, what, document::write_json(group.document)));
  };
  const auto on_nodes = std::ranges::count_if(observer_.pods(), [&](const auto& entry) {
    const Observer::Pod& pod = entry.second;
    return group_of(pod) == key && !pod.view.spec->node_name.empty() && !pod.view.finished();
  });
  const bool has_started = observer_.has_started(group);
  const bool says_scheduled = Observer::says_scheduled(group);
  if (on_nodes > 0 && group.view.policy.min_count) {
    const bool is_whole = on_nodes >= *group.view.policy.min_count;
    observer_.note(is_whole ? "gangs on nodes" : "gangs that lost members");
    if (!is_whole && !has_started && !says_scheduled)
      observer_.report(fmt::format("{} is started in part: {}", key, on_nodes));
  }
  if (observer_.is_whole(group) && !says_scheduled) says("does not say that it was scheduled");
  if (says_scheduled) return;

  const cluster::Cluster& model = cluster_.model()->cluster();
  const cluster::GroupId id = model.find_group(group.metadata().namespace_, group.metadata().name);
  if (!id.valid()) return says("is unknown to the scheduler");
  const bool has_turns = model.group(id).staying() >= model.group(id).min_count &&
                         std::ranges::any_of(observer_.pods(), [&](const auto& entry) {
                           const scheduler::TrackedPod* pod = cluster_.model()->find(entry.second.key());
                           return group_of(entry.second) == key && pod != nullptr && pod->is_waiting;
                         });
  const kube::MetaCondition* waits = kube::find_condition(group.view.conditions, "PodGroupScheduled");
  if (has_turns && (waits == nullptr || waits->status != "False" || waits->message.empty())) {
    says("does not say why it waits");
  }
}

}  // namespace loadline::simulation
