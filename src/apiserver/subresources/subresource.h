#pragma once

#include <string_view>

#include "apiserver/call.h"
#include "apiserver/parts.h"
#include "apiserver/request_info.h"
#include "apiserver/status.h"
#include "net/http.h"

namespace loadline::apiserver {

/// A subresource that is more than a part of its object: what `POST pods/NAME/binding` does. Answers with an object or
/// a Status; `Written::is_status` marks whatever is no object of the resource (a Scale, a token).
struct SubresourceHandler {
  std::string_view group_resource;  ///< empty: of any resource that has it
  std::string_view name;
  Answer<Written> (*handle)(Parts& parts, Call& call, const RequestInfo& info, const net::Request& request);
};

/// The handler of that subresource; null: get, update and patch of a part of the object (`status`).
const SubresourceHandler* find_subresource_handler(const api::Resource& resource, std::string_view name);

}  // namespace loadline::apiserver
