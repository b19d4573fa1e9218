#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/codec.h"
#include "objects/kube/scalars.h"
#include "objects/kube/schema.h"
#include "objects/schema/catalog.h"

namespace loadline::kube {

/// The kinds that CustomResourceDefinitions describe: those of the input, and, where it has none for a kind, those that
/// are built in.
class CustomKinds {
 public:
  /// Notes the definitions among `documents`, in lists too. A definition that an API server would refuse describes
  /// nothing.
  explicit CustomKinds(const std::vector<SourceDocument>& documents);

  /// What describes the objects of that kind; null: nothing does. Milliseconds the first time that a kind is asked for.
  const schema::Resource* find(std::string_view api_version, std::string_view kind);
  /// Where the built-in definition comes from that describes it, "sigs.k8s.io/kueue@v0.19.2"; empty: the input has it.
  [[nodiscard]] std::string built_in_source(const schema::Resource& resource) const;
  /// The schema of the objects of such a resource.
  const Schema& schema_of(const schema::Resource& resource) { return schemas_.schema_of(*resource.type); }

 private:
  void note(const document::Value& document);

  std::map<std::string, document::Value, std::less<>> definitions_;  // by group and kind
  std::map<std::string, std::shared_ptr<const schema::Resource>, std::less<>> found_;
  SchemaArena schemas_;
};

/// What its definition has against a custom object but for fields that it does not know, in upstream's words.
[[nodiscard]] FieldErrors validate_custom_object(const document::Value& object, const schema::Resource& resource);

}  // namespace loadline::kube
