#include "brain/gang/topology/scored_domains.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/topology/close_placement.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::int64_t kMostPoints = 100;

/// Members that have a node, those that are leaving too.
std::vector<PodId> present_members(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<PodId> present;
  for (const PodId pod : group.members) {
    if (cluster.pod(pod).node.valid()) present.push_back(pod);
  }
  return present;
}

DomainIndex domain_of(const DomainTree& tree, NodeId node) { return tree.at_level(tree.domain_of(node), 1); }

/// The one domain that all of them are in. Errors: there is none.
tl::expected<DomainIndex, Refusal> common_domain(const cluster::Cluster& cluster, const DomainTree& tree,
                                                 const std::vector<PodId>& present) {
  std::vector<DomainIndex> domains;
  for (const PodId pod : present) {
    const DomainIndex domain = domain_of(tree, cluster.pod(pod).node);
    if (tree.at(domain).level == 0) return tl::unexpected(Refusal(DomainUnknown{pod}));
    domains.push_back(domain);
  }
  std::ranges::sort(domains);
  domains.erase(std::ranges::unique(domains).begin(), domains.end());
  if (domains.size() == 1) return domains.front();
  return tl::unexpected(Refusal(SeveralDomains{tree.at(domains[0]).name, tree.at(domains[1]).name}));
}

/// The domains without attempts.
std::vector<ScoredDomain> lay_out(const cluster::Cluster& cluster, const DomainTree& tree,
                                  std::optional<DomainIndex> only) {
  std::vector<ScoredDomain> domains;
  std::vector<std::size_t> places(tree.domains().size());
  for (const DomainIndex domain : tree.domains_of(1)) {
    if (only && domain != *only) continue;
    domains.push_back({tree.at(domain).name, {}, {}, 0});
    places[domain] = domains.size();
  }
  for (const NodeId node : cluster.scan_order()) {
    if (const std::size_t place = places[domain_of(tree, node)]; place > 0) domains[place - 1].nodes.push_back(node);
  }
  return domains;
}

/// Members that were given a node by the attempt.
std::vector<PodId> placed_by(const GroupAttempt& attempt) {
  std::vector<PodId> pods;
  for (const MemberAttempt& member : attempt.members) {
    if (member.node.valid()) pods.push_back(member.pod);
  }
  return pods;
}

bool starts(const ScoredDomain& domain) { return domain.attempt.verdict == Verdict::kStarts; }

void score(const cluster::Cluster& cluster, const placement::DomainScoring& scoring, std::int64_t present,
           std::vector<ScoredDomain>& domains) {
  std::int64_t most = 0;
  for (const ScoredDomain& domain : domains) {
    if (starts(domain)) most = std::max(most, present + std::ssize(placed_by(domain.attempt)));
  }
  for (ScoredDomain& domain : domains) {
    if (!starts(domain)) continue;
    const std::vector<PodId> pods = placed_by(domain.attempt);
    const std::int64_t fit =
        scoring.fit == 0 ? 0 : placement::most_allocated_in(cluster, domain.nodes, pods, scoring.resources);
    domain.score = scoring.fit * fit + scoring.pods_count * ((present + std::ssize(pods)) * kMostPoints / most);
  }
}

GroupAttempt refuse_all(std::span<const PodId> members, Verdict verdict, const Refusal& refusal) {
  GroupAttempt attempt;
  attempt.verdict = verdict;
  attempt.refusal = refusal;
  for (const PodId pod : members) {
    MemberAttempt& member = attempt.members.emplace_back();
    member.pod = member.decision.attempt.pod = pod;
    member.refusal = refusal;
  }
  attempt.stopped_by = 0;
  return attempt;
}

}  // namespace

bool has_bare_constraint(const cluster::PodGroup& group) {
  const cluster::TopologyWish& wish = group.topology_wish();
  return !wish.required.empty() && wish.topology.empty() && wish.preferred.empty() && wish.slice_required.empty() &&
         wish.slice_size == 0 && group.rules.subgroups.empty() && &wish != &group.asked_by_members;
}

DomainChoice score_domains(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                           cluster::GroupId id, std::span<const PodId> members, const Effort& effort) {
  const cluster::PodGroup& group = cluster.group(id);
  const DomainTree& tree = trees.of_labels({group.topology_wish().required});
  const std::vector<PodId> present = present_members(cluster, group);
  std::optional<DomainIndex> only;
  if (!present.empty()) {
    const tl::expected<DomainIndex, Refusal> common = common_domain(cluster, tree, present);
    if (!common) return {{}, common.error()};
    only = *common;
  }
  DomainChoice choice{lay_out(cluster, tree, only), {}};
  for (ScoredDomain& domain : choice.domains) {
    const cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
    Effort inside = effort;
    inside.placement = GroupPlacement::kInOrder;
    inside.within = domain.nodes;
    domain.attempt = attempt(cluster, scheduler, id, members, inside);
    if (domain.attempt.verdict == Verdict::kFailed) break;
  }
  score(cluster, scheduler.profile_of(members.front()).domain_scoring(), std::ssize(present), choice.domains);
  return choice;
}

GroupAttempt attempt_in_best_domain(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                                    cluster::GroupId group, std::span<const PodId> members, const Effort& effort) {
  Effort one_by_one = effort;
  one_by_one.placement = GroupPlacement::kInOrder;
  if (!have_one_scheduler(cluster, members)) return attempt(cluster, scheduler, group, members, effort);
  if (!scheduler.profile_of(members.front()).domain_scoring().heeds_topology) {
    one_by_one.within = cluster.scan_order();
    return attempt(cluster, scheduler, group, members, one_by_one);
  }
  DomainChoice choice = score_domains(cluster, scheduler, trees, group, members, effort);
  const std::vector<PodId> order = gang::in_order(cluster, members);
  if (!std::holds_alternative<std::monostate>(choice.error)) return refuse_all(order, Verdict::kFailed, choice.error);
  if (choice.domains.empty()) return refuse_all(order, Verdict::kDoesNotFit, NoDomains());
  const auto failed = std::ranges::find(choice.domains, Verdict::kFailed,
                                        [](const ScoredDomain& domain) { return domain.attempt.verdict; });
  if (failed != choice.domains.end()) return std::move(failed->attempt);
  const ScoredDomain* best = nullptr;
  for (const ScoredDomain& domain : choice.domains) {
    if (starts(domain) && (best == nullptr || domain.score > best->score)) best = &domain;
  }
  if (best != nullptr) {
    one_by_one.within = best->nodes;
    return attempt(cluster, scheduler, group, members, one_by_one);
  }
  if (effort.placement == GroupPlacement::kSearch) {
    return attempt_close(cluster, scheduler, trees, group, members, effort);
  }
  GroupAttempt first = std::move(choice.domains.front().attempt);
  first.as_a_whole = NoDomainSuffices{choice.domains.size()};
  return first;
}

}  // namespace loadline::gang
