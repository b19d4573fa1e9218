#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/kind_number.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

class ObjectReader;
class Overlay;
class Objects;

enum class Scope : std::uint8_t { kCluster, kNamespaced };

/// One kind of the API: how it is named, where its fields are described, how a document of it is read, and how its
/// objects are applied over others.
struct KindInfo {
  using Number = std::size_t (*)();
  using Read = void (*)(ObjectReader&, const KindInfo&, const document::Value&);
  using Merge = void (*)(Overlay&, const KindInfo&, Objects& objects, Objects& added);

  std::string_view api_version;
  std::string_view kind;
  std::string_view plural;
  Scope scope = Scope::kNamespaced;
  const Schema* schema = nullptr;
  std::size_t number = 0;  ///< kind_number() of its struct
  Read read = nullptr;
  Merge merge = nullptr;
  bool is_custom = false;        ///< comes from a CustomResourceDefinition
  bool keeps_its_state = false;  ///< a manifest that is applied over an object from a cluster changes nothing of it
  bool is_heeded = true;         ///< decisions of a plan read it; else its objects are counted among what was skipped
  bool is_only_one = false;      ///< one object is all there can be, so that a second one is a mistake
};

/// Every kind of the API that decisions read.
std::span<const KindInfo> known_kinds();

/// The kind of that name and version, or null.
const KindInfo* find_kind(std::string_view api_version, std::string_view kind);

/// The first kind of that name in any version, or null. Versions of a kind stand in the order of preference.
const KindInfo* find_kind(std::string_view kind);

/// The kind of that struct: `kind_of<Pod>()`. REQUIRES: a row of the registry.
const KindInfo& kind_of_number(std::size_t number);
template <class Kind>
const KindInfo& kind_of() {
  static const KindInfo& info = kind_of_number(kind_number<Kind>());
  return info;
}

/// True if Kubernetes, or we, define the kinds of that version, and there is no such kind: a misspelling, not another
/// author's custom resource.
bool is_misspelled_kind(std::string_view api_version, std::string_view kind);

}  // namespace loadline::kube
