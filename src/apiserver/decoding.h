#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/catalog.h"
#include "api/type.h"
#include "apiserver/options.h"
#include "apiserver/served.h"
#include "apiserver/status.h"
#include "base/diagnostic.h"
#include "document/value.h"
#include "net/http.h"

namespace loadline::apiserver {

/// A body as it came, parsed but not yet held against any kind.
struct RawBody {
  document::Value document;
  Diagnostics duplicates;    ///< keys that came twice
  bool is_protobuf = false;  ///< then the document is canonical already
};

/// What decoding is about: the kind that a path expects.
struct Expected {
  api::GroupVersionKind kind;
  const api::Type* type = nullptr;  ///< null: taken as it is
};

/// Reads a body as JSON, YAML or protobuf, by its Content-Type. The words of failures are kube-apiserver's.
Answer<RawBody> read_body(const net::Request& request, const Expected& expected, const api::Catalog& catalog);

/// An object of the expected kind, conformed to its type; unknown and duplicate fields are ignored, warned of or
/// refused as `validation` says. Defaults are not set. Source: k8s.io/apiserver/pkg/endpoints/handlers/create.go,
/// v0.36.
Answer<document::Value> decode_object(const net::Request& request, const Expected& expected,
                                      const api::Catalog& catalog, FieldValidation validation,
                                      std::vector<std::string>& warnings);

/// Conforms what a patch made of an object. `strict` is what strict decoding found in the patch itself.
Answer<document::Value> conform_patched(const document::Value& patched, const api::Type* type,
                                        FieldValidation validation, std::vector<std::string> strict,
                                        std::vector<std::string>& warnings);

/// The options of a deletion: from the body if there is one, else from the query.
Answer<DeleteOptions> delete_options_of(const net::Request& request, const Query& query, const api::Catalog& catalog);

/// The object with the defaults of its kind.
document::Value with_defaults(document::Value object, const api::Resource& resource);

}  // namespace loadline::apiserver
