#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "hosts/watching/object.h"
#include "objects/kube/client.h"
#include "objects/kube/registry.h"

namespace loadline::watching {

/// "apps/v1", "Deployment", "deployments": what a kind is called.
struct KindName {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view plural;

  /// "apps/v1", "v1".
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + '/' + std::string(version);
  }
  [[nodiscard]] kube::ResourceReference reference(const ObjectKey& key = {}, std::string subresource = {}) const {
    return {std::string(group), std::string(version),  std::string(plural), key.name_space,
            key.name,           std::move(subresource)};
  }
};

/// What a kind of kube's registry is called.
KindName kind_name_of(const kube::KindInfo& info);

/// What the kind of a struct is called: as kube's registry says, or the struct itself (plain_kinds.h).
template <class Kind>
const KindName& kind_name() {
  if constexpr (requires { Kind::kName; }) {
    return Kind::kName;
  } else {
    static const KindName name = kind_name_of(kube::kind_of<Kind>());
    return name;
  }
}

}  // namespace loadline::watching
