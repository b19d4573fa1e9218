#pragma once

#include <string_view>

#include "server/apiserver/bodies/body.h"
#include "server/apiserver/call.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// What is special about a subresource; without a name, about creating objects of a resource that keeps none (reviews).
struct SubresourceHandler {
  std::string_view group_resource;  ///< empty: of any resource that has it
  std::string_view name;

  /// One that is more than a part of its object: what `POST pods/NAME/binding` does. Answers with an object, a Status
  /// or a text; `Written::is_status` marks whatever is no object of the resource (a Scale, a token).
  Answer<Written> (*handle)(const ServerContext& context, Call& call, const RequestInfo& info,
                            const Body& body) = nullptr;

  /// One that is a part of its object, with get, update and patch: of what a request wants the object to be, what it
  /// may change here, or a refusal. The rules of the whole object are not asked.
  Answer<document::Value> (*narrow)(const ServerContext& context, const Call& call, const document::Value& wanted,
                                    const document::Value& old) = nullptr;
};

/// The handler of that subresource; null: nothing is special about it (`status`).
const SubresourceHandler* find_subresource_handler(const schema::Resource& resource, std::string_view name);

/// What `wanted` comes to at the subresource of the call, if it is a part of its object with rules of its own.
Answer<document::Value> narrowed(const ServerContext& context, const Call& call, document::Value wanted,
                                 const document::Value& old);

}  // namespace loadline::apiserver
