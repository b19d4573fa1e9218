#include "hosts/control/node_drain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/shapes/unreadable_values.h"
#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/eviction_text.h"
#include "brain/gang/maintenance.h"
#include "brain/workloads/drain_filter.h"
#include "brain/workloads/expected_runs.h"
#include "foundation/base/text.h"
#include "hosts/watching/followed_runs.h"
#include "objects/kube/maintenance_annotations.h"
#include "objects/kube/policy/eviction_rules.h"

namespace loadline::control {
namespace {

using cluster::spellings::GroupKey;
using controllers::Context;
using document::Object;
using document::Value;
using gang::LeaveReason;
using watching::Action;
using watching::Caches;
using watching::Change;
using watching::Event;
using watching::Keys;
using watching::kind_name;
using watching::ObjectKey;
using watching::ObjectPtr;
using watching::Observed;
using watching::Reconciliation;
using workloads::DrainVerdict;

using Pods = std::vector<ObjectPtr<kube::Pod>>;

constexpr Duration kHeldAgain = Duration::seconds(10);  // as the eviction API asks clients to wait

/// Cordoned, and to be free by some time.
bool is_to_be_drained(const kube::Node& node) {
  return node.unschedulable && node.metadata.annotations.contains(kube::kDrainByAnnotation);
}

/// A gang that has to leave as a whole.
struct Gang {
  std::string name;  ///< "pod group ml/train (8 pods)"
  Pods members;      ///< those on nodes that are not leaving already
};

/// So many of the group's members it cannot do without, as its object or its pods say; 0: each is by itself. Where
/// subgroups have minimums of their own, all of them: which members they can spare is not looked at.
std::int64_t minimum_of(const GroupKey& key, const Pods& members, const Caches& caches) {
  const auto& [name_space, group] = key;
  std::int64_t minimum = 0;
  SymbolTable symbols;
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    if (cluster::spellings::kSpellingOf<Kind> != group.spelling) return;
    const ObjectPtr<Kind> object = caches.of<Kind>().find(name_space, group.name);
    if (object == nullptr) return;
    const cluster::GroupDescription said = cluster::spellings::describe(object->view, symbols);
    minimum = said.rules.has_minimums_of_subgroups() ? std::ssize(members) : said.min_count;
  });
  for (std::size_t i = 0; i < members.size() && minimum == 0; ++i) {
    const auto said = cluster::spellings::described_by(group, members[i]->metadata());
    if (said) minimum = said->min_count;
  }
  return minimum;
}

bool is_on_node(const kube::Pod& pod) {
  return !pod.spec->node_name.empty() && !pod.finished() && !pod.metadata.deletion_timestamp;
}

/// `said`: by the owners of pods that do not say themselves how long they run.
gang::DrainedGang as_one(const Pods& members, const workloads::ExpectedRuns& said) {
  std::vector<gang::MemberRun> runs;
  for (const ObjectPtr<kube::Pod>& member : members) {
    gang::MemberRun& run = runs.emplace_back(gang::run_of(member->view));
    if (!run.expected) run.expected = said.of(member->metadata());
  }
  return gang::as_one(runs);
}

/// Disruptions by budget that were asked for already.
using Disruptions = std::map<ObjectKey, std::int64_t>;

/// Pods that are to leave together, as the eviction API's rules see them.
struct AskedUnit {
  std::vector<kube::CoveredPod> pods;
  std::vector<ObjectPtr<kube::PodDisruptionBudget>> budgets;  ///< that cover any of them
};

AskedUnit asked_unit(const Pods& pods, const Caches& caches) {
  AskedUnit unit;
  std::map<ObjectKey, std::size_t> numbers;
  for (const ObjectPtr<kube::Pod>& pod : pods) {
    kube::CoveredPod& covered = unit.pods.emplace_back(kube::pod_to_evict(pod->view));
    for (const auto& [name, budget] : caches.of<kube::PodDisruptionBudget>().in(pod->metadata().namespace_)) {
      const std::optional<kube::LabelSelector>& selector = budget->view.selector;
      if (!selector || !kube::matches(*selector, pod->metadata().labels)) continue;
      const auto [number, is_new] = numbers.try_emplace(budget->key(), unit.budgets.size());
      if (is_new) unit.budgets.push_back(budget);
      covered.budgets.push_back(number->second);
    }
  }
  return unit;
}

std::string told(const kube::EvictionRefusal& refusal, const Pods& pods, const AskedUnit& unit) {
  kube::RefusalNames names;
  if (refusal.reason != kube::EvictionRefusal::Reason::kSeveralBudgets) {
    names.budgets = {unit.budgets[refusal.budget]->key().to_string()};
    return kube::refusal_text(refusal, names);
  }
  if (pods.size() > 1) names.pod = "pod " + pods[refusal.pod]->key().to_string();
  for (const std::size_t budget : unit.pods[refusal.pod].budgets) {
    names.budgets.push_back(unit.budgets[budget]->key().to_string());
  }
  return kube::refusal_text(refusal, names);
}

/// Why budgets do not let all of these pods go, beside those that were `asked` for; nothing if they do, and then they
/// count as asked for, too.
std::optional<std::string> held_by_budget(const Pods& pods, const Caches& caches, Disruptions& asked) {
  const AskedUnit unit = asked_unit(pods, caches);
  const auto state_of = [&](std::size_t number) {
    const Observed<kube::PodDisruptionBudget>& budget = *unit.budgets[number];
    kube::BudgetState state = kube::budget_state(budget.view);
    if (const auto before = asked.find(budget.key()); before != asked.end()) state.allowed -= before->second;
    return state;
  };
  const auto answer = kube::answer_eviction(unit.pods, state_of);
  if (!answer) return told(answer.error(), pods, unit);
  for (const auto& [number, disruptions] : *answer) asked[unit.budgets[number]->key()] += disruptions;
  return std::nullopt;
}

std::string why_text(LeaveReason why) {
  switch (why) {
    case LeaveReason::kNotStarted:
      return "it does not run yet";
    case LeaveReason::kEndsByItself:
      return "it is expected to end by itself";
    case LeaveReason::kAfterCheckpoint:
      return "after its next checkpoint";
    case LeaveReason::kNoCheckpointInTime:
      return "its next checkpoint is due too late";
    case LeaveReason::kAtTheLatest:
      break;
  }
  return "as late as its grace period allows";
}

/// An eviction as clients of the API make it, of that very pod.
Action eviction_of(const Observed<kube::Pod>& pod, const decision::EvictionFacts& facts) {
  const kube::ObjectMeta& metadata = pod.metadata();
  Action action;
  action.verb = Action::Verb::kCreate;
  action.of = kind_name<kube::Pod>().reference(pod.key(), "eviction");
  action.document = Value(Object{
      {"apiVersion", Value("policy/v1"), {}},
      {"kind", Value("Eviction"), {}},
      {"metadata",
       Value(Object{{"name", Value(metadata.name), {}}, {"namespace", Value(metadata.namespace_), {}}}),
       {}},
      {"deleteOptions", Value(Object{{"preconditions", Value(Object{{"uid", Value(metadata.uid), {}}}), {}}}), {}}});
  action.said_when_done = Event{reference_to(pod), Event::Type::kNormal,
                                std::string(decision::words_of(facts.cause).event), decision::event_text(facts)};
  return action;
}

/// Notes on the node when its drain was announced; null: takes the note away.
Action announcement(const Observed<kube::Node>& node, Value at) {
  const Value annotations(Object{{std::string(kube::kDrainAnnouncedAnnotation), std::move(at), {}}});
  return watching::patch(
      kind_name<kube::Node>(), node.key(), kube::PatchType::kMerge,
      Value(Object{
          {"metadata", Value(Object{{"uid", Value(node.metadata().uid), {}}, {"annotations", annotations, {}}}), {}}}));
}

class NodeDrain final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "node-drain-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::Node>([this](const Change<kube::Node>& change, Keys& keys) { on_node(change, keys); });
    to.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys& keys) { on_pod(change, keys); });
    to.on<kube::PodDisruptionBudget>(
        [this](const auto& /*change*/, Keys& keys) { keys.insert(nodes_.begin(), nodes_.end()); });
    watching::follow_expected_runs(
        to, runs_, [this](const auto& /*workload*/, Keys& keys) { keys.insert(nodes_.begin(), nodes_.end()); });
    cluster::spellings::for_each_group_kind([&]<class Kind>() { to.reads<Kind>(); });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override;

 private:
  /// A node and what is to be done about it.
  struct Turn {
    const Observed<kube::Node>& node;
    const Context& context;
    gang::DrainWindow window;
    Reconciliation result = {};
    std::vector<Action> evictions = {};  ///< sent together: what is refused of one pod keeps no other
    Disruptions asked = {};              ///< by them
    std::size_t staying = 0;             ///< pods that would have to leave, and do not yet
  };

  void on_node(const Change<kube::Node>& change, Keys& keys);
  void on_pod(const Change<kube::Pod>& change, Keys& keys) const;
  std::optional<gang::DrainWindow> window_of(const Observed<kube::Node>& node, const Context& context,
                                             Reconciliation& result);
  void drain(Turn& turn);
  static std::map<GroupKey, Pods> groups_on(const Observed<kube::Node>& node, const Caches& caches);
  static std::optional<Gang> gang_of(const GroupKey& key, const Pods& members, const Caches& caches);
  void drain_gang(Turn& turn, const Gang& gang);
  static decision::EvictionFacts facts_of(const Turn& turn);
  void evict(Turn& turn, const Pods& pods, const std::string& who, const decision::EvictionFacts& facts);
  void say(const Observed<kube::Node>& node, const std::string& about, Event::Type type, const char* reason,
           std::string message, Reconciliation& result);
  void note_unreadable(Turn& turn, const Pods& pods);

  std::set<ObjectKey> nodes_;  // that are to be drained
  workloads::ExpectedRuns runs_;
  /// What was said last about a node and a gang on it, or an annotation: events tell of changes.
  std::map<ObjectKey, std::map<std::string, std::string>> said_;
};

void NodeDrain::on_node(const Change<kube::Node>& change, Keys& keys) {
  const ObjectKey key = change.last().key();
  const bool is_there = change.after != nullptr;
  const bool is_wanted = is_there && change.last().metadata().annotations.contains(kube::kDrainByAnnotation);
  const bool is_noted = is_there && change.last().metadata().annotations.contains(kube::kDrainAnnouncedAnnotation);
  const bool was_wanted = is_wanted ? !nodes_.insert(key).second : nodes_.erase(key) > 0;
  if (!is_wanted && !was_wanted && !is_noted) return;
  const bool is_same = change.before != nullptr && is_there &&
                       change.before->metadata().annotations == change.after->metadata().annotations &&
                       change.before->view.unschedulable == change.after->view.unschedulable;
  if (!is_same) keys.insert(key);
}

/// A pod that comes, goes, or says something new of itself. One of a group may be of a gang on any of the nodes;
/// another matters to its own node alone.
void NodeDrain::on_pod(const Change<kube::Pod>& change, Keys& keys) const {
  if (nodes_.empty()) return;
  const bool is_same = change.before != nullptr && change.after != nullptr &&
                       change.before->metadata().annotations == change.after->metadata().annotations &&
                       is_on_node(change.before->view) == is_on_node(change.after->view);
  if (is_same) return;
  const kube::Pod& pod = change.last().view;
  if (cluster::spellings::group_of(pod)) {
    keys.insert(nodes_.begin(), nodes_.end());
  } else if (const auto own = nodes_.find({"", pod.spec->node_name}); own != nodes_.end()) {
    keys.insert(*own);
  }
}

Reconciliation NodeDrain::reconcile(const ObjectKey& key, const Context& context) {
  Reconciliation result;
  const ObjectPtr<kube::Node> node = context.caches.of<kube::Node>().find(key);
  if (node == nullptr) {
    said_.erase(key);
    return result;
  }
  if (!is_to_be_drained(node->view)) {
    // Another drain begins with an announcement of its own.
    if (node->metadata().annotations.contains(kube::kDrainAnnouncedAnnotation)) {
      result.then(announcement(*node, Value()));
    }
    if (!node->metadata().annotations.contains(kube::kDrainByAnnotation)) {
      said_.erase(key);
    } else {
      say(*node, "cordon", Event::Type::kWarning, "DrainNotBegun",
          fmt::format("{} has no effect: the node is not cordoned", kube::kDrainByAnnotation), result);
    }
    return result;
  }
  const std::optional<gang::DrainWindow> window = window_of(*node, context, result);
  if (!window) return result;
  Turn turn{*node, context, *window, std::move(result)};
  drain(turn);
  return std::move(turn.result);
}

/// Nothing: an annotation cannot be read, or is still to be written.
std::optional<gang::DrainWindow> NodeDrain::window_of(const Observed<kube::Node>& node, const Context& context,
                                                      Reconciliation& result) {
  const auto deadline = kube::drain_by(node.view);
  if (!deadline) {
    say(node, "deadline", Event::Type::kWarning, "InvalidDrainBy", deadline.error().message, result);
    return std::nullopt;
  }
  const auto announced = kube::drain_announced(node.view);
  if (announced && *announced) return gang::DrainWindow{**announced, **deadline};
  if (!announced) {
    say(node, "announced", Event::Type::kWarning, "InvalidDrainAnnounced", announced.error().message, result);
  }
  result.then(announcement(node, Value(format_rfc3339(context.now))));
  return std::nullopt;
}

void NodeDrain::drain(Turn& turn) {
  const Caches& caches = turn.context.caches;
  std::map<GroupKey, std::optional<Gang>> gangs;
  for (const auto& [key, members] : groups_on(turn.node, caches)) gangs[key] = gang_of(key, members, caches);
  for (const auto& [key, pod] : caches.pods_on(turn.node.metadata().name)) {
    const DrainVerdict verdict = workloads::drain_verdict(pod->view);
    if (verdict == DrainVerdict::kUnmanaged) {
      say(turn.node, key.to_string(), Event::Type::kWarning, "DrainBlocked",
          fmt::format("pod {} stays: no controller would bring it back", key.to_string()), turn.result);
      ++turn.staying;
    }
    if (verdict != DrainVerdict::kEvicted) continue;
    const std::optional<cluster::GroupName> group = cluster::spellings::group_of(pod->view);
    if (group && gangs[{key.name_space, *group}]) continue;
    evict(turn, {pod}, "pod " + key.to_string(), facts_of(turn));
  }
  for (const auto& [key, gang] : gangs) {
    if (gang) drain_gang(turn, *gang);
  }
  if (turn.staying == 0 && turn.evictions.empty()) {
    say(turn.node, "end", Event::Type::kNormal, "Drained", "Nothing is left to evict", turn.result);
  }
  turn.result.then(std::move(turn.evictions));
}

/// The groups that have pods on the node which a drain would evict, and all their members that are on nodes.
std::map<GroupKey, Pods> NodeDrain::groups_on(const Observed<kube::Node>& node, const Caches& caches) {
  std::map<GroupKey, Pods> groups;
  std::set<std::string> namespaces;
  for (const auto& [key, pod] : caches.pods_on(node.metadata().name)) {
    if (workloads::drain_verdict(pod->view) != DrainVerdict::kEvicted) continue;
    if (std::optional<cluster::GroupName> group = cluster::spellings::group_of(pod->view)) {
      groups[{key.name_space, *std::move(group)}];
      namespaces.insert(key.name_space);
    }
  }
  for (const std::string& name_space : namespaces) {
    for (const auto& [name, pod] : caches.of<kube::Pod>().in(name_space)) {
      const std::optional<cluster::GroupName> group = cluster::spellings::group_of(pod->view);
      if (!group || !is_on_node(pod->view)) continue;
      if (const auto found = groups.find({name_space, *group}); found != groups.end()) found->second.push_back(pod);
    }
  }
  return groups;
}

/// Nothing: the group goes on without its members on nodes that are to be drained, so that these leave by themselves.
std::optional<Gang> NodeDrain::gang_of(const GroupKey& key, const Pods& members, const Caches& caches) {
  const std::int64_t staying = std::ranges::count_if(members, [&](const ObjectPtr<kube::Pod>& member) {
    const ObjectPtr<kube::Node> node = caches.of<kube::Node>().find("", member->view.spec->node_name);
    return node == nullptr || !is_to_be_drained(node->view);
  });
  if (staying >= minimum_of(key, members, caches)) return std::nullopt;
  return Gang{fmt::format("pod group {}/{} ({})", key.first, key.second.name, counted(members.size(), "pod")), members};
}

void NodeDrain::drain_gang(Turn& turn, const Gang& gang) {
  note_unreadable(turn, gang.members);
  const gang::DrainedGang all = as_one(gang.members, runs_);
  const Instant now = turn.context.now;
  const gang::LeaveTime leaves = gang::leave_time(all, turn.window, now);
  const std::string at = format_rfc3339(leaves.at);
  const std::string why = why_text(leaves.why);
  if (leaves.why == LeaveReason::kEndsByItself) {
    say(turn.node, gang.name, Event::Type::kNormal, "DrainScheduled",
        fmt::format("{} is left alone: {} at {}", gang.name, why, at), turn.result);
  } else if (leaves.at > now) {
    say(turn.node, gang.name, Event::Type::kNormal, "DrainScheduled",
        fmt::format("{} leaves as a whole at {}, {}", gang.name, at, why), turn.result);
  } else {
    decision::EvictionFacts facts = facts_of(turn);
    facts.unit = gang.name;
    facts.saved_until = all.last_checkpoint;
    return evict(turn, gang.members, gang.name, facts);
  }
  turn.staying += gang.members.size();
  const Instant latest = gang::latest_leave(all, turn.window);
  for (const Instant next : {leaves.at, latest}) {
    if (next > now) turn.result.wake_after(next - now);
  }
}

/// Of any pod of the node.
decision::EvictionFacts NodeDrain::facts_of(const Turn& turn) {
  decision::EvictionFacts facts;
  facts.cause = decision::EvictionCause::kDrainBy;
  facts.node = turn.node.metadata().name;
  facts.deadline = turn.window.deadline;
  return facts;
}

/// All of the pods, or none as long as a budget forbids it.
void NodeDrain::evict(Turn& turn, const Pods& pods, const std::string& who, const decision::EvictionFacts& facts) {
  Pods managed = pods;
  std::erase_if(managed, [](const auto& pod) { return workloads::drain_verdict(pod->view) != DrainVerdict::kEvicted; });
  if (const std::optional<std::string> held = held_by_budget(managed, turn.context.caches, turn.asked)) {
    say(turn.node, who, Event::Type::kWarning, "DrainHeld", fmt::format("{} stays: {}", who, *held), turn.result);
    turn.staying += managed.size();
    turn.result.wake_after(kHeldAgain);
    return;
  }
  for (const ObjectPtr<kube::Pod>& pod : managed) turn.evictions.push_back(eviction_of(*pod, facts));
}

void NodeDrain::note_unreadable(Turn& turn, const Pods& pods) {
  for (const ObjectPtr<kube::Pod>& pod : pods) {
    for (const cluster::UnreadableValue& value : cluster::unreadable_run_values(pod->view.metadata)) {
      const std::string about = fmt::format("pod {}: {}", pod->key().to_string(), value.field);
      say(turn.node, about, Event::Type::kWarning, "InvalidAnnotation", fmt::format("{}: {}", about, value.message),
          turn.result);
    }
  }
}

/// Says what is new about it.
void NodeDrain::say(const Observed<kube::Node>& node, const std::string& about, Event::Type type, const char* reason,
                    std::string message, Reconciliation& result) {
  std::string& last = said_[node.key()][about];
  if (last == message) return;
  last = message;
  result.events.push_back({reference_to(node), type, reason, std::move(message)});
}

}  // namespace

std::unique_ptr<controllers::Controller> make_node_drain() { return std::make_unique<NodeDrain>(); }

}  // namespace loadline::control
