#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::cli {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kGood, kBad, kWarn, kAccent };

struct Span {
  std::string text;
  Style style = Style::kPlain;
};

/// One line of text, or one cell of a grid: what it says and how it is dressed, apart from whether colours will be
/// written. Texts are made printable (text.h), wherever they come from.
class Line {
 public:
  Line() = default;
  Line(std::string text, Style style = Style::kPlain) { add(std::move(text), style); }  // NOLINT: a text is a line
  Line(const char* text) : Line(std::string(text)) {}                                   // NOLINT: a text is a line

  Line& add(std::string text, Style style = Style::kPlain);
  Line& append(const Line& other);

  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] bool empty() const { return spans_.empty(); }
  /// In columns of a terminal.
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::string plain() const;
  /// At most `width` columns; what is cut off is marked by `ellipsis`.
  [[nodiscard]] Line truncated(std::size_t width, std::string_view ellipsis) const;
  /// Lines of at most `width` columns, broken at blanks where there are any; those after the first begin four columns
  /// further in. REQUIRES: width > 0.
  [[nodiscard]] std::vector<Line> wrapped(std::size_t width) const;

 private:
  std::vector<Span> spans_;
};

enum class Colour : std::uint8_t { kOff, kOn };

/// The line as text, with ANSI escapes around its styled spans if colours are on; no trailing blanks, no newline.
std::string to_text(const Line& line, Colour colour);

}  // namespace loadline::cli
