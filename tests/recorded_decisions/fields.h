#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"
#include "foundation/document/value.h"
#include "objects/kube/decoder.h"

namespace loadline::recorded_decisions {

/// The first thing wrong with a recorded document; empty while nothing is.
struct Fault {
  std::string file;  ///< how to name the document
  std::string message;

  [[nodiscard]] bool none() const { return message.empty(); }
};

/// One place in a recorded document. What is absent or null reads as nothing, zero or false; what has the wrong type
/// reads so too and is noted as a fault with its file and path, so that a reader need not stop at every field.
/// REQUIRES: a place outlives those that were reached through it.
class Fields {
 public:
  Fields(const document::Value& root, Fault& fault) : value_(&root), path_(nullptr), fault_(&fault) {}

  [[nodiscard]] Fields member(std::string_view name) const;
  [[nodiscard]] bool present() const { return value_ != nullptr && !value_->is_null(); }
  /// REQUIRES: present().
  [[nodiscard]] const document::Value& value() const {
    REQUIRES(present());
    return *value_;
  }
  [[nodiscard]] std::string path() const { return path_.text(); }
  /// Notes what is wrong with this place, unless a fault was found before.
  void blame(const std::string& message) const;
  /// The same for a message that names the place itself.
  void blame_below(const std::string& message) const;

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] int number() const { return static_cast<int>(integer()); }
  [[nodiscard]] bool boolean(bool fallback) const;
  /// A number from 0 to below `bound`.
  [[nodiscard]] int index(std::size_t bound) const;

  /// Shows each element, a Fields too.
  template <class Visit>
  void each(Visit&& visit) const {
    if (!is_list()) return;
    std::size_t index = 0;
    for (const document::Value& item : value_->array()) {
      visit(Fields(&item, kube::Path::element(path_, index++), fault_));
    }
  }
  /// What `read` makes of each element.
  template <class Read>
  [[nodiscard]] auto list(Read&& read) const {
    std::vector<decltype(read(std::declval<const Fields&>()))> items;
    each([&](const Fields& item) { items.push_back(read(item)); });
    return items;
  }
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::vector<int> indexes(std::size_t bound) const;

 private:
  Fields(const document::Value* value, kube::Path path, Fault* fault) : value_(value), path_(path), fault_(fault) {}

  [[nodiscard]] bool is_list() const;
  void expected(std::string_view what) const;

  const document::Value* value_;
  kube::Path path_;
  Fault* fault_;
};

}  // namespace loadline::recorded_decisions
