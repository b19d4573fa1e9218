#include "app/cli/terminal/styled.h"

#include <algorithm>
#include <utility>

#include "app/cli/terminal/text.h"

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
  if (text.empty()) return *this;
  spans_.push_back({is_printable(text) ? std::move(text) : printable(text), style});
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

namespace {

/// What stands between two blanks, be it of several styles, and the blanks before it.
struct Word {
  std::size_t blanks = 0;
  Line text;
};

std::vector<Word> words_of(const Line& line) {
  std::vector<Word> words(1);
  for (const Span& span : line.spans()) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const bool is_blank = rest.front() == ' ';
      const std::string_view run = rest.substr(0, is_blank ? rest.find_first_not_of(' ') : rest.find(' '));
      rest.remove_prefix(run.size());
      if (is_blank) {
        if (!words.back().text.empty()) words.emplace_back();
        words.back().blanks += run.size();
      } else {
        words.back().text.add(std::string(run), span.style);
      }
    }
  }
  if (words.back().text.empty()) words.pop_back();  // blanks at the end
  return words;
}

/// Fills lines of a width with words.
class Wrapping {
 public:
  Wrapping(std::size_t width, std::size_t indent) : width_(width), indent_(indent) {}

  void add(const Word& word) {
    const std::size_t needed = word.blanks + word.text.width();
    if (has_words_ && used_ + needed > width_) {
      next();
    } else {
      pad(std::min(word.blanks, width_ - 1 - std::min(used_, width_ - 1)));
    }
    for (const Span& span : word.text.spans()) add(span);
    has_words_ = true;
  }

  std::vector<Line> take() {
    lines_.push_back(std::move(line_));
    return std::move(lines_);
  }

 private:
  void next() {
    lines_.push_back(std::move(line_));
    line_ = Line();
    used_ = 0;
    has_words_ = false;
    pad(indent_);
  }

  void pad(std::size_t blanks) {
    line_.add(std::string(blanks, ' '));
    used_ += blanks;
  }

  /// A word that no line could hold is broken anywhere.
  void add(const Span& span) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      std::string_view part = prefix_of_width(rest, width_ - std::min(used_, width_));
      if (part.empty() && used_ > indent_) {
        next();
        continue;
      }
      if (part.empty()) part = rest;  // a wide letter in a narrow line
      line_.add(std::string(part), span.style);
      used_ += display_width(part);
      rest.remove_prefix(part.size());
    }
  }

  std::size_t width_;
  std::size_t indent_;
  std::vector<Line> lines_;
  Line line_;
  std::size_t used_ = 0;
  bool has_words_ = false;
};

}  // namespace

std::vector<Line> Line::wrapped(std::size_t width) const {
  const std::vector<Word> words = words_of(*this);
  if (this->width() <= width || words.empty()) return {*this};
  constexpr std::size_t kStep = 4;
  Wrapping wrapping(width, std::min(words.front().blanks + kStep, width / 2));
  for (const Word& word : words) wrapping.add(word);
  return wrapping.take();
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
