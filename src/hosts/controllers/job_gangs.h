#pragma once

#include <optional>
#include <string>

#include "brain/workloads/job_gang.h"
#include "hosts/controllers/controller.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {

/// Makes the Workloads and PodGroups of Jobs whose pods start together (brain/workloads/job_gang.h), for the Job
/// controller, which asks it before it makes pods.
class JobGangs {
 public:
  /// Changes of Workloads and PodGroups concern their Jobs.
  void subscribe(Subscriptions& to);

  struct Answer {
    std::optional<Action> first;  ///< is to be done before there are pods; then ask again
    std::string pod_group;        ///< that the Job's pods name; empty: none
  };
  [[nodiscard]] Answer ask(const Observed<kube::Job>& job, bool has_pods) const;

 private:
  workloads::GangIndex index_;
};

}  // namespace loadline::controllers
