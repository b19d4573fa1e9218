#include "foundation/base/symbol.h"

namespace loadline {

SymbolTable::SymbolTable() { intern(""); }

Symbol SymbolTable::intern(std::string_view text) {
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  const Symbol symbol{texts_.size()};
  texts_.emplace_back(text);
  index_.emplace(texts_.back(), symbol);
  return symbol;
}

Symbol SymbolTable::find(std::string_view text) const {
  const auto found = index_.find(text);
  return found == index_.end() ? Symbol{} : found->second;
}

}  // namespace loadline
