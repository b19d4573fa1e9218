#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "brain/cluster/ids.h"
#include "foundation/base/symbol.h"
#include "objects/kube/meta.h"

namespace loadline::cluster {

inline constexpr ResourceId kCpu{0};  ///< milli-CPU
inline constexpr ResourceId kMemory{1};
inline constexpr ResourceId kEphemeralStorage{2};

/// An amount of one resource as the scheduler counts: milli-units of cpu, whole units of everything else.
struct ResourceAmount {
  ResourceId resource;
  std::int64_t amount = 0;
  friend bool operator==(const ResourceAmount&, const ResourceAmount&) = default;
};

/// Numbers the resources that nodes offer or pods request. "pods" is none of them: it is a limit on their count.
class ResourceIndex {
 public:
  explicit ResourceIndex(SymbolTable& symbols);

  ResourceId intern(std::string_view name);
  [[nodiscard]] ResourceId find(std::string_view name) const;
  [[nodiscard]] std::string_view name(ResourceId id) const { return symbols_->text(names_[id.index()]); }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

  /// The list as amounts in ascending id order, without "pods", zero amounts and whatever else the scheduler does
  /// not count.
  std::vector<ResourceAmount> amounts(const kube::ResourceList& list);

 private:
  SymbolTable* symbols_;
  std::vector<Symbol> names_;
  std::vector<ResourceId> by_symbol_;
};

/// True for names the scheduler tracks beside cpu, memory and ephemeral-storage: extended resources, hugepages-*,
/// attachable-volumes-* and other prefixed native ones. Source: schedutil.IsScalarResourceName, v1.36.
bool is_scalar_resource(std::string_view name);

}  // namespace loadline::cluster
