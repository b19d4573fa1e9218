#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/selector_text.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/apiserver/status.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// What selectors ask of an object, kept with it in the store: made from the document once. There is one for each
/// object, so all texts stand in one: of an event, half a kilobyte less than texts of their own would take.
class Facts final : public store::Derived {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  /// REQUIRES: the labels are sorted by key; the fields stand in the order of ServedResource::field_paths.
  Facts(const std::vector<Label>& labels, const std::vector<std::string>& fields);

  /// Nothing: it has no such label. O(log labels).
  [[nodiscard]] std::optional<std::string_view> find_label(std::string_view key) const;
  [[nodiscard]] std::string_view field(std::size_t index) const { return text(std::size_t{2} * labels_ + index); }

 private:
  [[nodiscard]] std::string_view text(std::size_t index) const;
  [[nodiscard]] std::uint32_t end(std::size_t index) const;

  std::string bytes_;  // where each text ends, as 32 bits each; then the texts
  std::uint32_t labels_;
  std::uint32_t texts_;
};

/// Facts of that object; derived from its document where they are not yet.
const Facts& facts_of(const store::Object& object, const ServedResource& served);
std::shared_ptr<const Facts> derive_facts(const document::Value& document, const ServedResource& served);

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
  static Answer<Selection> read(const ServedResource& served, const ListOptions& options);

  [[nodiscard]] bool selects_all() const { return labels_.empty() && fields_.empty(); }
  /// How much looking at an object costs, where one of a usual selector, or none, costs 1.
  [[nodiscard]] std::size_t cost() const {
    constexpr std::size_t kUsual = 16;
    return 1 + (labels_.size() + fields_.size()) / kUsual;
  }
  [[nodiscard]] bool matches(const store::Object& object, const ServedResource& served) const;
  /// The only name that can match; empty if there may be others.
  [[nodiscard]] std::string_view only_name() const;

 private:
  std::vector<kube::SelectorTerm> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace loadline::apiserver
