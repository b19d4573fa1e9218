#include "objects/kube/kueue/admission_check_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kAdmissionCheckParametersFields[] = {
    field<&AdmissionCheckParameters::api_group>("apiGroup"),
    field<&AdmissionCheckParameters::kind>("kind"),
    field<&AdmissionCheckParameters::name>("name"),
};
constexpr Schema kAdmissionCheckParametersSchema{OfCustomKind{}, "AdmissionCheckParametersReference",
                                                 kAdmissionCheckParametersFields};

constexpr Field kAdmissionCheckSpecFields[] = {
    field<&AdmissionCheck::controller_name>("controllerName"),
    field<&AdmissionCheck::parameters>("parameters", kAdmissionCheckParametersSchema),
};
constexpr Schema kAdmissionCheckSpecSchema{OfCustomKind{}, "AdmissionCheckSpec", kAdmissionCheckSpecFields};

constexpr Field kAdmissionCheckStatusFields[] = {
    field<&AdmissionCheck::conditions>("conditions", kMetaConditionSchema)};
constexpr Schema kAdmissionCheckStatusSchema{OfCustomKind{}, "AdmissionCheckStatus", kAdmissionCheckStatusFields};

constexpr Field kAdmissionCheckFields[] = {
    field<&AdmissionCheck::metadata>("metadata", kObjectMetaSchema),
    part("spec", kAdmissionCheckSpecSchema),
    part("status", kAdmissionCheckStatusSchema),
};

}  // namespace

constinit const Schema kAdmissionCheckSchema{OfCustomKind{}, "AdmissionCheck", kAdmissionCheckFields};

}  // namespace loadline::kube
