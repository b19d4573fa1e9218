#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/utf8.h"

namespace loadline::page {

/// Reads a page as a strict parser of XML would, and stricter: only elements and attributes that pages are made of may
/// occur, so text that had become markup is found.
class Markup {
 public:
  explicit Markup(std::string_view html) : rest_(html) { read(html); }

  /// The first thing that is wrong; empty if nothing is.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// All that stands between tags and is no style sheet, unescaped.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// How many elements of this name there are.
  [[nodiscard]] std::size_t count(std::string_view tag) const {
    return static_cast<std::size_t>(std::count(tags_.begin(), tags_.end(), tag));
  }
  /// The values of attributes, of all elements in turn.
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  void read(std::string_view html) {
    if (document::valid_utf8_prefix(html) != html.size()) return fail("it is not UTF-8");
    for (const char letter : html) {
      if (static_cast<unsigned char>(letter) < 0x20 && letter != '\n' && letter != '\t')
        return fail("a control character");
    }
    if (!skip("<!DOCTYPE html>\n")) return fail("it does not begin with its document type");
    while (!rest_.empty() && fault_.empty()) {
      rest_.front() == '<' ? read_tag() : read_text();
    }
    if (fault_.empty() && !open_.empty()) fail(fmt::format("<{}> is not closed", open_.back()));
  }

  void fail(std::string_view what) {
    if (fault_.empty()) fault_ = fmt::format("{}, before '{}'", what, rest_.substr(0, 60));
  }

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string_view take_until(std::string_view ends) {
    const std::size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return taken;
  }

  std::string unescaped(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
      if (text.front() != '&') {
        if (text.front() == '>') fail("a bare >");
        plain += text.front();
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = std::min(text.find(';'), text.size());
      const std::string_view name = text.substr(0, end);
      if (name == "&amp") plain += '&';
      if (name == "&lt") plain += '<';
      if (name == "&gt") plain += '>';
      if (name == "&quot") plain += '"';
      if (name == "&#39") plain += '\'';
      constexpr std::array<std::string_view, 5> kKnown = {"&amp", "&lt", "&gt", "&quot", "&#39"};
      if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) fail("an unknown entity");
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return plain;
  }

  void read_text() {
    const std::string_view text = take_until("<");
    if (!open_.empty() && open_.back() == "style") return;
    text_ += unescaped(text);
    if (open_.empty() && text.find_first_not_of('\n') != std::string_view::npos) fail("text outside of the document");
  }

  void read_tag() {
    if (skip("</")) {
      const std::string_view tag = take_until(">");
      if (open_.empty() || open_.back() != tag) return fail(fmt::format("</{}> closes nothing", tag));
      open_.pop_back();
      skip(">");
      return;
    }
    skip("<");
    const std::string_view tag = take_until(" />");
    constexpr std::array<std::string_view, 37> kTags = {
        "html", "head", "meta", "title", "style",   "body",    "main",   "header", "h1",    "h2",
        "p",    "dl",   "div",  "dt",    "dd",      "section", "ul",     "li",     "span",  "svg",
        "g",    "line", "rect", "text",  "tspan",   "path",    "circle", "table",  "thead", "tbody",
        "tr",   "th",   "td",   "b",     "details", "summary", "pattern"};
    if (tag.empty() || std::find(kTags.begin(), kTags.end(), tag) == kTags.end()) return fail("an unknown element");
    tags_.push_back(tag);
    std::set<std::string_view> seen;
    while (fault_.empty() && skip(" ")) read_attribute(seen);
    if (skip("/>")) return;
    if (!skip(">")) return fail("a tag that does not end");
    open_.push_back(tag);
  }

  void read_attribute(std::set<std::string_view>& seen) {
    const std::string_view name = take_until("=> ");
    constexpr std::array<std::string_view, 30> kAttributes = {
        "charset", "http-equiv", "content",      "name",
        "lang",    "class",      "viewBox",      "width",
        "height",  "role",       "aria-label",   "x",
        "y",       "x1",         "y1",           "x2",
        "y2",      "cx",         "cy",           "r",
        "rx",      "d",          "dx",           "font-size",
        "id",      "style",      "patternUnits", "patternTransform",
        "scope",   "aria-hidden"};
    if (name.empty() || std::find(kAttributes.begin(), kAttributes.end(), name) == kAttributes.end()) {
      return fail(fmt::format("an unknown attribute {}", name));
    }
    if (!seen.insert(name).second) return fail("an attribute that is given twice");
    if (!skip("=\"")) return fail("an attribute without a quoted value");
    const std::string_view value = take_until("\"");
    if (value.find('<') != std::string_view::npos) return fail("a < in an attribute");
    values_.push_back(unescaped(value));
    skip("\"");
  }

  std::string_view rest_;
  std::string fault_;
  std::string text_;
  std::vector<std::string_view> open_;
  std::vector<std::string_view> tags_;
  std::vector<std::string> values_;
};

}  // namespace loadline::page
