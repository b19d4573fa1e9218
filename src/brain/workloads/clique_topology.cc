#include "brain/workloads/clique_topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loadline::workloads {

using Constraint = std::optional<kube::GroveTopologyConstraint>;

CliqueTopology::CliqueTopology(const kube::PodCliqueSet& set, const FindBinding& find) : set_(set) {
  std::vector<const Constraint*> all = {&set.topology};
  for (const kube::CliqueScalingGroup& group : set.scaling_groups) all.push_back(&group.topology);
  for (const kube::CliqueTemplate& clique : set.cliques) all.push_back(&clique.topology);
  for (const Constraint* each : all) {
    if (!*each) continue;
    is_asked_ = true;
    if (topology_.empty()) topology_ = (*each)->topology;
  }
  if (!topology_.empty()) binding_ = find(topology_);
  if (binding_ == nullptr) return;
  for (const Constraint* each : all) note(*each);
}

void CliqueTopology::note(const Constraint& constraint) {
  if (!constraint) return;
  for (const std::string* domain : {&constraint->required, &constraint->preferred}) {
    const bool is_news =
        !domain->empty() && label_of(*domain) == nullptr && std::ranges::find(unknown_, *domain) == unknown_.end();
    if (is_news) unknown_.push_back(*domain);
  }
}

const std::string* CliqueTopology::label_of(std::string_view domain) const {
  if (binding_ == nullptr) return nullptr;
  const auto level = std::ranges::find(binding_->levels, domain, &kube::ClusterTopologyBinding::Level::domain);
  return level == binding_->levels.end() ? nullptr : &level->key;
}

kube::GrovePackConstraint CliqueTopology::translated(const Constraint& constraint) const {
  kube::GrovePackConstraint pack;
  if (!constraint) return pack;
  if (const std::string* label = label_of(constraint->required)) pack.required = *label;
  if (const std::string* label = label_of(constraint->preferred)) pack.preferred = *label;
  return pack;
}

kube::GrovePackConstraint CliqueTopology::of_gang(const CliqueOfSet& clique) const {
  const bool is_of_group = !clique.base_gang().empty() && clique.group != nullptr && clique.group->topology;
  return translated(is_of_group ? clique.group->topology : set_.topology);
}

kube::GrovePackConstraint CliqueTopology::of_clique(const kube::CliqueTemplate& clique) const {
  return translated(clique.topology);
}

kube::GrovePackConstraint CliqueTopology::of_group_replica(const CliqueOfSet& clique) const {
  if (clique.group == nullptr || !clique.base_gang().empty()) return {};
  return translated(clique.group->topology);
}

void share_place(const CliqueTopology& topology, const CliqueOfSet& clique,
                 std::vector<kube::GroveSharedConstraint>& shared) {
  const kube::GrovePackConstraint pack = topology.of_group_replica(clique);
  if (pack.required.empty() && pack.preferred.empty()) return;
  const std::string name =
      fmt::format("{}-{}", scaling_group_name(clique.set, clique.replica, *clique.group), clique.group_replica);
  auto known = std::ranges::find(shared, name, &kube::GroveSharedConstraint::name);
  if (known == shared.end()) known = shared.insert(shared.end(), {name, {}, pack});
  known->groups.push_back(clique.name());
}

CliqueTopology::Problem CliqueTopology::problem() const {
  if (!is_asked_) return Problem::kNone;
  if (topology_.empty()) return Problem::kNoName;
  if (binding_ == nullptr) return Problem::kNoBinding;
  return unknown_.empty() ? Problem::kNone : Problem::kNoDomains;
}

std::string CliqueTopology::problem_text() const {
  switch (problem()) {
    case Problem::kNone:
      return {};
    case Problem::kNoName:
      return "asks for a topology without its topologyName: it is not heeded";
    case Problem::kNoBinding:
      return fmt::format(
          "asks for the topology {}, and there is no ClusterTopologyBinding of that name: it is not heeded", topology_);
    case Problem::kNoDomains:
      return fmt::format("asks for {}, and the ClusterTopologyBinding {} has no such {}: {} not heeded",
                         fmt::join(unknown_, ", "), topology_, unknown_.size() == 1 ? "domain" : "domains",
                         unknown_.size() == 1 ? "it is" : "they are");
  }
  return {};
}

}  // namespace loadline::workloads
