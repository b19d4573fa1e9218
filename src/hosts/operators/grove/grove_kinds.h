#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hosts/watching/caches.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/grove/pod_gang.h"

namespace loadline::operators {

using kube::PodGang;

/// A label; empty if the object does not have it.
[[nodiscard]] std::string_view label_of(const kube::ObjectMeta& metadata, std::string_view name);
/// Whether a PodClique, scaling group or pod was made by Grove.
[[nodiscard]] bool is_of_grove(const kube::ObjectMeta& metadata);
/// The number in a label; nothing: there is none.
[[nodiscard]] std::optional<std::int64_t> index_of(const kube::ObjectMeta& metadata, std::string_view label);

/// The set that the object was made for, by its label; null: it is gone, or being deleted.
[[nodiscard]] watching::ObjectPtr<kube::PodCliqueSet> set_of(const watching::Caches& caches,
                                                             const kube::ObjectMeta& metadata);

/// Visits the PodCliques of the set, those of its scaling groups, too.
template <class Visit>
void for_each_clique_of(const watching::Caches& caches, std::string_view set_uid, Visit visit) {
  for (const auto& [key, clique] : caches.of<kube::PodClique>().controlled_by(set_uid)) visit(*clique);
  for (const auto& [key, group] : caches.of<kube::PodCliqueScalingGroup>().controlled_by(set_uid)) {
    for (const auto& [of_group, clique] : caches.of<kube::PodClique>().controlled_by(group->metadata().uid)) {
      visit(*clique);
    }
  }
}

/// What PodCliques and scaling groups want to know of a change of their set: its templates, and what it updates.
[[nodiscard]] bool concerns_cliques(const watching::Change<kube::PodCliqueSet>& change);

}  // namespace loadline::operators
