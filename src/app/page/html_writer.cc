#include "app/page/html_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/page/escape.h"
#include "foundation/base/contract.h"

namespace loadline::page {
namespace {

/// Elements that stand within a line of text, where a newline behind them would be seen.
bool is_inline(std::string_view tag) {
  constexpr std::array<std::string_view, 4> kInline = {"title", "tspan", "span", "b"};
  return std::find(kInline.begin(), kInline.end(), tag) != kInline.end();
}

}  // namespace

std::string coordinate_text(double coordinate) {
  if (!std::isfinite(coordinate)) return "0";
  std::string text = fmt::format("{:.2f}", coordinate);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

Attribute::Attribute(std::string_view attribute, double coordinate)
    : name(attribute), value(coordinate_text(coordinate)) {}

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  html_ += '<';
  html_ += tag;
  for (const Attribute& attribute : attributes) {
    html_ += ' ';
    html_ += attribute.name;
    html_ += "=\"";
    append_escaped(html_, attribute.value);
    html_ += '"';
  }
}

void HtmlWriter::end_of_element(std::string_view tag) {
  if (!is_inline(tag)) html_ += '\n';
}

void HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  html_ += '>';
  open_.push_back(tag);
}

void HtmlWriter::close() {
  REQUIRES(!open_.empty());
  const std::string_view tag = open_.back();
  open_.pop_back();
  html_ += "</";
  html_ += tag;
  html_ += '>';
  end_of_element(tag);
}

void HtmlWriter::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  html_ += "/>";
  end_of_element(tag);
}

void HtmlWriter::element(std::string_view tag, Attributes attributes, std::string_view content) {
  open(tag, attributes);
  text(content);
  close();
}

void HtmlWriter::text(std::string_view text) { append_escaped(html_, text); }

std::string HtmlWriter::finish() && {
  REQUIRES(open_.empty());
  return std::move(html_);
}

}  // namespace loadline::page
