#pragma once

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// What names objects of that resource may have: DNS subdomains, unless upstream's validation says otherwise.
kube::NameRule name_rule_of(const schema::Resource& resource);

/// ValidateObjectMeta, of any kind. `old` is the object as it is stored, if it is: what that has, too, was judged when
/// it was written, and labels and annotations are not judged again for each change of a status.
kube::FieldErrors metadata_errors(const document::Value& object, const schema::Resource& resource,
                                  const document::Value* old = nullptr);

/// ValidateObjectMetaUpdate: what of the metadata may not change.
kube::FieldErrors metadata_update_errors(const document::Value& object, const document::Value& old);

}  // namespace loadline::apiserver
