#include "cluster/resources.h"

#include <algorithm>

namespace loadline::cluster {
namespace {

constexpr std::string_view kDefaultDomain = "kubernetes.io/";

bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find(kDefaultDomain) != std::string_view::npos;
}

}  // namespace

bool is_extended_resource(std::string_view name) {
  return !is_native(name) && !name.starts_with("requests.") && !name.empty() && name.front() != '/' &&
         name.back() != '/';
}

bool is_scalar_resource(std::string_view name) {
  return is_extended_resource(name) || name.starts_with("hugepages-") ||
         name.find(kDefaultDomain) != std::string_view::npos || name.starts_with("attachable-volumes-");
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
