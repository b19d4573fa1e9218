#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/options.h"
#include "apiserver/served.h"
#include "apiserver/status.h"
#include "kube/selector_text.h"
#include "store/object.h"

namespace loadline::apiserver {

/// What selectors ask of an object, kept with it in the store: made from the document once.
struct Facts final : store::Derived {
  std::vector<std::pair<std::string, std::string>> labels;  ///< by key
  std::vector<std::string> fields;                          ///< in the order of Served::field_paths
};

/// Facts of that object; derived from its document where they are not yet.
const Facts& facts_of(const store::Object& object, const Served& served);
std::shared_ptr<const Facts> derive_facts(const document::Value& document, const Served& served);

/// One condition of a field selector.
struct FieldRequirement {
  enum class Of : std::uint8_t { kName, kNamespace, kField };
  Of of = Of::kField;
  std::size_t index = 0;  ///< into Facts::fields
  bool is_equal = true;
  std::string value;
};

/// Which objects of a resource a list or watch is about.
class Selection {
 public:
  /// Errors in upstream's words: 400 for selectors that cannot be read, or a field that cannot be selected by.
  static Answer<Selection> read(const Served& served, const ListOptions& options);

  [[nodiscard]] bool selects_all() const { return labels_.empty() && fields_.empty(); }
  [[nodiscard]] bool matches(const store::Object& object, const Served& served) const;
  /// The only name that can match; empty if there may be others.
  [[nodiscard]] std::string_view only_name() const;

 private:
  std::vector<kube::SelectorTerm> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace loadline::apiserver
