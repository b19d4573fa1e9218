#include "app/cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace loadline::cli {
namespace {

constexpr std::size_t kNarrowest = 20;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

std::optional<std::size_t> window_width(int file_descriptor) {
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::optional<std::size_t> wished_width() {
  const std::string_view text = environment("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return width;
}

Letters letters_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    const bool utf8 = value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ||
                      value.find("UTF8") != value.npos || value.find("utf-8") != value.npos;
    return utf8 ? Letters::kUnicode : Letters::kAscii;
  }
  return Letters::kUnicode;
}

}  // namespace

Terminal detect_terminal(int file_descriptor) {
  Terminal terminal;
  terminal.interactive = isatty(file_descriptor) == 1;
  std::optional<std::size_t> width = wished_width();
  terminal.is_width_wished = width.has_value();
  if (terminal.interactive) {
    if (const std::optional<std::size_t> window = window_width(file_descriptor)) width = window;
  }
  if (width) terminal.width = std::max(*width, kNarrowest);
  terminal.letters = letters_of_locale();
  const bool colours = terminal.interactive && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  terminal.colour = colours ? Colour::kOn : Colour::kOff;
  return terminal;
}

Terminal with_colour(Terminal terminal, ColourWish wish) {
  if (wish == ColourWish::kAlways) terminal.colour = Colour::kOn;
  if (wish == ColourWish::kNever) terminal.colour = Colour::kOff;
  return terminal;
}

}  // namespace loadline::cli
