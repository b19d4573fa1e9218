#include "app/report/policy_document.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "app/report/members.h"
#include "objects/kube/loadline/policy_schema.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;
using engine::Switch;

constexpr std::string_view kBase = "base";

std::string from_text(const engine::ChosenPolicy& chosen, std::size_t number) {
  const std::optional<SourcePosition>& at = chosen.set_at[number];
  return at ? position_text(*at) : std::string(kBase);
}

Value words_value(const Switch& row) {
  Array words;
  for (const engine::Word& word : row.words) {
    words.push_back(Members().add_text("name", word.name).add_text("means", word.means).finish());
  }
  return Value(std::move(words));
}

Value numbers_value(const Switch& row) {
  return Members()
      .add("least", Value(row.numbers.least))
      .add("most", Value(row.numbers.most))
      .add_text("means", row.numbers.means)
      .finish();
}

Value switch_value(const engine::ChosenPolicy& chosen, std::size_t number) {
  const Switch& row = engine::switches()[number];
  return Members()
      .add_text("name", row.name)
      .add("value", row.written(row.get(chosen.policy)))
      .add_text("from", from_text(chosen, number))
      .add("parity", row.written(row.parity))
      .add("recommended", row.written(row.recommended))
      .add_text("decides", row.decides)
      .add(row.is_number() ? "numbers" : "words", row.is_number() ? numbers_value(row) : words_value(row))
      .add_text("source", row.source)
      .finish();
}

}  // namespace

std::string position_text(const SourcePosition& at) {
  std::string text = at.file == nullptr ? std::string() : *at.file;
  if (at.line != 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", at.line);
  return text;
}

Table policy_table(const engine::ChosenPolicy& chosen) {
  Table table{{{"SWITCH"}, {"VALUE"}, {.header = "FROM", .elastic = true}, {"PARITY"}, {"RECOMMENDED"}}, {}};
  for (std::size_t i = 0; i < engine::switches().size(); ++i) {
    const Switch& row = engine::switches()[i];
    table.rows.push_back({std::string(row.name), row.text(row.get(chosen.policy)), from_text(chosen, i),
                          row.text(row.parity), row.text(row.recommended)});
  }
  return table;
}

Value policy_document(const engine::ChosenPolicy& chosen, const std::string& from) {
  Array rows;
  for (std::size_t i = 0; i < engine::switches().size(); ++i) rows.push_back(switch_value(chosen, i));
  return Members()
      .add_text("apiVersion", "loadline/v1alpha1")
      .add_text("kind", "PolicyReport")
      .add_text("base", kube::name_of(chosen.base))
      .add_text("from", from)
      .add("switches", Value(std::move(rows)))
      .finish();
}

}  // namespace loadline::report
