#include "brain/queue/kueue/share.h"

#include <limits>

namespace loadline::queue::kueue {
namespace {

/// NaN cannot be: ratios are finite, and a weight of 0 is looked at first.
std::strong_ordering compare(double a, double b) {
  if (a < b) return std::strong_ordering::less;
  return a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

}  // namespace

double Share::weighted() const {
  if (ratio == 0) return 0;
  return weight == 0 ? std::numeric_limits<double>::infinity() : ratio / weight;
}

std::strong_ordering compare(const Share& a, const Share& b) {
  if (a.is_infinite() != b.is_infinite()) {
    return a.is_infinite() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return a.is_infinite() ? compare(a.ratio, b.ratio) : compare(a.weighted(), b.weighted());
}

Share share_of(const Quotas& quotas, QuotaNodeId node) {
  Share share;
  share.weight = quotas.weight(node);
  const cluster::QuotaTree& tree = quotas.tree();
  const QuotaNodeId parent = tree.parent(node);
  if (!parent.valid()) return share;
  Symbol resource;
  Amount borrowed;
  const auto count = [&] {
    if (borrowed <= Amount()) return;
    share.borrows = true;
    const Amount lendable = quotas.lendable(parent, resource);
    if (lendable <= Amount()) return;
    const double ratio = static_cast<double>(borrowed.value()) * 1000.0 / static_cast<double>(lendable.value());
    if (ratio <= share.ratio) return;
    share.ratio = ratio;
    share.dominant = resource;
  };
  for (const QuotaCellId cell : quotas.declared(node)) {
    const Symbol next = tree.column(tree.column_of(cell)).resource;
    if (next != resource) {
      count();
      resource = next;
      borrowed = {};
    }
    borrowed = borrowed + at_least_nothing(quotas.used(cell) - quotas.subtree(cell));
  }
  count();
  return share;
}

}  // namespace loadline::queue::kueue
