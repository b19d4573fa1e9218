#include "objects/kube/core/namespace_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kNamespaceFields[] = {
    field<&Namespace::metadata>("metadata", kObjectMetaSchema),
};
constinit const Schema kNamespaceSchema{"io.k8s.api.core.v1.Namespace", kNamespaceFields};

}  // namespace loadline::kube
