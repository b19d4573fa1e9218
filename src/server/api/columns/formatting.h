#pragma once

#include <span>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "server/api/columns/cell_writer.h"

namespace loadline::api {

/// Labels as `a=b,c=d`, by key; "<none>" for none. Source: apimachinery labels.FormatLabels.
std::string formatted_labels(std::span<const document::Member> labels);

/// A LabelSelector as `a=b,c in (x,y),!d`, by key; empty if it selects everything or is absent. `invalid` stands for
/// one that no API server would have taken. Source: apimachinery metav1.LabelSelectorAsSelector,
/// labels.Selector.String.
std::string selector_text(const document::Value* selector, std::string_view invalid);

/// The same for a cell: "<none>" for an empty one, "<error>" for an invalid one. Source: metav1.FormatLabelSelector.
std::string formatted_selector(const document::Value* selector);

/// The cells Name and Age, of a kind that shows nothing else.
void write_name_and_age(const document::Value& object, CellWriter& cells);

/// The cells Containers and Images: what the containers of a pod template are called and run, with commas.
void write_containers(const document::Value* pod_template, CellWriter& cells);

/// The text of an integer or a string (IntOrString, quantities), or `instead` if there is none.
std::string scalar_text(const document::Value* value, std::string_view instead);

/// The first three with commas, and how many there are beyond: "a,b,c + 2 more...". `instead` stands for an empty text.
class ShortList {
 public:
  void add(std::string_view text);
  [[nodiscard]] std::string text(std::string_view instead) const;

 private:
  static constexpr int kShown = 3;
  std::string text_;
  int count_ = 0;
};

std::string lower(std::string_view text);

}  // namespace loadline::api
