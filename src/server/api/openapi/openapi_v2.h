#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

/// The OpenAPI 2.0 document of everything that is served: paths and definitions, without prose.
document::Value openapi_v2_document(const schema::Catalog& catalog);

/// What is served at /openapi/v2, made when first asked for and kept until the catalog changes (about 100 ms, and the
/// memory of both texts: only kubectl before 1.29 asks). Not thread safe.
class OpenApiV2 {
 public:
  /// REQUIRES: the catalog outlives this.
  explicit OpenApiV2(const schema::Catalog& catalog) : catalog_(catalog) {}

  std::shared_ptr<const std::string> json();

  /// The message openapi.v2.Document. Its Content-Type is kProtobuf, whatever spelling the client accepted.
  std::shared_ptr<const std::string> protobuf();

  static constexpr const char* kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

 private:
  void drop_outdated();

  const schema::Catalog& catalog_;
  std::uint64_t generation_ = 0;
  std::shared_ptr<const std::string> json_;
  std::shared_ptr<const std::string> protobuf_;
};

}  // namespace loadline::api
