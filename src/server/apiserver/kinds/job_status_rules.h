#pragma once

#include "server/apiserver/kinds/checked_field.h"

namespace loadline::apiserver {

/// What a change of a job's status must keep. Source: ValidateJobUpdateStatus, with the options of
/// getStatusValidationOptions in pkg/registry/batch/job, v1.36.
void check_job_status(const CheckedField& object, const CheckedField& old);

}  // namespace loadline::apiserver
