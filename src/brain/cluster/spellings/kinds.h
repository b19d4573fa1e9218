#pragma once

#include "brain/cluster/spellings/coscheduling.h"
#include "brain/cluster/spellings/grove.h"
#include "brain/cluster/spellings/kai.h"
#include "brain/cluster/spellings/kubernetes.h"
#include "brain/cluster/spellings/volcano.h"

namespace loadline::cluster::spellings {

/// In whose words an object of the kind describes a group.
template <class Kind>
inline constexpr GroupSpelling kSpellingOf = GroupSpelling::kKubernetes;
template <>
inline constexpr GroupSpelling kSpellingOf<kube::CoschedulingPodGroup> = GroupSpelling::kCoscheduling;
template <>
inline constexpr GroupSpelling kSpellingOf<kube::VolcanoPodGroup> = GroupSpelling::kVolcano;
template <>
inline constexpr GroupSpelling kSpellingOf<kube::KaiPodGroup> = GroupSpelling::kKai;
template <>
inline constexpr GroupSpelling kSpellingOf<kube::PodGang> = GroupSpelling::kGrove;

/// Visits every kind whose objects describe groups: `act.template operator()<kube::PodGroup>()`, …, in the order of
/// GroupSpelling.
template <class Act>
void for_each_group_kind(Act act) {
  const auto act_on_each = [&]<class... Kinds>() { (act.template operator()<Kinds>(), ...); };
  act_on_each.template
  operator()<kube::PodGroup, kube::CoschedulingPodGroup, kube::VolcanoPodGroup, kube::KaiPodGroup, kube::PodGang>();
}

}  // namespace loadline::cluster::spellings
