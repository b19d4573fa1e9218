#pragma once

#include "foundation/document/patch_error.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"

namespace loadline::api {

/// Applies a strategic merge patch: a merge patch in which lists of fields that say so merge by key, with directives
/// ($patch, $retainKeys, $deleteFromPrimitiveList/f, $setElementOrder/f). Example: on containers [{name: a, image: x}]
/// the patch {containers: [{name: b}, {name: a, image: y}]} gives [{name: b}, {name: a, image: y}].
///
/// `original` must be a document of the type, as an API server decodes it; the result still needs to be decoded, since
/// a patch may bring fields that the type does not know (unprocessed directives among them). Errors as kube-apiserver
/// tells them: malformed directives are 400, lists of lists 422, everything else 500. REQUIRES: `original` is an
/// object. Cost: O(size), but O(deleted * elements) for lists with "$patch: delete". Source: apimachinery v0.36,
/// pkg/util/strategicpatch.
document::PatchResult strategic_merge(const document::Value& original, const document::Value& patch,
                                      const schema::Type& type);

}  // namespace loadline::api
