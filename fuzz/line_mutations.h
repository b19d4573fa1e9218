#pragma once

// Mutations for texts of lines whose fields are JSON or CSV: they keep most lines well-formed, so that a search gets
// behind the parser, to what lines say of each other.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// libFuzzer's own mutation of bytes; absent where inputs are only repeated.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace loadline::fuzz {

class LineMutations {
 public:
  explicit LineMutations(unsigned seed) : random_(seed) {}

  /// One to three changes of the text's lines, in place of their bytes.
  std::string mutate(const std::string& text) {
    std::vector<std::string> lines = split(text);
    if (lines.empty()) return text;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change(lines);
    std::string result;
    for (const std::string& line : lines) result += line + '\n';
    return result;
  }

 private:
  struct Token {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  /// Texts between quotes, and what stands between separators.
  static std::vector<Token> tokens(const std::string& line) {
    constexpr std::string_view kSeparators = "{}[]:, ";
    std::vector<Token> found;
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] == '"') {
        const std::size_t end = std::min(line.find('"', i + 1), line.size() - 1);
        found.push_back({i, end - i + 1});
        i = end + 1;
      } else if (kSeparators.find(line[i]) == std::string_view::npos) {
        const std::size_t end = std::min(line.find_first_of("{}[]:, \"", i), line.size());
        found.push_back({i, end - i});
        i = end;
      } else {
        ++i;
      }
    }
    return found;
  }

  void change(std::vector<std::string>& lines) {
    if (lines.empty()) return;
    const auto at = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())); };
    switch (below(9)) {
      case 0:
        lines.erase(at());
        return;
      case 1: {
        std::string copied = *at();
        lines.insert(at(), std::move(copied));
        return;
      }
      case 2:
        std::iter_swap(at(), at());
        return;
      case 3: {
        const auto from = at();
        const auto to = at();
        std::rotate(std::min(from, to), std::max(from, to), lines.end());
        return;
      }
      case 4:
        return change_bytes(*at());
      case 5:
        return put_number(*at());
      case 6:
        return drop_member(*at());
      default: {
        const std::string from = *at();
        return take_token(*at(), from);
      }
    }
  }

  /// A field of another line, or of another place in this one, in place of one of this line.
  void take_token(std::string& line, const std::string& from) {
    const std::vector<Token> places = tokens(line);
    const std::vector<Token> others = tokens(from);
    if (places.empty() || others.empty()) return;
    const Token place = places[below(places.size())];
    const Token other = others[below(others.size())];
    line.replace(place.begin, place.size, from.substr(other.begin, other.size));
  }

  void put_number(std::string& line) {
    constexpr auto kNumbers = std::to_array<std::string_view>({"0",
                                                               "1",
                                                               "-1",
                                                               "2",
                                                               "17",
                                                               "1000000",
                                                               "2147483647",
                                                               "-2147483648",
                                                               "9223372036854775807",
                                                               "-9223372036854775808",
                                                               "18446744073709551616",
                                                               "1e308",
                                                               "\"9223372036854775807\"",
                                                               "\"1n\"",
                                                               "\"8Ei\"",
                                                               "\"-1\"",
                                                               "\"\"",
                                                               "null",
                                                               "true",
                                                               "{}",
                                                               "[]",
                                                               "\"1970-01-01T00:00:00Z\"",
                                                               "\"9999-12-31T23:59:59Z\""});
    const std::vector<Token> places = tokens(line);
    if (places.empty()) return;
    const Token place = places[below(places.size())];
    line.replace(place.begin, place.size, kNumbers[below(kNumbers.size())]);
  }

  /// Leaves out a member of an object: from a quote that begins a key up to the next comma.
  void drop_member(std::string& line) {
    const std::size_t begin = line.find(",\"", below(line.size()));
    if (begin == std::string::npos) return;
    const std::size_t end = line.find_first_of(",}", begin + 1);
    if (end != std::string::npos) line.erase(begin, end - begin);
  }

  void change_bytes(std::string& line) {
    if (LLVMFuzzerMutate == nullptr) return;
    const std::size_t size = line.size();
    line.resize(size + 64);
    line.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(line.data()), size, line.size()));
  }

  std::minstd_rand random_;
};

/// What LLVMFuzzerCustomMutator does for texts of lines: mostly lines, now and then bytes.
inline std::size_t mutate_lines(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  if (seed % 8 == 0 && LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string mutated = LineMutations(seed / 8).mutate(text).substr(0, max_size);
  std::copy(mutated.begin(), mutated.end(), data);
  return mutated.size();
}

}  // namespace loadline::fuzz
