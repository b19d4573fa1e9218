#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/operators/grove/set_templates.h"
#include "hosts/watching/caches.h"
#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::operators {

/// How the replicas of a PodCliqueSet are.
class SetReplicas {
 public:
  struct Replica {
    std::int64_t index = 0;
    bool is_whole = true;      ///< its PodCliques and scaling groups are there
    bool is_available = true;  ///< and as many of their pods and replicas as they need
    std::int32_t updated_cliques = 0;
    std::int32_t updated_groups = 0;
    bool is_updated = false;       ///< all are of the set's templates
    std::int64_t scheduled = 0;    ///< pods
    std::optional<Duration> left;  ///< until it is given up; nothing: nothing is missing
  };

  /// Of the first `looked_at` replicas. `set_hash`: of the set's templates.
  SetReplicas(const watching::Observed<kube::PodCliqueSet>& set, const watching::Caches& caches,
              const SetTemplates& templates, std::string_view set_hash, std::int64_t looked_at, Instant now);

  [[nodiscard]] const std::vector<Replica>& all() const { return replicas_; }
  [[nodiscard]] std::int32_t cliques() const { return cliques_; }  ///< of a replica, not of its scaling groups
  [[nodiscard]] std::int32_t groups() const { return groups_; }

  /// Which replica is led to the set's templates next: those without pods first, then those that lack some. Null: none
  /// is left but `current`.
  [[nodiscard]] const Replica* next_to_update(std::optional<std::int64_t> current) const;

 private:
  std::int32_t cliques_ = 0;
  std::int32_t groups_ = 0;
  std::vector<Replica> replicas_;
};

}  // namespace loadline::operators
