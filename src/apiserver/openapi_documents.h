#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "api/catalog.h"
#include "apiserver/request_info.h"
#include "net/exchange.h"

namespace loadline::apiserver {

/// Answers /openapi/v2 and /openapi/v3: documents made when first asked for, kept until the catalog changes, sent
/// compressed to clients that take it.
class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(const api::Catalog& catalog) : catalog_(catalog) {}

  /// True if there is such a document; it was answered.
  bool handle(net::Exchange& exchange, const RequestInfo& info);

 private:
  struct Text {
    std::string body;
    std::string compressed;
    std::string tag;
    std::string content_type;
  };

  const Text* find(const std::string& name);
  void respond(net::Exchange& exchange, const Text& text, const RequestInfo& info) const;

  const api::Catalog& catalog_;
  std::uint64_t generation_ = 0;
  std::map<std::string, Text> texts_;
};

}  // namespace loadline::apiserver
