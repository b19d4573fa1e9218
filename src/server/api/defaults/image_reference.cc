#include "server/api/defaults/image_reference.h"

#include <algorithm>
#include <cstddef>

#include "foundation/base/text.h"

namespace loadline::api {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestTag = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// Lower case letters and digits, with one dot, one or two underscores or any number of hyphens between.
bool is_path_component(std::string_view text) {
  bool is_after_letter = false;
  for (std::size_t at = 0; at < text.size();) {
    if (is_lower(text[at]) || is_digit(text[at])) {
      is_after_letter = true;
      ++at;
      continue;
    }
    if (!is_after_letter) return false;
    const std::size_t end = std::min(text.find_first_not_of(text[at], at), text.size());
    const std::size_t most = text[at] == '.' ? 1 : text[at] == '_' ? 2 : text[at] == '-' ? text.size() : 0;
    if (end - at > most) return false;
    is_after_letter = false;
    at = end;
  }
  return is_after_letter;
}

bool is_domain_component(std::string_view text) {
  const auto is_inner = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  return !text.empty() && text.front() != '-' && text.back() != '-' && std::ranges::all_of(text, is_inner);
}

bool is_domain(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  if (text.starts_with('[')) {
    if (bracket == std::string_view::npos || bracket < 2) return false;
    const auto is_inner = [](char c) { return is_hex(c) || (c >= 'A' && c <= 'F') || c == ':'; };
    if (!std::ranges::all_of(text.substr(1, bracket - 1), is_inner)) return false;
  }
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, is_digit)) return false;
  }
  if (bracket != std::string_view::npos) return bracket + 1 == std::min(colon, text.size());
  return std::ranges::all_of(split(text.substr(0, colon), "."), is_domain_component);
}

bool is_tag(std::string_view text) {
  const auto is_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !text.empty() && text.size() <= kLongestTag && is_word(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view algorithm = text.substr(0, colon);
  const std::size_t digits = algorithm == "sha256" ? 64 : algorithm == "sha384" ? 96 : algorithm == "sha512" ? 128 : 0;
  if (digits == 0 || colon == std::string_view::npos) return false;
  const std::string_view hex = text.substr(colon + 1);
  return hex.size() == digits && std::ranges::all_of(hex, is_hex);
}

/// Whether what stands before the first slash names a registry rather than a part of a path.
bool names_a_registry(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
         std::ranges::any_of(first, is_upper);
}

}  // namespace

std::string image_tag(std::string_view image) {
  if (image.size() == 64 && std::ranges::all_of(image, is_hex)) return {};  // an image's id is no name
  std::string_view rest = image;
  const std::size_t slash = image.find('/');
  if (slash != std::string_view::npos && names_a_registry(image.substr(0, slash))) {
    if (!is_domain(image.substr(0, slash))) return {};
    rest.remove_prefix(slash + 1);
  }
  const std::size_t at = rest.find('@');
  const bool has_digest = at != std::string_view::npos;
  if (has_digest && !is_digest(rest.substr(at + 1))) return {};
  rest = rest.substr(0, at);
  const std::size_t colon = rest.find(':');
  const bool has_tag = colon != std::string_view::npos;
  if (has_tag && !is_tag(rest.substr(colon + 1))) return {};
  const std::string_view path = rest.substr(0, colon);
  if (path.size() > kLongestName || !std::ranges::all_of(split(path, "/"), is_path_component)) return {};
  if (has_tag) return std::string(rest.substr(colon + 1));
  return has_digest ? "" : "latest";
}

}  // namespace loadline::api
