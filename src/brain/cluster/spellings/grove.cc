#include "brain/cluster/spellings/grove.h"

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

}  // namespace

GroupDescription describe(const kube::PodGang& gang, SymbolTable& symbols) {
  GroupDescription said;
  said.name_space = gang.metadata.namespace_;
  said.group = {GroupSpelling::kGrove, gang.metadata.name};
  said.uid = gang.metadata.uid;
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
  return said;
}

}  // namespace loadline::cluster::spellings
