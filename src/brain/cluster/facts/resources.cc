#include "brain/cluster/facts/resources.h"

#include <algorithm>

#include "objects/kube/resource_names.h"

namespace loadline::cluster {

bool is_scalar_resource(std::string_view name) {
  return kube::is_huge_page_resource(name) || kube::is_prefixed_native_resource(name) ||
         kube::is_attachable_volume_resource(name) || kube::is_extended_resource(name);
}

ResourceIndex::ResourceIndex(SymbolTable& symbols) : symbols_(&symbols) {
  intern("cpu");
  intern("memory");
  intern("ephemeral-storage");
}

ResourceId ResourceIndex::intern(std::string_view name) {
  const Symbol symbol = symbols_->intern(name);
  if (by_symbol_.size() <= symbol.index()) by_symbol_.resize(symbol.index() + 1);
  ResourceId& id = by_symbol_[symbol.index()];
  if (!id.valid()) {
    id = ResourceId{names_.size()};
    names_.push_back(symbol);
  }
  return id;
}

ResourceId ResourceIndex::find(std::string_view name) const {
  const Symbol symbol = symbols_->find(name);
  return symbol.valid() && symbol.index() < by_symbol_.size() ? by_symbol_[symbol.index()] : ResourceId{};
}

std::vector<ResourceAmount> ResourceIndex::amounts(const kube::ResourceList& list) {
  std::vector<ResourceAmount> amounts;
  for (const auto& [name, quantity] : list) {
    const bool native = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (!native && !is_scalar_resource(name)) continue;
    const std::int64_t amount = name == "cpu" ? quantity.milli_value() : quantity.value();
    if (amount != 0) amounts.push_back({intern(name), amount});
  }
  std::sort(amounts.begin(), amounts.end(),
            [](const ResourceAmount& a, const ResourceAmount& b) { return a.resource < b.resource; });
  return amounts;
}

}  // namespace loadline::cluster
