#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// A PodGroup that says of which template of a Workload it was made is refused unless there is such a template.
/// Source: plugin/pkg/admission/podgroup, v1.36.
class PodGroupWorkloadExists final : public AdmissionPlugin {
 public:
  explicit PodGroupWorkloadExists(const store::Store& store) : store_(store) {}

  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  const store::Store& store_;
};

/// The parallelism of a Job stays as it is while its pods start together: the group would wait for another number.
/// Source: plugin/pkg/admission/job, v1.36.
class JobValidation final : public AdmissionPlugin {
 public:
  explicit JobValidation(const store::Store& store) : store_(store) {}

  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
