#include "cli/terminal/styled.h"

#include "cli/terminal/text.h"

namespace loadline::cli {
namespace {

std::string_view escape(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kWarn:
      return "\x1b[33m";
    case Style::kAccent:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

Line& Line::add(std::string text, Style style) {
  if (!text.empty()) spans_.push_back({std::move(text), style});
  return *this;
}

Line& Line::append(const Line& other) {
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
  return *this;
}

std::size_t Line::width() const {
  std::size_t total = 0;
  for (const Span& span : spans_) total += display_width(span.text);
  return total;
}

std::string Line::plain() const {
  std::string text;
  for (const Span& span : spans_) text += span.text;
  return text;
}

Line Line::truncated(std::size_t width, std::string_view ellipsis) const {
  if (this->width() <= width) return *this;
  std::size_t room = width > display_width(ellipsis) ? width - display_width(ellipsis) : 0;
  Line result;
  for (const Span& span : spans_) {
    const std::size_t wide = display_width(span.text);
    if (wide > room) {
      result.add(std::string(prefix_of_width(span.text, room)) + std::string(ellipsis), span.style);
      return result;
    }
    result.add(span.text, span.style);
    room -= wide;
  }
  return result;
}

std::string to_text(const Line& line, Colour colour) {
  std::string text = line.plain();
  const std::size_t end = text.find_last_not_of(' ') + 1;
  if (colour == Colour::kOff) return text.substr(0, end);
  text.clear();
  std::size_t left = end;
  for (const Span& span : line.spans()) {
    if (left == 0) break;
    const std::string part = span.text.substr(0, left);
    left -= part.size();
    const std::string_view code = escape(span.style);
    if (code.empty()) {
      text += part;
    } else {
      text.append(code).append(part).append("\x1b[0m");
    }
  }
  return text;
}

}  // namespace loadline::cli
