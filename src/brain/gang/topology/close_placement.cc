#include "brain/gang/topology/close_placement.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/place.h"
#include "brain/gang/search/group_demand.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/topology/domain_packing.h"
#include "brain/gang/topology/group_parts.h"
#include "brain/placement/reserved_nodes.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// Whether all members that wait are to find places, or those that the minimum asks for will do.
enum class Ambition : std::uint8_t { kAll, kEnough };

/// Where a member was put, the volumes that were chosen for it there, and the placeholder whose place it took.
struct Settled {
  Place place;
  PodId consumes;
  std::vector<cluster::ChosenVolume> volumes;
};

class ClosePlacement {
 public:
  ClosePlacement(cluster::Cluster& cluster, placement::Scheduler& scheduler, std::int64_t need, const Effort& effort)
      : cluster_(cluster),
        scheduler_(scheduler),
        need_(need),
        shares_(effort.shares),
        search_steps_(effort.placement == GroupPlacement::kSearch ? effort.budget : 0) {}

  /// True: enough members of the whole are in their places.
  bool run(const GroupPart& whole, Ambition ambition) {
    ambition_ = ambition;
    return place(whole, {}, [&] { return std::ssize(settled_) >= need_; });
  }

  [[nodiscard]] std::vector<Settled>& settled() { return settled_; }
  /// What stood in the way of the first domain that was tried, or why none was. REQUIRES: run() was false.
  [[nodiscard]] const TopologyRefusal& obstacle() const { return *obstacle_; }
  /// How many members the best domain takes at most.
  [[nodiscard]] std::int64_t best() const { return best_; }

 private:
  using Nodes = std::vector<bool>;  // by node; empty: all
  using Then = std::function<bool()>;

  /// Tries the part in one domain after another, and what comes after it each time.
  bool place(const GroupPart& part, const Nodes& within, const Then& then);
  bool place_parts(const GroupPart& part, std::size_t next, const Nodes& within, const Then& then);
  bool fill(const GroupPart& part, const std::vector<DomainPacking>& packings, DomainIndex domain, const Nodes& within);
  bool fill_in_order(const GroupPart& part, const std::vector<DomainPacking>& packings, DomainIndex domain,
                     const Nodes& within);
  bool fill(const GroupPart& part, const EqualMembers& kind, NodeRoom room, DomainIndex domain);
  [[nodiscard]] bool is_balanced(const GroupPart& part) const {
    return shares_ == GroupShares::kBalanced && part.close.has_preference;
  }
  [[nodiscard]] DomainPacking packing(const GroupPart& part, NodeRoom room) const;
  [[nodiscard]] std::vector<std::int64_t> used_by(const GroupPart& part) const;
  bool search(const GroupPart& part, DomainIndex domain, const Nodes& within);
  std::size_t put_shares(const std::vector<Share>& shares, std::span<const PodId> pods, const DomainTree& tree,
                         std::vector<Share>& taken);
  bool put_member(PodId pod, NodeId node);

  [[nodiscard]] std::vector<DomainPacking> pack(const GroupPart& part, const Nodes& within);
  [[nodiscard]] Slices slices_of(const GroupPart& part) const;
  [[nodiscard]] std::vector<DomainIndex> candidates(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                                    DomainIndex present);
  [[nodiscard]] std::int64_t least_share_in(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                            DomainIndex domain) const;
  [[nodiscard]] std::int64_t room_of(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                     DomainIndex domain) const;
  [[nodiscard]] bool may_hold(const GroupPart& part, const std::vector<DomainPacking>& packings,
                              DomainIndex domain) const;
  [[nodiscard]] std::optional<DomainIndex> where_present(const GroupPart& part);
  void note(TopologyRefusal obstacle) {
    if (!obstacle_) obstacle_ = std::move(obstacle);
  }
  void explain(const GroupPart& part, const std::vector<DomainPacking>& packings, DomainIndex present);

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  std::int64_t need_;
  GroupShares shares_;
  Ambition ambition_ = Ambition::kAll;
  std::int64_t steps_ = 0;
  std::uint64_t search_steps_;  // that are left
  std::vector<Settled> settled_;
  std::optional<TopologyRefusal> obstacle_;
  std::int64_t best_ = 0;
};

bool ClosePlacement::place(const GroupPart& part, const Nodes& within, const Then& then) {
  const std::optional<DomainIndex> present = where_present(part);
  if (!present) return false;
  const DomainTree& tree = *part.close.tree;
  const std::vector<DomainPacking> packings = pack(part, within);
  const std::vector<DomainIndex> domains = candidates(part, packings, *present);
  if (domains.empty()) explain(part, packings, *present);
  for (const DomainIndex domain : domains) {
    if (steps_ >= kMostSteps) break;
    const std::size_t before = settled_.size();
    cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    bool is_placed = false;
    if (part.parts.empty()) {
      is_placed = fill(part, packings, domain, within) && then();
    } else {
      Nodes inside(cluster_.node_slots());
      for (const NodeId node : tree.nodes_of(domain)) inside[node.index()] = within.empty() || within[node.index()];
      is_placed = place_parts(part, 0, inside, then);
    }
    if (is_placed) {
      tentatively.commit();
      return true;
    }
    settled_.resize(before);
  }
  if (!domains.empty()) explain(part, packings, *present);
  return false;
}

bool ClosePlacement::place_parts(const GroupPart& part, std::size_t next, const Nodes& within, const Then& then) {
  if (next == part.parts.size()) return then();
  return place(part.parts[next], within, [&] { return place_parts(part, next + 1, within, then); });
}

// ---- in which domain ------------------------------------------------------------------------------------------------

/// The narrowest domain that has all members of the part that are on nodes: it is in or around it. Without any, the
/// part is free: the answer is the whole cluster. Nothing: they are further apart than the rules allow.
std::optional<DomainIndex> ClosePlacement::where_present(const GroupPart& part) {
  if (part.present.empty()) return DomainTree::kWholeCluster;
  const DomainTree& tree = *part.close.tree;
  DomainIndex common = tree.domain_of(part.present.front());
  for (const NodeId node : part.present) common = tree.common(common, tree.domain_of(node));
  if (tree.at(common).level >= part.close.ceiling) return common;
  std::vector<std::string> names;
  for (const NodeId node : part.present) {
    const DomainIndex domain = tree.at_level(tree.domain_of(node), part.close.ceiling);
    if (tree.at(domain).level >= part.close.ceiling) {
      names.push_back(tree.path(domain));
      continue;
    }
    note(MemberOutside{node, tree.levels()[part.close.ceiling].name});
    return std::nullopt;
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  note(MembersApart{std::move(names)});
  return std::nullopt;
}

std::vector<DomainPacking> ClosePlacement::pack(const GroupPart& part, const Nodes& within) {
  std::vector<DomainPacking> packings;
  for (const EqualMembers& kind : part.kinds) {
    packings.push_back(packing(
        part, room_for(cluster_, scheduler_, kind.front(), *part.close.tree, DomainTree::kWholeCluster, within)));
  }
  return packings;
}

DomainPacking ClosePlacement::packing(const GroupPart& part, NodeRoom room) const {
  if (!is_balanced(part)) return {*part.close.tree, std::move(room), slices_of(part)};
  return {*part.close.tree, std::move(room), slices_of(part), GroupShares::kBalanced, used_by(part)};
}

/// By place of a node: members of the part that are there, those that were put there just now too.
std::vector<std::int64_t> ClosePlacement::used_by(const GroupPart& part) const {
  const std::span<const NodeId> nodes = part.close.tree->nodes();
  std::vector<std::int64_t> by_node(cluster_.node_slots());
  for (const NodeId node : part.present) ++by_node[node.index()];
  for (const EqualMembers& each : part.kinds) {
    for (const PodId pod : each) {
      if (const NodeId node = cluster_.pod(pod).node; node.valid()) ++by_node[node.index()];
    }
  }
  std::vector<std::int64_t> used;
  for (const NodeId node : nodes) used.push_back(by_node[node.index()]);
  return used;
}

Slices ClosePlacement::slices_of(const GroupPart& part) const {
  Slices slices{part.close.slice_size, part.close.slice_level, {}};
  if (slices.size == 0 || part.present.empty()) return slices;
  const std::span<const NodeId> nodes = part.close.tree->nodes();
  slices.present.resize(nodes.size());
  for (const NodeId node : part.present) {
    ++slices.present[static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin())];
  }
  return slices;
}

/// Those that may hold the part, as far as room says: narrower levels first, and the least room first; where shares are
/// to be equal, before that those where they are more equal. The least of which some member was refused is taken where
/// all fit; where only enough are to, the most room comes first.
std::vector<DomainIndex> ClosePlacement::candidates(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                                    DomainIndex present) {
  const DomainTree& tree = *part.close.tree;
  const bool is_free = part.present.empty();
  std::vector<DomainIndex> found;
  for (std::size_t level = part.close.start + 1; level-- > part.close.ceiling;) {
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, DomainIndex>> ranked;
    for (const DomainIndex domain : tree.domains_of(level)) {
      const bool was_tried = level < part.close.start && tree.at(domain).level > level;
      if (was_tried || (!is_free && !tree.contains(domain, present)) || !may_hold(part, packings, domain)) continue;
      const std::int64_t room = room_of(part, packings, domain);
      const std::int64_t slices = packings.empty() ? 0 : packings.front().slices(domain);
      if (ambition_ == Ambition::kAll)
        ranked.emplace_back(-least_share_in(part, packings, domain), slices, room, domain);
      if (ambition_ == Ambition::kEnough) ranked.emplace_back(0, 0, -std::min(room, part.count), domain);
    }
    std::ranges::sort(ranked);
    for (const auto& [least_share, slices, room, domain] : ranked) found.push_back(domain);
  }
  return found;
}

/// Of shares that are to be equal: the least of any node, if the members are in the domain. Else it makes no
/// difference.
std::int64_t ClosePlacement::least_share_in(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                            DomainIndex domain) const {
  if (!is_balanced(part) || packings.empty()) return 0;
  std::int64_t most = 0;
  std::size_t kind = 0;  // the one that has most members, as leaders have few
  for (std::size_t i = 0; i < part.kinds.size(); ++i) {
    if (std::ssize(part.kinds[i]) > most) most = std::ssize(part.kinds[kind = i]);
  }
  const std::optional<std::vector<Share>> shares = packings[kind].pack(domain, most);
  if (!shares || shares->empty()) return 0;
  return std::ranges::min(*shares, {}, &Share::members).members;
}

std::int64_t ClosePlacement::room_of(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                     DomainIndex domain) const {
  std::int64_t room = 0;
  for (std::size_t i = 0; i < packings.size(); ++i) {
    const std::int64_t members = packings[i].members(domain);
    room += part.kinds.size() == 1 ? members : std::min(members, std::ssize(part.kinds[i]));
  }
  if (part.kinds.size() < 2) return room;
  // Of kinds that share the room of nodes, how often it is there for the scarcest says more than a sum.
  for (std::size_t i = 0; i < packings.size(); ++i) room += packings[i].members(domain);
  return room;
}

bool ClosePlacement::may_hold(const GroupPart& part, const std::vector<DomainPacking>& packings,
                              DomainIndex domain) const {
  std::int64_t room = 0;
  for (std::size_t i = 0; i < packings.size(); ++i) {
    const std::int64_t members = std::ssize(part.kinds[i]);
    if (ambition_ == Ambition::kAll && !packings[i].holds(domain, members)) return false;
    room += std::min(members, packings[i].members(domain));
  }
  return room >= part.need;
}

void ClosePlacement::explain(const GroupPart& part, const std::vector<DomainPacking>& packings, DomainIndex present) {
  const DomainTree& tree = *part.close.tree;
  std::size_t domains = 0;
  std::int64_t most = 0;
  std::int64_t most_slices = 0;
  DomainIndex best = DomainTree::kWholeCluster;
  for (const DomainIndex domain : tree.domains_of(part.close.ceiling)) {
    if (!part.present.empty() && !tree.contains(domain, present)) continue;
    ++domains;
    std::int64_t room = 0;
    for (std::size_t i = 0; i < packings.size(); ++i) {
      room += std::min(packings[i].members(domain), std::ssize(part.kinds[i]));
    }
    const std::int64_t slices = packings.empty() ? 0 : packings.front().slices(domain);
    if (std::pair(slices, room) <= std::pair(most_slices, most)) continue;
    most = room;
    most_slices = slices;
    best = domain;
  }
  if (part.name.empty()) best_ = std::max(best_, most);
  if (obstacle_) return;
  NoDomainTakes why;
  why.part = part.name;
  why.level = tree.levels()[part.close.ceiling].name;
  if (part.close.ceiling > 0)
    why.scope = part.close.is_flat ? NoDomainTakes::Scope::kLabel : NoDomainTakes::Scope::kLevel;
  why.domains = domains;
  why.pods = part.count;
  why.most = most;
  if (most > 0) why.best = tree.path(best);
  if (part.close.slice_size > 0) {
    why.slices = {most_slices, part.close.slice_size, tree.levels()[part.close.slice_level].name};
  }
  if (!tree.faults().empty()) why.fault = tree.faults().front();
  note(std::move(why));
}

// ---- inside the domain ----------------------------------------------------------------------------------------------

/// First as counts propose; where filters, or kinds that share the room of nodes, are in the way, by a search.
bool ClosePlacement::fill(const GroupPart& part, const std::vector<DomainPacking>& packings, DomainIndex domain,
                          const Nodes& within) {
  const std::size_t before = settled_.size();
  cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  bool is_filled = fill_in_order(part, packings, domain, within);
  if (!is_filled && search_steps_ > 0 && part.close.slice_size == 0) {
    tentatively.rollback();
    settled_.resize(before);
    is_filled = search(part, domain, within);
  }
  tentatively.commit();
  return is_filled;
}

bool ClosePlacement::search(const GroupPart& part, DomainIndex domain, const Nodes& within) {
  GroupDemand demand;
  for (const EqualMembers& kind : part.kinds) demand.members.insert(demand.members.end(), kind.begin(), kind.end());
  demand.least = ambition_ == Ambition::kAll ? std::ssize(demand.members) : std::max<std::int64_t>(part.need, 1);
  if (std::ssize(demand.members) < demand.least) return false;
  std::vector<NodeId> nodes;
  for (const NodeId node : part.close.tree->nodes_of(domain)) {
    if (within.empty() || within[node.index()]) nodes.push_back(node);
  }
  const GroupSearch found = search_group(cluster_, scheduler_, demand, nodes, search_steps_);
  search_steps_ -= std::min(search_steps_, found.report.steps);
  return !found.places.empty() &&
         std::ranges::all_of(found.places, [&](const Place& place) { return put_member(place.pod, place.node); });
}

/// Kinds that are harder to place come first; what they leave is counted anew for the next ones.
bool ClosePlacement::fill_in_order(const GroupPart& part, const std::vector<DomainPacking>& packings,
                                   DomainIndex domain, const Nodes& within) {
  const std::size_t before = settled_.size();
  for (std::size_t i = 0; i < part.kinds.size(); ++i) {
    const bool is_known = i == 0;
    NodeRoom room = is_known ? packings[i].room()
                             : room_for(cluster_, scheduler_, part.kinds[i].front(), *part.close.tree, domain, within);
    if (!fill(part, part.kinds[i], std::move(room), domain) && ambition_ == Ambition::kAll) return false;
  }
  return static_cast<std::int64_t>(settled_.size() - before) >= part.need;
}

/// Whether all of them found places. Where a node takes fewer than it seemed to, the rest is divided anew.
bool ClosePlacement::fill(const GroupPart& part, const EqualMembers& kind, NodeRoom room, DomainIndex domain) {
  const DomainTree& tree = *part.close.tree;
  std::span<const PodId> rest = kind;
  while (!rest.empty() && steps_ < kMostSteps) {
    const DomainPacking packing = this->packing(part, room);
    std::int64_t members = std::ssize(rest);
    if (part.close.slices_are_whole && part.close.slice_size > 0) {
      const auto there = std::ssize(part.present) + std::ssize(kind) - std::ssize(rest);
      members -= (there + members) % part.close.slice_size;
      if (members <= 0) break;
    }
    while (ambition_ == Ambition::kEnough && members > 0 && !packing.holds(domain, members)) --members;
    const std::optional<std::vector<Share>> shares = packing.pack(domain, members);
    if (!shares || shares->empty()) break;
    const std::size_t before = settled_.size();
    cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    std::vector<Share> taken;
    const std::size_t put = put_shares(*shares, rest, tree, taken);
    const bool is_whole = std::cmp_equal(put, members);
    // A slice that does not fit where it was begun would be divided, so all of them go back.
    const bool stays = is_whole || part.close.slice_size == 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const bool is_full = taken[i].members < (*shares)[i].members;
      std::int64_t& left = room[taken[i].place];
      if (is_full) left = taken[i].members;
      if (stays) left -= taken[i].members;
    }
    if (!stays) {
      settled_.resize(before);
      continue;
    }
    tentatively.commit();
    rest = rest.subspan(put);
    if (is_whole) break;
  }
  return rest.empty();
}

/// Returns how many found places; `taken` says how many each node took.
std::size_t ClosePlacement::put_shares(const std::vector<Share>& shares, std::span<const PodId> pods,
                                       const DomainTree& tree, std::vector<Share>& taken) {
  std::size_t next = 0;
  for (const Share& share : shares) {
    Share& here = taken.emplace_back(share.place, 0);
    while (here.members < share.members && put_member(pods[next], tree.nodes()[share.place])) {
      ++here.members;
      ++next;
    }
  }
  return next;
}

bool ClosePlacement::put_member(PodId pod, NodeId node) {
  ++steps_;
  if (scheduler_.fitting(pod, std::span(&node, 1)).empty()) return false;
  const PodId consumes = placement::waiting_placeholder(cluster_, pod);
  settled_.push_back({{pod, node}, consumes, put(cluster_, scheduler_, {pod, node}, consumes)});
  return true;
}

// ---- the group's answer ---------------------------------------------------------------------------------------------

bool is_strict(const GroupPart& part) { return part.close.is_strict() || std::ranges::any_of(part.parts, is_strict); }

GroupAttempt start(const cluster::Cluster& cluster, std::span<const PodId> members, std::vector<Settled>& settled) {
  std::map<PodId, Settled*> by_pod;
  for (Settled& each : settled) by_pod[each.place.pod] = &each;
  GroupAttempt attempt;
  attempt.verdict = Verdict::kStarts;
  attempt.fits = settled.size();
  attempt.members.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    MemberAttempt& member = attempt.members.emplace_back();
    member.pod = member.decision.attempt.pod = members[i];
    const auto found = by_pod.find(members[i]);
    if (found == by_pod.end()) {
      member.refusal = NoRoomNearby();
      if (!attempt.stopped_by) attempt.stopped_by = i;
      continue;
    }
    member.node = member.decision.attempt.node = found->second->place.node;
    member.decision.attempt.consumes = found->second->consumes;
    member.decision.attempt.examined = static_cast<std::int64_t>(cluster.node_count());
    member.volumes = std::move(found->second->volumes);
  }
  return attempt;
}

GroupAttempt refuse(std::span<const PodId> members, TopologyRefusal why, std::int64_t fits) {
  GroupAttempt attempt;
  attempt.verdict = Verdict::kDoesNotFit;
  attempt.refusal = NoPlaceTogether{std::make_shared<const TopologyRefusal>(std::move(why))};
  attempt.fits = static_cast<std::size_t>(std::clamp<std::int64_t>(fits, 0, std::ssize(members)));
  attempt.members.reserve(members.size());
  for (const PodId pod : members) {
    MemberAttempt& member = attempt.members.emplace_back();
    member.pod = member.decision.attempt.pod = pod;
    member.refusal = attempt.refusal;
  }
  attempt.stopped_by = std::min(attempt.fits, members.size() - 1);
  return attempt;
}

/// Adds why no node takes a member, where that is so.
void say_why_nowhere(placement::Scheduler& scheduler, placement::Detail detail, GroupAttempt& attempt) {
  MemberAttempt& member = attempt.members[*attempt.stopped_by];
  placement::Decision decision = scheduler.decide(member.pod, detail);
  if (decision.attempt.scheduled() || !decision.attempt.error.empty()) return;
  decision.preemption = {};  // it would make room for one pod, wherever that is
  auto told = std::make_shared<placement::FitError>(*decision.fit_error);
  told->post_filters.clear();
  decision.fit_error = std::move(told);
  member.decision = std::move(decision);
}

}  // namespace

bool has_topology_wish(const cluster::PodGroup& group) {
  const auto is_wish = [](const cluster::TopologyWish& wish) { return !wish.empty() || wish.slice_size > 0; };
  return group.members_disagree || is_wish(group.topology_wish()) ||
         std::ranges::any_of(group.rules.subgroups, is_wish, &cluster::SubGroup::topology);
}

bool must_be_close(const cluster::PodGroup& group) {
  const auto is_strict = [](const cluster::TopologyWish& wish) {
    return !wish.required.empty() || wish.slice_size > 0;
  };
  return is_strict(group.topology_wish()) ||
         std::ranges::any_of(group.rules.subgroups, is_strict, &cluster::SubGroup::topology);
}

GroupAttempt attempt_close(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                           cluster::GroupId id, std::span<const PodId> members, const Effort& effort) {
  if (!have_one_scheduler(cluster, members)) return attempt(cluster, scheduler, id, members, effort);
  const cluster::PodGroup& group = cluster.group(id);
  const std::vector<PodId> order = in_order(cluster, members);
  const std::int64_t need = least_of(scheduler, group, order.front());
  const tl::expected<GroupPart, WishFault> whole = divide(cluster, scheduler, trees, group, order, need);
  if (!whole) return refuse(order, whole.error(), 0);
  cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  // Their nominations are room for themselves.
  for (const PodId pod : order) {
    if (cluster.pod(pod).nominated.valid()) cluster.nominate(pod, NodeId{});
  }
  ClosePlacement placement(cluster, scheduler, need, effort);
  if (placement.run(*whole, Ambition::kAll) || (need < std::ssize(order) && placement.run(*whole, Ambition::kEnough))) {
    tentatively.commit();
    return start(cluster, order, placement.settled());
  }
  tentatively.rollback();
  if (!is_strict(*whole)) return attempt(cluster, scheduler, id, members, effort);
  GroupAttempt refused = refuse(order, placement.obstacle(), placement.best());
  if (placement.best() == 0) say_why_nowhere(scheduler, effort.detail, refused);
  return refused;
}

}  // namespace loadline::gang
