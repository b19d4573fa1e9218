#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "foundation/base/contract.h"
#include "foundation/base/id.h"

namespace loadline {

/// An interned string: two symbols of one table are equal exactly if their texts are.
/// Symbol 0 of every table is the empty string.
using Symbol = Id<struct SymbolTag>;

/// Owns the texts behind symbols. Texts live as long as the table; symbols are dense and given in order
/// of first appearance, so the same input yields the same symbols. Not thread safe while interning.
class SymbolTable {
 public:
  SymbolTable();
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;
  SymbolTable(SymbolTable&&) = default;
  SymbolTable& operator=(SymbolTable&&) = default;

  Symbol intern(std::string_view text);

  /// The symbol of `text` if it was interned before, else an invalid symbol. Never grows the table.
  [[nodiscard]] Symbol find(std::string_view text) const;

  /// REQUIRES: `symbol` came from this table.
  [[nodiscard]] std::string_view text(Symbol symbol) const {
    REQUIRES(symbol.index() < texts_.size());
    return texts_[symbol.index()];
  }

  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // stable addresses: index_ keeps views into it
  std::unordered_map<std::string_view, Symbol> index_;
};

}  // namespace loadline
