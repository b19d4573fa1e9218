#include "objects/kube/core/namespace_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kNamespaceSpecFields[] = {
    known("finalizers", list_of(kString)),
};
constexpr Schema kNamespaceSpecSchema{"NamespaceSpec", kNamespaceSpecFields};

constexpr Field kNamespaceConditionFields[] = {
    known("lastTransitionTime", kTime),  known("message", kString),         known("reason", kString),
    known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kNamespaceConditionSchema{"NamespaceCondition", kNamespaceConditionFields};

constexpr Field kNamespaceStatusFields[] = {
    known("conditions", list_of(object(kNamespaceConditionSchema))),
    known("phase", kString),
};
constexpr Schema kNamespaceStatusSchema{"NamespaceStatus", kNamespaceStatusFields};

constexpr Field kNamespaceFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Namespace::metadata>("metadata", object(kObjectMetaSchema)),
    known("spec", object(kNamespaceSpecSchema)),
    known("status", object(kNamespaceStatusSchema)),
};
constinit const Schema kNamespaceSchema{"Namespace", kNamespaceFields};

}  // namespace loadline::kube
