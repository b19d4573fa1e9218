#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "brain/cluster/cluster.h"
#include "foundation/base/result.h"
#include "objects/kube/core/pod.h"

namespace loadline::placement {

/// A pod's use of a PersistentVolumeClaim.
struct ClaimUse {
  std::string name;
  bool ephemeral = false;  ///< made for the pod alone
};

/// The claim behind the volume of a pod of that name; nullopt: the volume has none.
std::optional<ClaimUse> claim_of(const kube::Volume& volume, std::string_view pod_name);

/// Whether any of the pod's volumes can keep it from a node; those made from the node's own disk or the API cannot.
bool uses_storage(const kube::PodSpec& spec);

/// The claim of an ephemeral volume must be the pod's own: a claim of the same name that is not controlled by the pod
/// is an error, in upstream's words. Owners are compared by name, since manifests have no uids.
std::optional<Error> check_owner(const kube::PersistentVolumeClaim& claim, std::string_view name_space,
                                 std::string_view pod_name);

/// What the framework makes of a filter's error: the sentence that the pod's condition shows.
std::string filter_error(std::string_view plugin, std::string_view error);

/// `persistentvolumeclaim "data" not found`, as an API client says it.
std::string not_found(std::string_view kind, std::string_view name);

}  // namespace loadline::placement
