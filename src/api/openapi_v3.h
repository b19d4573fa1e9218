#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/catalog.h"
#include "document/value.h"

namespace loadline::api {

/// The OpenAPI 3.0 document of one version of a group: paths and schemas, without prose. Nothing if it is not served.
std::optional<document::Value> openapi_v3_document(const Catalog& catalog, std::string_view group,
                                                   std::string_view version);

/// What is served below /openapi/v3, made when asked for and kept until the catalog changes. A version whose text stays
/// the same keeps its hash, so that clients that have it on disk do not load it again. Not thread safe.
class OpenApiV3 {
 public:
  struct Document {
    std::shared_ptr<const std::string> text;
    std::string hash;
  };

  /// REQUIRES: the catalog outlives this.
  explicit OpenApiV3(const Catalog& catalog) : catalog_(catalog) {}

  /// GET /openapi/v3: {"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=…"}}}.
  /// Makes every document once (tens of milliseconds), since it names their hashes.
  std::shared_ptr<const std::string> index();

  /// GET /openapi/v3/PATH for the path "api/v1" or "apis/GROUP/VERSION"; nothing if there is none. To be answered with
  /// ETag, and, if the request names this hash, as never changing.
  std::optional<Document> document(std::string_view path);

 private:
  void drop_outdated();

  const Catalog& catalog_;
  std::uint64_t generation_ = 0;
  std::map<std::string, Document, std::less<>> documents_;
  std::shared_ptr<const std::string> index_;
};

}  // namespace loadline::api
