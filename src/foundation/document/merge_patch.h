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

/// The merge patch that makes `after` of `before`: an empty object if they are the same document. Lists that differ are
/// in it as a whole. What is null in `after` is as good as absent. O(size), and O(1) for what they share.
/// REQUIRES: both are objects.
Value merge_patch_between(const Value& before, const Value& after);

}  // namespace loadline::document
