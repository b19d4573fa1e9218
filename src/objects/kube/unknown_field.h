#pragma once

#include "foundation/document/value.h"
#include "objects/kube/decoder.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

/// Reports a field that the object has no row for, in the words of upstream's strict decoder. The hint names the
/// field that was probably meant: the nearest name here, or the same name in an enclosing object (too much
/// indentation) or in an object below (too little).
void report_unknown_field(Decoder& decoder, const document::Member& member, const Path& path, const Schema& schema);

}  // namespace loadline::kube
