#include "objects/kube/scheduling/workload_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/scheduling/pod_group_schema.h"

namespace loadline::kube {

constexpr Field kTemplateFields[] = {
    field<&PodGroupTemplate::name>("name"),
    field<&PodGroupTemplate::policy>("schedulingPolicy", kPodGroupPolicySchema),
};
constexpr Schema kTemplateSchema{"io.k8s.api.scheduling.v1alpha2.PodGroupTemplate", kTemplateFields};

constexpr Field kControllerFields[] = {
    field<&Workload::Controller::api_group>("apiGroup"),
    field<&Workload::Controller::kind>("kind"),
    field<&Workload::Controller::name>("name"),
};
constexpr Schema kControllerSchema{"io.k8s.api.scheduling.v1alpha2.TypedLocalObjectReference", kControllerFields};

constexpr Field kWorkloadSpecFields[] = {
    field<&Workload::controller>("controllerRef", kControllerSchema),
    field<&Workload::templates>("podGroupTemplates", kTemplateSchema),
};
constexpr Schema kWorkloadSpecSchema{"io.k8s.api.scheduling.v1alpha2.WorkloadSpec", kWorkloadSpecFields};

constexpr Field kWorkloadFields[] = {
    field<&Workload::metadata>("metadata", kObjectMetaSchema),
    part("spec", kWorkloadSpecSchema),
};
constinit const Schema kWorkloadSchema{"io.k8s.api.scheduling.v1alpha2.Workload", kWorkloadFields};

}  // namespace loadline::kube
