#include "bench/results/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/results/row.h"
#include "bench/results/table.h"

namespace loadline::bench {
namespace {

using document::Value;

std::string bar_of(const Figure& figure) {
  std::string text;
  if (figure.bar) text = fmt::format("{} {:g}", figure.is_better_when_less ? "<" : ">=", *figure.bar);
  if (figure.ratio_bar) text += fmt::format("{}>= {:g} x", text.empty() ? "" : ", ", *figure.ratio_bar);
  return text;
}

std::string verdict(const std::optional<bool>& meets) {
  if (!meets) return "";
  return *meets ? "met" : "MISSED";
}

const Comparison::Pair* first_pair(const Comparison& comparison) {
  return comparison.pairs.empty() ? nullptr : &comparison.pairs.front();
}

Value figure_value(const Figure& figure, const Comparison& comparison) {
  Value values{document::Object{}};
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    if (figure.values[i]) values = values.with(comparison.subjects[i], rounded(*figure.values[i]));
  }
  Value ratios{document::Object{}};
  for (const Comparison::Pair& pair : comparison.pairs) {
    if (const auto times = ratio(figure, pair))
      ratios = ratios.with(comparison.subjects[pair.subject], rounded(*times));
  }
  Value value = Value()
                    .with("name", Value(figure.name))
                    .with("unit", Value(figure.unit))
                    .with("values", values)
                    .with("ratios", ratios);
  if (const std::string bar = bar_of(figure); !bar.empty()) value = value.with("bar", Value(bar));
  if (const auto meets = meets_bar(figure, first_pair(comparison))) value = value.with("meets_bar", Value(*meets));
  return value;
}

}  // namespace

std::optional<double> ratio(const Figure& figure, const Comparison::Pair& pair) {
  const auto& subject = figure.values[pair.subject];
  const auto& peer = figure.values[pair.peer];
  if (!subject || !peer || *subject <= 0 || *peer <= 0) return std::nullopt;
  return figure.is_better_when_less ? *peer / *subject : *subject / *peer;
}

std::optional<bool> meets_bar(const Figure& figure, const Comparison::Pair* pair) {
  std::optional<bool> meets;
  if (figure.bar && !figure.values.empty() && figure.values.front()) {
    const double value = *figure.values.front();
    meets = figure.is_better_when_less ? value < *figure.bar : value >= *figure.bar;
  }
  if (figure.ratio_bar && pair != nullptr) {
    if (const auto times = ratio(figure, *pair)) meets = meets.value_or(true) && *times >= *figure.ratio_bar;
  }
  return meets;
}

std::string format_comparison(const Comparison& comparison) {
  std::vector<std::string> headers = {"FIGURE", "UNIT"};
  headers.insert(headers.end(), comparison.subjects.begin(), comparison.subjects.end());
  for (const Comparison::Pair& pair : comparison.pairs) {
    headers.push_back(fmt::format("{} x {}", comparison.subjects[pair.subject], comparison.subjects[pair.peer]));
  }
  headers.insert(headers.end(), {"BAR", "IS"});
  std::vector<std::vector<std::string>> lines;
  for (const Figure& line : comparison.figures) {
    std::vector<std::string> cells = {line.name, line.unit};
    for (const std::optional<double>& value : line.values) cells.push_back(figure(value));
    for (const Comparison::Pair& pair : comparison.pairs) cells.push_back(figure(ratio(line, pair)));
    cells.push_back(bar_of(line));
    cells.push_back(verdict(meets_bar(line, first_pair(comparison))));
    lines.push_back(std::move(cells));
  }
  return aligned(headers, 2, lines);
}

Value to_value(const Comparison& comparison) {
  document::Array subjects;
  for (const std::string& subject : comparison.subjects) subjects.emplace_back(subject);
  document::Array figures;
  for (const Figure& line : comparison.figures) figures.push_back(figure_value(line, comparison));
  return Value().with("subjects", Value(std::move(subjects))).with("figures", Value(std::move(figures)));
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace loadline::bench
