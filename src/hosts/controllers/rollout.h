#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/replica_status.h"
#include "objects/kube/meta.h"

namespace loadline::controllers {

/// The numbers that a rollout keeps to. Both 0 by rounding: one may be unavailable, or nothing would move.
struct Fenceposts {
  std::int32_t surge = 0;        ///< so many more pods than replicas may there be; rounded up
  std::int32_t unavailable = 0;  ///< so many fewer than replicas may be available; rounded down
};
Fenceposts fenceposts(const kube::IntOrString& max_surge, const kube::IntOrString& max_unavailable,
                      std::int32_t replicas);

enum class Rounding : std::uint8_t { kUp, kDown };
/// The number, or that percentage of the total; 0 for text that is neither.
std::int32_t scaled_value(const kube::IntOrString& value, std::int32_t total, Rounding rounding);

/// A ReplicaSet of a Deployment on its way to what it should be.
struct Part {
  const Observed<kube::ReplicaSet>* object = nullptr;  ///< null: it has to be created
  std::string name;
  std::int32_t replicas = 0;
  std::int32_t min_ready_seconds = 0;
  kube::StringMap annotations;
  kube::ReplicaSetStatus status;

  /// What it wants now, before anything is changed.
  [[nodiscard]] std::int32_t wanted() const { return object == nullptr ? replicas : object->view.replicas; }
};

/// Sizes the ReplicaSets of a Deployment: one for its current template, and those of older ones, oldest first.
/// Nothing but `replicas` and annotations of the parts is changed.
/// Source: pkg/controller/deployment/{sync,rolling,recreate}.go, v1.36.
class Rollout {
 public:
  explicit Rollout(const kube::Deployment& deployment) : deployment_(deployment) {}

  std::optional<Part> newest;
  std::vector<Part> old;

  [[nodiscard]] std::int32_t max_surge() const;
  [[nodiscard]] std::int32_t with_surge() const;  ///< the replicas, and those by which a rollout may go ahead
  [[nodiscard]] std::int32_t max_unavailable() const;
  /// What the newest may have when it is created: as many as fit below replicas and surge.
  [[nodiscard]] std::int32_t first_size() const;

  /// Whether spec.replicas has changed since the parts were sized.
  [[nodiscard]] bool is_being_scaled() const;
  /// Gives every part its share of a new number of replicas.
  void scale();

  /// A step of a rolling update: up with the newest, or else down with the old, first with what is not available there.
  /// True if anything is sized anew. REQUIRES: there is a newest.
  bool roll();

  /// Down with all that is old. True if anything is sized anew.
  bool scale_down_old();
  /// The newest gets all replicas. REQUIRES: there is a newest.
  void scale_up_newest();

 private:
  [[nodiscard]] std::vector<Part*> active();
  [[nodiscard]] std::int32_t total() const;
  bool resize(Part& part, std::int32_t size);
  Part* only_active_or_latest();
  [[nodiscard]] bool is_saturated() const;
  void scale_proportionally();
  [[nodiscard]] std::int32_t share(const Part& part, std::int32_t to_add, std::int32_t added) const;
  std::int32_t give_up_unhealthy(std::int32_t most);
  std::int32_t give_up_old();

  const kube::Deployment& deployment_;
};

}  // namespace loadline::controllers
