#pragma once

#include "foundation/document/value.h"
#include "server/apiserver/body.h"
#include "server/apiserver/call.h"
#include "server/apiserver/parts.h"
#include "server/apiserver/request_info.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

// What the lines of the registry refer to.

Answer<Written> bind_pod(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> evict(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> finalize_namespace(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> scale(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> read_log(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
/// exec, attach and portforward.
Answer<Written> open_stream(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> proxy(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);

// Questions: nothing is stored.

Answer<Written> ask_self_subject_access(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_subject_access(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_local_subject_access(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_self_subject_rules(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_self_subject(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> ask_token(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);
Answer<Written> issue_token(const Parts& parts, Call& call, const RequestInfo& info, const Body& body);

// Parts of an object.

Answer<document::Value> narrow_to_ephemeral_containers(const Parts& parts, const Call& call, document::Value wanted,
                                                       const document::Value& old);
Answer<document::Value> narrow_to_resources(const Parts& parts, const Call& call, document::Value wanted,
                                            const document::Value& old);
Answer<document::Value> narrow_to_approval(const Parts& parts, const Call& call, document::Value wanted,
                                           const document::Value& old);

}  // namespace loadline::apiserver
