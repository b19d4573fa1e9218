#pragma once

#include "foundation/document/value.h"
#include "server/apiserver/bodies/body.h"
#include "server/apiserver/call.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

// What the lines of the registry refer to.

Answer<Written> bind_pod(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> evict(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> finalize_namespace(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> scale(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> read_log(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
/// exec, attach and portforward.
Answer<Written> open_stream(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> proxy(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);

// Reviews and token requests: nothing is stored.

Answer<Written> ask_self_subject_access(const ServerContext& context, Call& call, const RequestInfo& info,
                                        const Body& body);
Answer<Written> ask_subject_access(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_local_subject_access(const ServerContext& context, Call& call, const RequestInfo& info,
                                         const Body& body);
Answer<Written> ask_self_subject_rules(const ServerContext& context, Call& call, const RequestInfo& info,
                                       const Body& body);
Answer<Written> ask_self_subject(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_token(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> issue_token(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body);

// Subresources that are a part of their object.

Answer<document::Value> narrow_to_ephemeral_containers(const ServerContext& context, const Call& call,
                                                       const document::Value& wanted, const document::Value& old);
Answer<document::Value> narrow_to_resources(const ServerContext& context, const Call& call,
                                            const document::Value& wanted, const document::Value& old);
Answer<document::Value> narrow_to_approval(const ServerContext& context, const Call& call,
                                           const document::Value& wanted, const document::Value& old);

}  // namespace loadline::apiserver
