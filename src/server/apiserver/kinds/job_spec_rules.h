#pragma once

#include "server/apiserver/kinds/checked_field.h"

namespace loadline::apiserver {

/// What upstream asks of a job's specification beyond what the typed tables know: limits, policies, managedBy.
/// Source: validateJobSpec in pkg/apis/batch/validation, v1.36.
void check_job_spec(const CheckedField& spec);

/// What of a job's specification may not change; its template may in parts, while it is suspended.
/// Source: ValidateJobSpecUpdate, v1.36.
void check_job_spec_change(const CheckedField& object, const CheckedField& old);

/// Is there a condition of that type that says True?
bool has_condition(const CheckedField& object, std::string_view type, std::string_view status = "True");

}  // namespace loadline::apiserver
