#pragma once

#include <optional>
#include <string>

#include "brain/queue/kueue/quotas.h"

namespace loadline::queue::kueue::testing {

/// A tree of one resource of one flavor, built by name: nodes whose names begin with a capital are cohorts.
class SmallTree {
 public:
  struct Limits {
    std::int64_t nominal = 0;
    std::optional<std::int64_t> borrowing = {};
    std::optional<std::int64_t> lending = {};
  };

  QuotaNodeId node(const std::string& name) {
    const auto kind = name[0] < 'a' ? cluster::QuotaNodeKind::kGroup : cluster::QuotaNodeKind::kQueue;
    const QuotaNodeId found = tree.find(kind, name);
    return found.valid() ? found : tree.add(kind, name);
  }
  QuotaColumnId column(const std::string& resource = "gpu", const std::string& flavor = "f") {
    return tree.column({tree.symbols().intern(flavor), tree.symbols().intern(resource)});
  }
  QuotaCellId cell(const std::string& name, const std::string& resource = "gpu", const std::string& flavor = "f") {
    return tree.cell(node(name), column(resource, flavor));
  }
  SmallTree& add(const std::string& name, const std::string& parent, Limits limits) {
    tree.set_parent(node(name), parent.empty() ? QuotaNodeId{} : node(parent));
    const auto amount = [](std::optional<std::int64_t> value) {
      return value ? std::optional(Amount(*value)) : std::nullopt;
    };
    quotas.set_limits(node(name),
                      {{column(), {Amount(limits.nominal), amount(limits.borrowing), amount(limits.lending)}}});
    quotas.refresh(node(name));
    return *this;
  }
  SmallTree& use(const std::string& name, std::int64_t amount) {
    quotas.add(cell(name), Amount(amount));
    return *this;
  }
  std::int64_t used(const std::string& name) { return quotas.used(cell(name)).value(); }
  std::int64_t available(const std::string& name) { return quotas.available(cell(name)).value(); }
  std::int64_t potential(const std::string& name) { return quotas.potential(cell(name)).value(); }

  cluster::QuotaTree tree;
  Quotas quotas{tree};
};

}  // namespace loadline::queue::kueue::testing
