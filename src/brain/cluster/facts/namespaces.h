#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "brain/cluster/facts/labels.h"
#include "foundation/base/contract.h"
#include "foundation/base/symbol.h"

namespace loadline::cluster {

/// The labels of namespaces, which affinity terms may select by.
class Namespaces {
 public:
  explicit Namespaces(SymbolTable& symbols) : symbols_(symbols) {}

  /// REQUIRES: ensure() or set() was called for it, and forget() was not since.
  [[nodiscard]] const LabelSet& labels(Symbol name) const {
    const auto found = labels_.find(name);
    REQUIRES(found != labels_.end());
    return found->second;
  }
  [[nodiscard]] bool is_known(Symbol name) const { return labels_.contains(name); }

  void set(Symbol name, LabelSet labels) { labels_[name] = std::move(labels); }
  void forget(Symbol name) { labels_.erase(name); }
  /// A namespace that no Namespace object describes has the one label that every namespace has.
  void ensure(const std::string& name) {
    const Symbol symbol = symbols_.intern(name);
    if (!is_known(symbol)) set(symbol, without_object(name));
  }
  [[nodiscard]] LabelSet without_object(std::string_view name) const {
    return LabelSet({{"kubernetes.io/metadata.name", std::string(name)}}, symbols_);
  }

 private:
  SymbolTable& symbols_;
  std::map<Symbol, LabelSet> labels_;
};

}  // namespace loadline::cluster
