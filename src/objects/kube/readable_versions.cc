#include "objects/kube/readable_versions.h"

#include "objects/kube/retired_kinds.h"
#include "objects/kube/scheduling/newer_pod_group.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"
#include "objects/kube/scheduling/workload_reference.h"

namespace loadline::kube {

std::vector<std::string_view> readable_versions(const KindInfo& info) {
  std::vector<std::string_view> versions;
  for (const KindInfo& each : known_kinds()) {
    if (each.number == info.number) versions.push_back(each.api_version);
  }
  if (info.number == kind_number<PodGroup>()) {
    versions.insert(versions.end(), kNewerPodGroupVersions.begin(), kNewerPodGroupVersions.end());
  }
  if (info.number == kind_number<Workload>()) versions.push_back(kOlderWorkloadVersion);
  const std::size_t current = versions.size();
  for (std::size_t i = 0; i < current; ++i) {
    for (const std::string_view retired : retired_versions(versions[i], info.kind)) versions.push_back(retired);
  }
  return versions;
}

}  // namespace loadline::kube
