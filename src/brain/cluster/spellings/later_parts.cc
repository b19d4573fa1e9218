#include "brain/cluster/spellings/later_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "foundation/base/text.h"

namespace loadline::cluster::spellings {
namespace {

constexpr std::string_view kBetweenParts = "; ";
constexpr std::string_view kAfterName = ": ";
constexpr std::string_view kAfterPods = " of ";
constexpr std::string_view kBeforeCopies = ", ";
constexpr std::string_view kAfterCopies = " by ";

/// What stands before and after the separator; nothing: it is not there.
std::optional<std::pair<std::string_view, std::string_view>> cut(std::string_view text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + separator.size()));
}

/// A number from 1 on.
std::optional<std::int32_t> count_in(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<PartLabel> read_label(std::string_view text) {
  const auto other = cut(text, "!=");
  const auto sides = other ? other : cut(text, "=");
  if (!sides || sides->first.empty()) return std::nullopt;
  return PartLabel{std::string(sides->first), std::string(sides->second), other.has_value()};
}

std::optional<WrittenPart> read_part(std::string_view text) {
  const auto name = cut(text, kAfterName);
  const auto pods = name ? cut(name->second, kAfterPods) : std::nullopt;
  const std::optional<std::int32_t> count = pods ? count_in(pods->first) : std::nullopt;
  if (!count) return std::nullopt;
  WrittenPart part{std::string(name->first), *count, {}};
  std::string_view labels = pods->second;
  if (const auto copies = cut(labels, kBeforeCopies)) {
    const auto by = cut(copies->second, kAfterCopies);
    const std::optional<std::int32_t> number = by ? count_in(by->first) : std::nullopt;
    if (!number) return std::nullopt;
    labels = copies->first;
    part.copies = *number;
    part.copy_label = by->second;
  }
  for (const std::string_view each : split(labels, "&")) {
    std::optional<PartLabel> label = read_label(each);
    if (!label) return std::nullopt;
    part.labels.push_back(*std::move(label));
  }
  return part;
}

std::string text_of(const WrittenPart& part) {
  std::vector<std::string> labels;
  for (const PartLabel& each : part.labels) {
    labels.push_back(fmt::format("{}{}{}", each.key, each.is_other ? "!=" : "=", each.value));
  }
  std::string text = fmt::format("{}{}{}{}{}", part.name, kAfterName, part.pods, kAfterPods, joined(labels, "&"));
  if (part.copy_label.empty()) return text;
  return fmt::format("{}{}{}{}{}", text, kBeforeCopies, part.copies, kAfterCopies, part.copy_label);
}

PodSelector selector_of(const WrittenPart& part, SymbolTable& symbols) {
  using Operator = kube::LabelSelectorOperator;
  kube::LabelSelector selector;
  for (const PartLabel& label : part.labels) {
    selector.match_expressions.push_back({label.key, label.is_other ? Operator::kNotIn : Operator::kIn, {label.value}});
  }
  return PodSelector::of(selector, symbols);
}

std::string_view annotation(const kube::ObjectMeta& object, std::string_view name) {
  const auto found = object.annotations.find(name);
  return found == object.annotations.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

std::string write_later_parts(std::span<const WrittenPart> parts) {
  std::vector<std::string> texts;
  for (const WrittenPart& part : parts) texts.push_back(text_of(part));
  return joined(texts, kBetweenParts);
}

std::optional<std::vector<WrittenPart>> read_later_parts(std::string_view text) {
  std::vector<WrittenPart> parts;
  for (const std::string_view each : split(text, kBetweenParts)) {
    std::optional<WrittenPart> part = read_part(each);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  return parts;
}

void note_order_of_creation(std::span<const WrittenPart> later, std::span<const std::string> starts_after,
                            kube::ObjectMeta& object) {
  const auto note = [&](std::string_view name, std::string text) {
    if (!text.empty()) {
      object.annotations.insert_or_assign(std::string(name), std::move(text));
    } else if (object.annotations.contains(name)) {
      object.annotations.erase(std::string(name));
    }
  };
  note(kLaterParts, write_later_parts(later));
  note(kStartsAfter, joined(starts_after, ", "));
}

void add_order_of_creation(const kube::ObjectMeta& object, SymbolTable& symbols, GroupRules& rules) {
  for (const std::string_view name : words(annotation(object, kStartsAfter), ", ")) {
    rules.starts_after.emplace_back(name);
  }
  const std::string_view written = annotation(object, kLaterParts);
  if (written.empty()) return;
  for (const WrittenPart& part : read_later_parts(written).value_or(std::vector<WrittenPart>())) {
    LaterPart later{part.name, part.pods, selector_of(part, symbols), Symbol{}, part.copies, {}};
    if (!part.copy_label.empty()) later.copy_label = symbols.intern(part.copy_label);
    for (std::size_t i = 0; i < rules.subgroups.size(); ++i) {
      const SubGroup& subgroup = rules.subgroups[i];
      if (subgroup.name == part.name && subgroup.min_count > 0) later.subgroups.emplace_back(i, subgroup.min_count);
    }
    rules.later.push_back(std::move(later));
  }
}

}  // namespace loadline::cluster::spellings
