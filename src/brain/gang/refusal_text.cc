#include "brain/gang/refusal_text.h"

#include <fmt/format.h>

#include "brain/gang/topology/topology_refusal_text.h"

namespace loadline::gang {
namespace {

struct RefusalText {
  const cluster::Cluster& cluster;

  std::string operator()(const std::monostate&) const { return {}; }
  std::string operator()(const SchedulersDiffer& it) const {
    return fmt::format(
        "all pods in a single pod group should have the same .spec.schedulerName set, got: \"{}\" and \"{}\"",
        cluster.symbols().text(it.one), cluster.symbols().text(it.wanted));
  }
  std::string operator()(const MemberFailed& it) const {
    return "failed to schedule other pod from a pod group: " + it.error;
  }
  std::string operator()(const TooFewPlaced& it) const {
    if (!it.permit) return "pod group is unschedulable";
    return fmt::format("pod group is unschedulable, {}, one or more plugins asked to wait and no plugin rejected pod",
                       it.permit->text());
  }
  std::string operator()(const WaitsForVictims&) const {
    return "pod group is unschedulable, pod group is waiting for preemption to complete";
  }
  std::string operator()(const VictimsWouldNotDo&) const {
    return "pod group is unschedulable, even if the pods were gone that it may preempt";
  }
  std::string operator()(const DomainUnknown& it) const {
    return undetermined("no topology domain found for pod " + cluster.pod_text(it.pod));
  }
  std::string operator()(const SeveralDomains& it) const {
    return undetermined(fmt::format("more than 1 domain found for pod group: {}, {}", it.first, it.second));
  }
  std::string operator()(const NoDomains&) const { return "no feasible placements found"; }
  std::string operator()(const NoDomainSuffices& it) const {
    return fmt::format("0/{} placements are available, first placement status: pod group is unschedulable", it.domains);
  }
  std::string operator()(const NoPlaceTogether& it) const {
    return "pod group is unschedulable, " + text(cluster, *it.why);
  }
  std::string operator()(const NoRoomNearby&) const {
    return "the pod group has started, and near it there is no room for this pod";
  }
  std::string operator()(const SubgroupLeftOut& it) const {
    return it.has_enough_pods ? fmt::format("pod group starts without subgroup \"{}\"", it.name)
                              : fmt::format("subgroup \"{}\" has too few pods", it.name);
  }

 private:
  static std::string undetermined(const std::string& what) {
    return "cannot determine domain for already scheduled pods: " + what;
  }
};

std::string exempt_text(std::size_t exempt) {
  if (exempt == 0) return {};
  if (exempt == 1) return " 1 pod or group has not run for as long as it is granted.";
  return fmt::format(" {} pods or groups have not run for as long as they are granted.", exempt);
}

}  // namespace

std::string text(const cluster::Cluster& cluster, const Refusal& refusal) {
  return std::visit(RefusalText{cluster}, refusal);
}

std::string text(const NoVictims& why) {
  switch (why.kind) {
    case NoVictims::Kind::kNever:
      return "not eligible due to preemptionPolicy=Never.";
    case NoVictims::Kind::kNobody:
      return "No preemption victims found for incoming preemptor." + exempt_text(why.exempt);
    case NoVictims::Kind::kNotEnough:
      return "there is no room even if all pods of lower priority left." + exempt_text(why.exempt);
    case NoVictims::Kind::kPlannedForOthers:
      break;
  }
  return "the room that evictions would make is planned for others.";
}

}  // namespace loadline::gang
