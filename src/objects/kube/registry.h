#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

class ObjectReader;
class Overlay;
struct Objects;

enum class Scope : std::uint8_t { kCluster, kNamespaced };

/// One kind of the API: how it is named, where its fields are described, how a document of it is read, and how its
/// objects are applied over others.
struct KindInfo {
  using Read = void (*)(ObjectReader&, const KindInfo&, const document::Value&);
  using Merge = void (*)(Overlay&, const KindInfo&, Objects& objects, Objects& added);

  std::string_view api_version;
  std::string_view kind;
  std::string_view plural;
  Scope scope = Scope::kNamespaced;
  const Schema* schema = nullptr;
  Read read = nullptr;
  Merge merge = nullptr;
};

/// Every kind of the API that decisions read.
std::span<const KindInfo> known_kinds();

/// The kind of that name and version, or null.
const KindInfo* find_kind(std::string_view api_version, std::string_view kind);

/// The first kind of that name in any version, or null.
const KindInfo* find_kind(std::string_view kind);

/// True if Kubernetes defines the kinds of that version and has no such kind: a misspelling, not a custom resource.
bool is_misspelled_kind(std::string_view api_version, std::string_view kind);

}  // namespace loadline::kube
