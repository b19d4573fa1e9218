#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod_defaults.h"
#include "objects/kube/defaults.h"

namespace loadline::kube {
namespace {

constexpr std::int32_t kRevisionHistoryLimit = 10;
constexpr std::int32_t kProgressDeadlineSeconds = 600;
constexpr std::string_view kRollingUpdate = "RollingUpdate";

/// A StatefulSet that names the type and no parameters gets no parameters.
void set_update_strategy(StatefulSet& stateful_set) {
  const bool is_new = stateful_set.update_strategy.empty();
  if (is_new) stateful_set.update_strategy = kRollingUpdate;
  if (stateful_set.update_strategy != kRollingUpdate || stateful_set.partition) return;
  if (is_new || stateful_set.max_unavailable) stateful_set.partition = 0;
}

}  // namespace

void set_defaults(Deployment& deployment) {
  if (!deployment.recreate) {
    if (!deployment.max_unavailable) deployment.max_unavailable = IntOrString{std::nullopt, "25%"};
    if (!deployment.max_surge) deployment.max_surge = IntOrString{std::nullopt, "25%"};
  }
  if (!deployment.revision_history_limit) deployment.revision_history_limit = kRevisionHistoryLimit;
  if (!deployment.progress_deadline_seconds) deployment.progress_deadline_seconds = kProgressDeadlineSeconds;
  set_defaults(deployment.template_);
}

void set_defaults(ReplicaSet& replica_set) { set_defaults(replica_set.template_); }

void set_defaults(StatefulSet& stateful_set) {
  set_update_strategy(stateful_set);
  if (!stateful_set.revision_history_limit) stateful_set.revision_history_limit = kRevisionHistoryLimit;
  if (stateful_set.claims_when_deleted.empty()) stateful_set.claims_when_deleted = "Retain";
  if (stateful_set.claims_when_scaled.empty()) stateful_set.claims_when_scaled = "Retain";
  set_defaults(stateful_set.template_);
  for (PersistentVolumeClaimTemplate& claim : stateful_set.volume_claim_templates) set_defaults(claim.spec);
}

void set_defaults(DaemonSet& daemon_set) {
  if (daemon_set.update_strategy.empty()) daemon_set.update_strategy = kRollingUpdate;
  if (daemon_set.update_strategy == kRollingUpdate) {
    if (!daemon_set.max_unavailable) daemon_set.max_unavailable = IntOrString{1, ""};
    if (!daemon_set.max_surge) daemon_set.max_surge = IntOrString{0, ""};
  }
  if (!daemon_set.revision_history_limit) daemon_set.revision_history_limit = kRevisionHistoryLimit;
  set_defaults(daemon_set.template_);
}

}  // namespace loadline::kube
