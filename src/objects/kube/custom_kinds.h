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

/// A kind in one version, as its definition describes it.
struct CustomKind {
  std::shared_ptr<const schema::Resource> resource;
  const Schema* schema = nullptr;
  /// The module of a built-in definition, "sigs.k8s.io/kueue@v0.19.2"; empty: the input has it, or it is our own.
  std::string source;
};

/// The kinds that CustomResourceDefinitions describe: those of the input, and, where it has none for a kind, those that
/// are built in.
class CustomKinds {
 public:
  /// Notes the definitions among `documents`, in lists too. A definition that an API server would refuse describes
  /// nothing.
  explicit CustomKinds(const std::vector<SourceDocument>& documents);

  /// What describes the objects of that kind; null: nothing does. Milliseconds the first time that a kind is asked for.
  const CustomKind* find(std::string_view api_version, std::string_view kind);

 private:
  void note(const document::Value& document);
  CustomKind read(std::string_view api_version, std::string_view kind);

  std::map<std::string, document::Value, std::less<>> definitions_;  // by group and kind
  std::map<std::string, CustomKind, std::less<>> found_;
  SchemaArena schemas_;
};

/// The object with what its definition fills in, without what it does not know; as it is if its metadata are mistyped.
[[nodiscard]] document::Value with_definition_defaults(const document::Value& object, const schema::Resource& resource);

/// What its definition has against a custom object but for fields that it does not know, in upstream's words.
[[nodiscard]] FieldErrors validate_custom_object(const document::Value& object, const schema::Resource& resource);

}  // namespace loadline::kube
