#pragma once

#include "hosts/watching/kind_name.h"
#include "objects/kube/meta.h"

namespace loadline::watching {

/// A kind of whose objects controllers read nothing but metadata as a struct; the rest is in the document.
struct Plain {
  kube::ObjectMeta metadata;
};

struct ControllerRevision : Plain {
  static constexpr KindName kName{"apps", "v1", "ControllerRevision", "controllerrevisions"};
};
struct Endpoints : Plain {
  static constexpr KindName kName{"", "v1", "Endpoints", "endpoints"};
};
struct EndpointSlice : Plain {
  static constexpr KindName kName{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"};
};
struct HorizontalPodAutoscaler : Plain {
  static constexpr KindName kName{"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"};
};
struct Lease : Plain {
  static constexpr KindName kName{"coordination.k8s.io", "v1", "Lease", "leases"};
};
struct Role : Plain {
  static constexpr KindName kName{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
};
struct RoleBinding : Plain {
  static constexpr KindName kName{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"};
};
struct Secret : Plain {
  static constexpr KindName kName{"", "v1", "Secret", "secrets"};
};
struct VolumeAttributesClass : Plain {
  static constexpr KindName kName{"storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses"};
};
/// KWOK's: src/hosts/kubelet/stages.h.
struct Stage : Plain {
  static constexpr KindName kName{"kwok.x-k8s.io", "v1alpha1", "Stage", "stages"};
};

}  // namespace loadline::watching
