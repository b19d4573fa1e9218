#include "brain/gang/search/member_kinds.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "brain/cluster/shapes/shape_compiler.h"
#include "brain/gang/search/likeness.h"
#include "brain/placement/countable_demand.h"
#include "brain/placement/plugins/pod_claims.h"
#include "brain/placement/plugins/pod_topology_spread.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::size_t kMostExclusions = 64;  // bits

/// The filters of which this file knows what members are to each other.
constexpr auto kKnownFilters =
    std::to_array<std::string_view>({"DynamicResources", "InterPodAffinity", "NodeAffinity", "NodeName", "NodePorts",
                                     "NodeResourcesFit", "NodeUnschedulable", "NodeVolumeLimits", "PodTopologySpread",
                                     "TaintToleration", "VolumeBinding", "VolumeRestrictions", "VolumeZone"});

const placement::Plugin* find_filter(const placement::Profile& profile, std::string_view name) {
  const auto found = std::ranges::find(profile.filters(), name, &placement::Plugin::name);
  return found == profile.filters().end() ? nullptr : *found;
}

bool knows_filters(const placement::Profile& profile) {
  if (!profile.is_sound() || !profile.extensions().plugins.empty()) return false;
  return std::ranges::all_of(profile.filters(), [](const placement::Plugin* filter) {
    return std::ranges::find(kKnownFilters, filter->name()) != kKnownFilters.end();
  });
}

/// Whether it needs more than room: volumes, or devices that it claims.
bool uses_volumes(const cluster::PodShape& shape) {
  return placement::uses_storage(*shape.spec) || !shape.spec->resource_claims.empty();
}

class Sorter {
 public:
  Sorter(cluster::Cluster& cluster, const placement::Profile& profile, const GroupDemand& demand,
         std::span<const NodeId> nodes)
      : cluster_(cluster), profile_(profile), demand_(demand), nodes_(nodes) {}

  MemberKinds run() {
    result_.knows_filters = knows_filters(profile_);
    make_kinds();
    measure();
    for (std::size_t a = 0; a < kinds().size(); ++a) {
      note_own_concerns(a);
      for (std::size_t b = 0; b < kinds().size(); ++b) compare(a, b);
    }
    return std::move(result_);
  }

 private:
  std::vector<MemberKind>& kinds() { return result_.kinds; }
  const cluster::PodShape& shape(std::size_t kind) { return cluster_.shape(kinds()[kind].shape(cluster_)); }

  void make_kinds();
  void measure();
  void note_own_concerns(std::size_t kind);
  [[nodiscard]] bool is_spread_by_default() const;
  void compare(std::size_t a, std::size_t b);
  void compare_affinity(std::size_t a, std::size_t b);
  void compare_anti_affinity(std::size_t a, std::size_t b);
  void compare_spread(std::size_t a, std::size_t b);
  void compare_ports(std::size_t a, std::size_t b);
  void exclude(std::size_t a, std::size_t b);
  bool take_bit(std::size_t kind);
  void raise(std::size_t kind, Concern concern) { kinds()[kind].concern = std::max(kinds()[kind].concern, concern); }
  [[nodiscard]] bool is_each_node_a_domain(cluster::TopologyKeyId key) const;

  cluster::Cluster& cluster_;
  const placement::Profile& profile_;
  const GroupDemand& demand_;
  std::span<const NodeId> nodes_;
  MemberKinds result_;
  std::size_t bits_ = 0;
};

void Sorter::make_kinds() {
  result_.demand.total = demand_.least;
  for (const GroupDemand::Part& part : demand_.parts) result_.demand.parts.push_back({{}, part.least});
  Likenesses likenesses(cluster_, demand_, is_spread_by_default());
  std::map<Likeness, std::size_t> ids;
  for (const PodId pod : demand_.members) {
    Likeness likeness = likenesses.of(pod);
    const bool has_storage = uses_volumes(cluster_.shape_of(pod));
    result_.uses_storage = result_.uses_storage || has_storage;
    // Claims may be named after pods; and a filter of which nothing is known may look at names.
    if (has_storage || !result_.knows_filters) likeness.pod = pod;
    const auto [entry, is_new] = ids.try_emplace(likeness, kinds().size());
    if (is_new) {
      kinds().emplace_back();
      for (const std::size_t part : likeness.parts) result_.demand.parts[part].kinds.push_back(entry->second);
    }
    kinds()[entry->second].pods.push_back(pod);
  }
  for (MemberKind& kind : kinds()) kind.room.count = std::ssize(kind.pods);
}

/// What of the nodes' room the kinds use.
void Sorter::measure() {
  if (!result_.knows_filters) return;
  std::vector<placement::CountableDemand> demands;
  std::set<cluster::ResourceId> used;
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    demands.push_back(placement::countable_demand(cluster_, shape(k), profile_));
    if (!demands.back().takes_place) return;
    for (const cluster::ResourceAmount& each : demands.back().amounts) used.insert(each.resource);
  }
  result_.resources.emplace(used.begin(), used.end());
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    std::vector<std::int64_t>& request = kinds()[k].room.request;
    request.assign(1, 1);
    for (const cluster::ResourceId resource : *result_.resources) request.push_back(demands[k].amount_of(resource));
    // What it takes is not what it is measured by: then its room is not known.
    if (shape(k).requests == shape(k).usage) continue;
    request.assign(request.size(), 0);
    raise(k, Concern::kOrder);
  }
}

bool Sorter::is_spread_by_default() const {
  const auto* spread = dynamic_cast<const placement::PodTopologySpread*>(find_filter(profile_, "PodTopologySpread"));
  return spread != nullptr && spread->has_hard_defaults();
}

void Sorter::note_own_concerns(std::size_t kind) {
  if (result_.knows_filters && !is_spread_by_default() && !uses_volumes(shape(kind))) return;
  raise(kind, Concern::kOrder);
  kinds()[kind].may_open_anywhere = true;
}

/// What members of kind `a` ask of those of kind `b`.
void Sorter::compare(std::size_t a, std::size_t b) {
  if (a == b && kinds()[a].pods.size() == 1) return;
  compare_affinity(a, b);
  compare_anti_affinity(a, b);
  compare_spread(a, b);
  compare_ports(a, b);
}

void Sorter::compare_affinity(std::size_t a, std::size_t b) {
  for (const cluster::AffinityTerm& term : shape(a).required_affinity) {
    if (!cluster_.matches(term.term, shape(b))) continue;
    raise(a, Concern::kOrder);
    raise(b, Concern::kOrder);
    kinds()[a].follows.push_back({b, term.key});
  }
}

bool Sorter::is_each_node_a_domain(cluster::TopologyKeyId id) const {
  const cluster::TopologyKey& key = cluster_.topology_key(id);
  return key.one_node_each() && std::ranges::all_of(nodes_, [&](NodeId node) { return key.has(node); });
}

void Sorter::compare_anti_affinity(std::size_t a, std::size_t b) {
  for (const cluster::AffinityTerm& term : shape(a).required_anti_affinity) {
    if (!cluster_.matches(term.term, shape(b))) continue;
    if (is_each_node_a_domain(term.key) && find_filter(profile_, "InterPodAffinity") != nullptr) {
      exclude(a, b);
    } else {
      raise(a, Concern::kNeighbours);
      raise(b, Concern::kNeighbours);
    }
  }
}

void Sorter::compare_spread(std::size_t a, std::size_t b) {
  if (shape(a).name_space != shape(b).name_space) return;
  for (const kube::TopologySpreadConstraint& constraint : shape(a).spread) {
    if (constraint.when_unsatisfiable != kube::UnsatisfiableAction::kDoNotSchedule) continue;
    const cluster::PodSelector selector = cluster::spread_selector(constraint, shape(a).labels, cluster_.symbols());
    if (!selector.matches(shape(b).labels, cluster_.symbols())) continue;
    raise(a, Concern::kOrder);
    raise(b, Concern::kOrder);
    kinds()[a].may_open_anywhere = true;
  }
}

void Sorter::compare_ports(std::size_t a, std::size_t b) {
  if (find_filter(profile_, "NodePorts") == nullptr) return;
  const Symbol wildcard = cluster_.symbols().intern("0.0.0.0");
  for (const cluster::HostPort& one : shape(a).host_ports) {
    for (const cluster::HostPort& other : shape(b).host_ports) {
      if (cluster::conflict(one, other, wildcard)) return exclude(a, b);
    }
  }
}

/// Members of the two kinds do not share a node.
void Sorter::exclude(std::size_t a, std::size_t b) {
  if (!take_bit(a) || !take_bit(b)) {
    raise(a, Concern::kNeighbours);
    raise(b, Concern::kNeighbours);
    return;
  }
  kinds()[a].room.excludes |= kinds()[b].room.is;
  kinds()[b].room.excludes |= kinds()[a].room.is;
}

bool Sorter::take_bit(std::size_t kind) {
  std::uint64_t& is = kinds()[kind].room.is;
  if (is == 0 && bits_ < kMostExclusions) is = std::uint64_t{1} << bits_++;
  return is != 0;
}

}  // namespace

MemberKinds member_kinds(cluster::Cluster& cluster, const placement::Profile& profile, const GroupDemand& demand,
                         std::span<const NodeId> nodes) {
  return Sorter(cluster, profile, demand, nodes).run();
}

PackingNode room_on(const cluster::Cluster& cluster, const MemberKinds& kinds, NodeId node, std::int32_t priority) {
  PackingNode room;
  if (!kinds.resources) return room;
  room.free.push_back(cluster.allowed_pods(node) - std::ssize(cluster.pods_on(node)));
  for (const cluster::ResourceId resource : *kinds.resources) {
    room.free.push_back(cluster.allocatable(node, resource) - cluster.requested(node, resource));
  }
  for (const PodId pod : cluster.nominated_to(node)) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.priority < priority || record.node.valid()) continue;
    --room.free[0];
    for (const cluster::ResourceAmount& used : cluster.shape_of(pod).usage) {
      const auto at = std::ranges::find(*kinds.resources, used.resource);
      if (at != kinds.resources->end())
        room.free[static_cast<std::size_t>(at - kinds.resources->begin()) + 1] -= used.amount;
    }
  }
  return room;
}

}  // namespace loadline::gang
