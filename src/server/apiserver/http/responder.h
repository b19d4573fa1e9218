#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/reads/rendering.h"
#include "server/apiserver/status.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// The headers of every answer: no caching, and the warnings as RFC 7234 writes them, each once.
net::Headers answer_headers(const std::vector<std::string>& warnings);

/// A Status that says no, in JSON, or in YAML if that is what the client accepts.
void respond_failure(net::Exchange& exchange, const StatusError& failure,
                     const std::vector<std::string>& warnings = {});

/// A text as it is.
void respond_text(net::Exchange& exchange, int status, std::string text,
                  std::string_view content_type = "text/plain; charset=utf-8");

}  // namespace loadline::apiserver
