#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "objects/schema/type.h"
#include "server/api/defaults/defaults.h"
#include "server/apiserver/bodies/body.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/conversion/other_versions.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// A body as it came, parsed but not yet held against any kind.
struct RawBody {
  document::Value document;
  Diagnostics duplicates = {};                    ///< keys that came twice in JSON
  std::vector<std::string> equal_yaml_keys = {};  ///< those that came twice in YAML, in go-yaml's words
  bool is_protobuf = false;                       ///< then the document is canonical already
};

/// What decoding is about: the kind that a path expects.
struct Expected {
  schema::GroupVersionKind kind;
  const schema::Type* type = nullptr;  ///< null: taken as it is
  const KeptFields* kept = nullptr;    ///< of the object that is replaced; null: none
};

/// What a patch made of an object.
struct PatchedObject {
  const document::Value& value;
  /// The object before, as it is kept; what is shared with it is not looked at again. Null: everything is looked at.
  const document::Value* before = nullptr;
  /// Shows the patch, if it is one that upstream does not turn to JSON for: what is wrong is said about it. Null: it is
  /// said about the whole object.
  std::function<document::Value()> strategic = {};
  const KeptFields* kept = nullptr;  ///< of the object before; null: none
};

/// Makes documents of what clients send, and brings them into the form in which objects are kept.
class Bodies {
 public:
  /// REQUIRES: the catalog outlives this, and has all built-in resources already.
  explicit Bodies(const schema::Catalog& catalog);

  [[nodiscard]] const schema::Catalog& catalog() const { return catalog_; }
  /// A built-in kind that is no resource, to be expected in a body: "v1 Binding".
  [[nodiscard]] Expected expected(std::string_view group, std::string_view version, std::string_view kind) const;

  /// An object of the expected kind, conformed to its type; unknown and duplicate fields are ignored, warned of or
  /// refused as `validation` says. Defaults are not set (but for custom resources, which have theirs in their schema).
  /// Source: k8s.io/apiserver/pkg/endpoints/handlers/create.go, v0.36.
  Answer<document::Value> decode(const Body& body, const Expected& expected, FieldValidation validation,
                                 std::vector<std::string>& warnings) const;

  /// Conforms what a patch made of an object. `strict` is what strict decoding found in the patch itself.
  Answer<document::Value> conform_patched(const PatchedObject& patched, const schema::Type* type,
                                          FieldValidation validation, std::vector<std::string> strict,
                                          std::vector<std::string>& warnings) const;

  /// The object with the defaults of its kind.
  [[nodiscard]] document::Value with_defaults(const document::Value& object, const schema::Resource& resource,
                                              Instant now) const;

  /// An object that a webhook changed: members are in order, what its type does not have is gone, and what was added
  /// has its defaults. What it shares with `before`, which was tidy, is not looked at.
  [[nodiscard]] document::Value tidied(const document::Value& object, const document::Value& before,
                                       const schema::Resource& resource, Instant now) const;

  /// The options of a deletion: from the body if there is one, else from the query.
  /// Source: k8s.io/apiserver/pkg/endpoints/handlers/delete.go, v0.36.
  Answer<DeleteOptions> delete_options(const Body& body, const Query& query) const;

 private:
  /// What a handler says around the serializer's words.
  using Wrapped = std::function<StatusError(std::string_view why)>;

  /// Reads a body as JSON, YAML or protobuf, by its Content-Type, if it has to be read.
  Answer<RawBody> read(const Body& body, const Expected& expected, const Wrapped& wrapped) const;
  [[nodiscard]] schema::Conformed conform(const document::Value& document, const schema::Type& type,
                                          const Diagnostics& duplicates, const document::Value* conforming) const;
  Answer<RawBody> from_protobuf(const Body& body, const Expected& expected) const;
  [[nodiscard]] bool is_custom(const Expected& expected) const;
  Answer<void> check_kind(const schema::GroupVersionKind& kind, const Expected& expected) const;

  const schema::Catalog& catalog_;
  api::Defaults defaults_;
  const schema::Type& object_meta_;
};

}  // namespace loadline::apiserver
