#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::page {

/// `name="value"`. A number is a coordinate: it has two decimals at most, and one that is not finite becomes 0.
struct Attribute {
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, double coordinate);

  std::string_view name;
  std::string value;
};

/// "12.5", "0": as coordinates are written.
std::string coordinate_text(double coordinate);

/// Writes elements, HTML's and SVG's. What it writes is well-formed XML too: every element is closed, all text escaped.
class HtmlWriter {
 public:
  using Attributes = std::initializer_list<Attribute>;

  /// REQUIRES: `tag` lives until it is closed.
  void open(std::string_view tag, Attributes attributes = {});
  /// Closes the innermost open element. REQUIRES: there is one.
  void close();
  /// An element without content.
  void empty(std::string_view tag, Attributes attributes = {});
  /// An element with nothing but text in it.
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  void text(std::string_view text);
  /// What is HTML already and ours: the style sheet.
  void raw(std::string_view html) { html_ += html; }

  /// REQUIRES: every element is closed.
  std::string finish() &&;

 private:
  void begin(std::string_view tag, Attributes attributes);
  void end_of_element(std::string_view tag);

  std::string html_;
  std::vector<std::string_view> open_;
};

}  // namespace loadline::page
