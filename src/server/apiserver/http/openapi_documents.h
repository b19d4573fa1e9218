#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/api/openapi/openapi_v2.h"
#include "server/api/openapi/openapi_v3.h"
#include "server/apiserver/http/request_info.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Answers /openapi/v2 and /openapi/v3, compressed for clients that take it, and with what lets them keep it on disk.
class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(const schema::Catalog& catalog) : v2_(catalog), v3_(catalog) {}

  /// True if there is such a document; it was answered.
  bool handle(net::Exchange& exchange, const RequestInfo& info);

 private:
  using Text = std::shared_ptr<const std::string>;

  void answer_v2(net::Exchange& exchange);
  bool answer_v3(net::Exchange& exchange, const RequestInfo& info);
  /// `tag` is the ETag, quoted; `is_immutable`: the request names the very hash.
  void respond(net::Exchange& exchange, const Text& text, const std::string& tag, std::string_view content_type,
               bool is_immutable);
  const Text& compressed(const Text& text, const std::string& tag);

  api::OpenApiV2 v2_;
  api::OpenApiV3 v3_;
  std::map<std::string, Text> compressed_;  // by tag
};

}  // namespace loadline::apiserver
