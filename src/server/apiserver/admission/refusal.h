#pragma once

#include <string_view>

#include "brain/admission/rejection.h"
#include "foundation/document/value.h"
#include "server/apiserver/call.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// What an admission plugin answers about an object: `pods "web-0" is forbidden: …`. An object whose name is yet to be
/// generated is called by its generateName.
StatusError refusal(const Call& call, const document::Value& object, std::string_view why);
StatusError refusal(const Call& call, const document::Value& object, const admission::Rejection& rejection);

}  // namespace loadline::apiserver
