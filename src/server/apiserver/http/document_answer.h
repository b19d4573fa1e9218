#pragma once

#include "foundation/document/value.h"
#include "server/apiserver/http/request_info.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Answers with a document of an API that is none of the store's: as JSON or YAML, whatever the client accepts.
void respond_with_document(net::Exchange& exchange, const RequestInfo& info, const document::Value& document);

}  // namespace loadline::apiserver
