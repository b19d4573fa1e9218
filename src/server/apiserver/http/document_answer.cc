#include "server/apiserver/http/document_answer.h"

#include <utility>

#include "foundation/document/writer.h"
#include "server/apiserver/http/headers.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/http/responder.h"

namespace loadline::apiserver {

void respond_with_document(net::Exchange& exchange, const RequestInfo& info, const document::Value& document) {
  const Answer<Representation> wanted = negotiate(
      header(exchange.request(), "Accept"), wants_pretty(info.query, header(exchange.request(), "User-Agent")), false);
  if (!wanted) return respond_failure(exchange, wanted.error());
  net::Headers headers = answer_headers({});
  const bool is_yaml = wanted->format == Format::kYaml;
  headers.add("Content-Type", is_yaml ? "application/yaml" : "application/json");
  const auto style =
      wanted->format == Format::kIndentedJson ? document::JsonStyle::kIndented : document::JsonStyle::kCompact;
  exchange.respond({200, std::move(headers),
                    is_yaml ? document::write_yaml(document) : document::write_json(document, style) + '\n'});
}

}  // namespace loadline::apiserver
