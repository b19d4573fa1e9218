#include "brain/gang/search/group_search.h"

#include <algorithm>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/search/member_kinds.h"
#include "brain/gang/search/model_search.h"
#include "brain/placement/reserved_nodes.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// Whether a member could use room that a reservation holds.
bool has_room_held(const cluster::Cluster& cluster, const MemberKinds& kinds) {
  if (cluster.reservations().empty()) return false;
  return std::ranges::any_of(kinds.kinds, [&](const MemberKind& kind) {
    return placement::may_use_reserved_room(cluster, kind.pods.front());
  });
}

/// The packing's numbers are not all that matters: nothing is concluded from them any more.
void distrust_room(MemberKinds& kinds) {
  kinds.resources.reset();
  for (MemberKind& kind : kinds.kinds) {
    kind.concern = Concern::kOrder;
    kind.may_open_anywhere = true;
    kind.room = PackingKind{kind.room.count, {}, 0, 0};
  }
}

SearchProof proof_of(const cluster::Cluster& cluster, const MemberKinds& kinds, const Shortage& shortage) {
  SearchProof proof;
  proof.cause = static_cast<SearchProof::Cause>(shortage.cause);
  for (const std::size_t kind : shortage.kinds) {
    const std::vector<PodId>& pods = kinds.kinds[kind].pods;
    proof.who.push_back({cluster.pod_name(pods.front()), std::ssize(pods)});
  }
  if (shortage.cause == Shortage::Cause::kSum) {
    proof.resource =
        shortage.dimension == 0 ? "pods" : cluster.resources().name((*kinds.resources)[shortage.dimension - 1]);
  }
  proof.needed = shortage.needed;
  proof.available = shortage.available;
  proof.nodes = static_cast<std::int64_t>(shortage.nodes);
  return proof;
}

SearchEnding ending_of(ModelSearch::Outcome outcome) {
  switch (outcome) {
    case ModelSearch::Outcome::kFound:
      return SearchEnding::kFound;
    case ModelSearch::Outcome::kFailed:
      return SearchEnding::kProven;
    case ModelSearch::Outcome::kBudget:
    case ModelSearch::Outcome::kDisagree:
      break;
  }
  return SearchEnding::kBudget;
}

}  // namespace

GroupSearch search_group(cluster::Cluster& cluster, placement::Scheduler& scheduler, const GroupDemand& demand,
                         std::span<const NodeId> nodes, std::uint64_t budget) {
  GroupSearch result;
  result.report.budget = budget;
  const placement::Profile& profile = scheduler.profile_of(demand.members.front());
  if (!profile.extenders().empty()) {
    result.report.ending = SearchEnding::kNotAsked;
    return result;
  }
  const cluster::Transaction tentatively(cluster);
  for (const PodId pod : demand.members) {
    if (cluster.pod(pod).nominated.valid()) cluster.nominate(pod, NodeId{});
  }
  MemberKinds kinds = member_kinds(cluster, profile, demand, nodes);
  for (bool is_trusted : {true, false}) {
    if (!is_trusted) distrust_room(kinds);
    ModelSearch search(cluster, scheduler, kinds, nodes, budget);
    const ModelSearch::Outcome outcome = search.run();
    result.report.ending = ending_of(outcome);
    result.report.steps += search.steps();
    if (outcome == ModelSearch::Outcome::kFound) result.places = search.places();
    if (outcome == ModelSearch::Outcome::kFailed) result.report.proof = proof_of(cluster, kinds, search.shortage());
    if (outcome != ModelSearch::Outcome::kDisagree) break;
  }
  if (result.report.ending == SearchEnding::kProven && has_room_held(cluster, kinds)) {
    result.report.ending = SearchEnding::kNotAsked;
    result.report.proof = {};
  }
  return result;
}

}  // namespace loadline::gang
