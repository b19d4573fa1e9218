#include "server/apiserver/http/openapi_documents.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "foundation/document/gzip.h"
#include "server/api/discovery.h"
#include "server/apiserver/http/headers.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kV3 = "/openapi/v3";
constexpr std::size_t kWorthCompressing = std::size_t{16} * 1024;
constexpr std::size_t kMostKept = 256;  // compressed documents; catalogs change, and old ones are asked for no more

}  // namespace

bool OpenApiDocuments::handle(net::Exchange& exchange, const RequestInfo& info) {
  if (info.path == "/openapi/v2") {
    answer_v2(exchange);
    return true;
  }
  return info.path.starts_with(kV3) && answer_v3(exchange, info);
}

/// JSON only for clients that ask for it: old clients of Go take nothing but the message.
void OpenApiDocuments::answer_v2(net::Exchange& exchange) {
  const std::string_view accept = header(exchange.request(), "Accept");
  const bool is_message = accept.find("proto-openapi") != std::string_view::npos;
  const Text text = is_message ? v2_.protobuf() : v2_.json();
  respond(exchange, text, api::entity_tag(*text), is_message ? api::OpenApiV2::kProtobuf : "application/json", false);
}

bool OpenApiDocuments::answer_v3(net::Exchange& exchange, const RequestInfo& info) {
  if (info.path == kV3) {
    const Text index = v3_.index();
    // The type is upstream's, although it is JSON.
    respond(exchange, index, api::entity_tag(*index), "text/plain; charset=utf-8", false);
    return true;
  }
  if (!info.path.starts_with(std::string(kV3) + "/")) return false;
  const std::optional<api::OpenApiV3::Document> document = v3_.document(info.path.substr(kV3.size() + 1));
  if (!document) {
    exchange.respond({404, {{"Cache-Control", "no-cache, private"}}, {}});
    return true;
  }
  const bool is_immutable = !info.query.get("hash").empty() && info.query.get("hash") == document->hash;
  respond(exchange, document->text, fmt::format("\"{}\"", document->hash), "application/json", is_immutable);
  return true;
}

void OpenApiDocuments::respond(net::Exchange& exchange, const Text& text, const std::string& tag,
                               std::string_view content_type, bool is_immutable) {
  net::Headers headers{{"ETag", tag}, {"Vary", "Accept-Encoding"}, {"Vary", "Accept"}};
  headers.add("Cache-Control", is_immutable ? "public, immutable, max-age=31536000" : "no-cache, private");
  headers.add("Content-Type", std::string(content_type));
  if (header(exchange.request(), "If-None-Match") == tag) return exchange.respond({304, std::move(headers), {}});
  const bool takes_gzip = header(exchange.request(), "Accept-Encoding").find("gzip") != std::string_view::npos;
  if (!takes_gzip || text->size() < kWorthCompressing) return exchange.respond({200, std::move(headers), *text});
  headers.add("Content-Encoding", "gzip");
  exchange.respond({200, std::move(headers), *compressed(text, tag)});
}

const OpenApiDocuments::Text& OpenApiDocuments::compressed(const Text& text, const std::string& tag) {
  if (compressed_.size() > kMostKept) compressed_.clear();
  Text& kept = compressed_[tag];
  if (kept == nullptr) kept = std::make_shared<const std::string>(document::compress_gzip(*text));
  return kept;
}

}  // namespace loadline::apiserver
