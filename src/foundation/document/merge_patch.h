#pragma once

#include "foundation/document/patch_error.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// Applies a JSON merge patch (RFC 7386): null deletes a member, objects merge, everything else replaces.
/// As kube-apiserver does it (evanphx/json-patch v4): nulls within a new object vanish, also those of objects in lists,
/// but a list that replaces an object keeps them. A patch that is no object is malformed, in the words of the strict
/// decoder that fieldValidation Warn and Strict use. Members keep the document's order; new ones follow in the patch's.
/// REQUIRES: `document` is an object.
PatchResult merge_patch(const Value& document, const Value& patch);

}  // namespace loadline::document
