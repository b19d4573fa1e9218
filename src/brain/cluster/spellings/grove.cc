#include "brain/cluster/spellings/grove.h"

#include <algorithm>
#include <utility>

#include "objects/kube/workload_names.h"

namespace loadline::cluster::spellings {
namespace {

TopologyWish wish_of(const kube::GrovePackConstraint& pack) {
  TopologyWish wish;
  wish.required = pack.required;
  wish.preferred = pack.preferred;
  return wish;
}

/// Groups that are near each other are parts of one subgroup. Of a group that is named twice, the first counts.
void add_shared_constraints(const kube::PodGang& gang, GroupRules& rules) {
  for (const kube::GroveSharedConstraint& shared : gang.shared_constraints) {
    SubGroup around;
    around.name = shared.name;
    around.topology = wish_of(shared.pack);
    for (const std::string& name : shared.groups) {
      const auto group = std::ranges::find(gang.groups, name, &kube::GrovePodGroup::name);
      if (group == gang.groups.end()) continue;
      SubGroup& part = rules.subgroups[static_cast<std::size_t>(group - gang.groups.begin())];
      if (!part.part_of) part.part_of = rules.subgroups.size();
    }
    rules.subgroups.push_back(std::move(around));
  }
}

}  // namespace

GroupDescription describe(const kube::PodGang& gang, SymbolTable& symbols) {
  GroupDescription said;
  said.name_space = gang.metadata.namespace_;
  said.group = {GroupSpelling::kGrove, gang.metadata.name};
  said.uid = gang.metadata.uid;
  said.rules.priority_class = gang.priority_class_name;
  said.rules.topology = wish_of(gang.pack);
  for (const kube::GrovePodGroup& written : gang.groups) {
    SubGroup part;
    part.name = written.name;
    part.min_count = written.min_replicas;
    part.selector = PodSelector::of_labels({{std::string(kube::kGrovePodClique), written.name}}, symbols);
    part.topology = wish_of(written.pack);
    said.min_count += written.min_replicas;
    said.rules.subgroups.push_back(std::move(part));
  }
  add_shared_constraints(gang, said.rules);
  return said;
}

}  // namespace loadline::cluster::spellings
