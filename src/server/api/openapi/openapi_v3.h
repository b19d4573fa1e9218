#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

/// The OpenAPI 3.0 document of one version of a group: paths and schemas, without prose. Nothing if it is not served.
std::optional<document::Value> openapi_v3_document(const schema::Catalog& catalog, std::string_view group,
                                                   std::string_view version);

/// What is served below /openapi/v3. Each document has a hash that follows from what it is made of, so that it can be
/// named without being made; documents are made when asked for, and kept while their hash stays the same. Clients keep
/// them on disk by that hash, too. Not thread safe.
class OpenApiV3 {
 public:
  struct Document {
    std::shared_ptr<const std::string> text;
    std::string hash;
  };

  /// REQUIRES: the catalog outlives this.
  explicit OpenApiV3(const schema::Catalog& catalog);

  /// GET /openapi/v3: {"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=…"}}}.
  /// O(what changed in the catalog), and once the size of all custom schemas.
  std::shared_ptr<const std::string> index();

  /// GET /openapi/v3/PATH for the path "api/v1" or "apis/GROUP/VERSION"; nothing if there is none. To be answered with
  /// the hash as ETag, and, if the request names this hash, as never changing.
  std::optional<Document> document(std::string_view path);

 private:
  std::string hash_of(std::string_view group, std::string_view version);
  const std::string& mark_of(const std::shared_ptr<const schema::Resource>& resource);
  void forget_removed();

  const schema::Catalog& catalog_;
  std::string tables_;  // fingerprint of what all documents are made of
  std::uint64_t indexed_ = 0;
  std::shared_ptr<const std::string> index_;  // of generation `indexed_`
  std::map<std::string, Document, std::less<>> documents_;
  std::map<std::shared_ptr<const schema::Resource>, std::string> marks_;  // fingerprints of resources
};

}  // namespace loadline::api
