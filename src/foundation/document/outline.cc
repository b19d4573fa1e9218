#include "foundation/document/outline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/reader.h"

namespace loadline::document {
namespace {

/// What readers let through, and more than the fields of any kind need.

/// Letters that matter when a value is passed over.
constexpr std::array<bool, 256> kTelling = [] {
  std::array<bool, 256> telling{};
  for (const char letter : {'"', '{', '}', '[', ']'}) telling[static_cast<unsigned char>(letter)] = true;
  return telling;
}();

/// Where a walk is in a text without white space. Each step says whether the text was as expected.
class Walk {
 public:
  explicit Walk(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] bool is_over() const { return at_ == end_; }
  [[nodiscard]] char next() const { return at_ != end_ ? *at_ : '\0'; }
  [[nodiscard]] std::string_view since(const char* begin) const { return {begin, at_}; }

  bool take(char expected) {
    if (next() != expected) return false;
    ++at_;
    return true;
  }

  /// Past the string that begins here.
  bool skip_string() {
    if (!take('"')) return false;
    for (;;) {
      at_ = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (at_ == nullptr) return give_up();
      const char* backslash = at_;
      while (backslash[-1] == '\\') --backslash;  // no further than the quote that begins it
      const bool is_escaped = (at_ - backslash) % 2 != 0;
      ++at_;
      if (!is_escaped) return true;
    }
  }

  /// Past a number, true, false or null.
  void skip_word() {
    while (at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ']') ++at_;
  }

  /// Past the value that begins here, judged by its brackets and quotes alone.
  bool skip_value() {
    if (next() == '"') return skip_string();
    if (next() != '{' && next() != '[') {
      const char* begin = at_;
      skip_word();
      return at_ != begin;
    }
    std::size_t depth = 0;
    do {
      while (at_ != end_ && !kTelling[static_cast<unsigned char>(*at_)]) ++at_;
      if (at_ == end_) return false;
      if (*at_ == '"') {
        if (!skip_string()) return false;
        continue;
      }
      depth = *at_ == '{' || *at_ == '[' ? depth + 1 : depth - 1;
      ++at_;
    } while (depth > 0);
    return true;
  }

 private:
  bool give_up() {
    at_ = end_;
    return false;
  }

  const char* at_;
  const char* end_;
};

/// The scalar in `text`, as read_json reads it.
bool read_scalar(std::string_view text, Value& value) {
  Reading reading = read_json(text, {});
  if (reading.documents.size() != 1 || !reading.problems.empty()) return text == "null";
  value = std::move(reading.documents.front());
  return true;
}

std::string_view without_quotes(std::string_view quoted) { return quoted.substr(1, quoted.size() - 2); }
bool has_no_escapes(std::string_view quoted) { return std::memchr(quoted.data(), '\\', quoted.size()) == nullptr; }

/// The last values of a stack, in an allocation of their own.
template <class T>
std::vector<T> take_from(std::vector<T>& stack, std::size_t base) {
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(base);
  std::vector<T> taken(std::make_move_iterator(begin), std::make_move_iterator(stack.end()));
  stack.erase(begin, stack.end());
  return taken;
}

class OutlineReader {
 public:
  OutlineReader(std::string_view text, const OutlineWish& wish) : walk_(text), wish_(wish) {
    members_.reserve(12);
    elements_.reserve(8);
  }

  Outline read() {
    Outline outline;
    const bool is_read = walk_.next() == '{' && read_object(outline.object, wish_.kept.empty()) && walk_.is_over();
    if (!is_read) return {};
    outline.cut = cut_;
    return outline;
  }

 private:
  enum class Wanted : std::uint8_t { kNothing, kPart, kAll };

  bool read_value(Value& value, bool is_all) {
    if (depth_ == kMaxDepth) return false;
    switch (walk_.next()) {
      case '{':
        return read_object(value, is_all);
      case '[':
        return read_array(value, is_all);
      case '"':
        return read_string(value);
      default:
        return read_word(value);
    }
  }

  /// `is_all`: what is in it is wanted, but for what is left out.
  bool read_object(Value& value, bool is_all) {
    const std::size_t base = members_.size();
    ++depth_;
    bool is_first = true;
    for (walk_.take('{'); walk_.next() != '}'; is_first = false) {
      if ((!is_first && !walk_.take(',')) || !read_member(is_all)) return false;
    }
    --depth_;
    value = Value(take_from(members_, base));
    return walk_.take('}');
  }

  bool read_member(bool is_all) {
    const char* begin = walk_.at();
    if (!walk_.skip_string()) return false;
    const std::string_view quoted = walk_.since(begin);
    if (!walk_.take(':')) return false;
    Value unescaped;
    if (!has_no_escapes(quoted) && !read_scalar(quoted, unescaped)) return false;
    const std::string_view key = unescaped.is_string() ? unescaped.string() : without_quotes(quoted);

    const std::size_t above = path_.size();
    path_.append(key);
    const Wanted wanted = wanted_here(is_all);
    begin = walk_.at();
    if (wanted == Wanted::kNothing) {
      if (!walk_.skip_value()) return false;
    } else {
      path_ += '.';
      Member member{std::string(key), {}, {}};
      if (!read_value(member.value, wanted == Wanted::kAll)) return false;
      members_.push_back(std::move(member));
    }
    path_.resize(above);
    if (depth_ == 1 && key == wish_.cut) cut_ = walk_.since(begin);
    return true;
  }

  /// How much is wanted of the member that the path leads to.
  [[nodiscard]] Wanted wanted_here(bool is_all) const {
    const std::string_view path = path_;
    if (std::ranges::find(wish_.left_out, path) != wish_.left_out.end()) return Wanted::kNothing;
    if (is_all) return Wanted::kAll;
    Wanted wanted = Wanted::kNothing;
    for (const std::string_view kept : wish_.kept) {
      if (kept.size() < path.size() || !kept.starts_with(path)) continue;
      if (kept.size() == path.size()) return Wanted::kAll;
      if (kept[path.size()] == '.') wanted = Wanted::kPart;
    }
    return wanted;
  }

  bool read_array(Value& value, bool is_all) {
    const std::size_t base = elements_.size();
    ++depth_;
    bool is_first = true;
    for (walk_.take('['); walk_.next() != ']'; is_first = false) {
      if (!is_first && !walk_.take(',')) return false;
      Value element;
      if (!read_value(element, is_all)) return false;
      elements_.push_back(std::move(element));
    }
    --depth_;
    value = Value(take_from(elements_, base));
    return walk_.take(']');
  }

  bool read_string(Value& value) {
    const char* begin = walk_.at();
    if (!walk_.skip_string()) return false;
    const std::string_view quoted = walk_.since(begin);
    if (!has_no_escapes(quoted)) return read_scalar(quoted, value);
    value = Value(without_quotes(quoted));
    return true;
  }

  bool read_word(Value& value) {
    const char* begin = walk_.at();
    walk_.skip_word();
    const std::string_view word = walk_.since(begin);
    std::int64_t integer = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), integer);
    if (error == std::errc() && end == word.data() + word.size()) {
      value = Value(integer);
      return true;
    }
    return read_scalar(word, value);
  }

  Walk walk_;
  const OutlineWish& wish_;
  std::string_view cut_;
  std::string path_;  // of the value being read: each key on the way with a point behind it
  std::size_t depth_ = 0;
  std::vector<Member> members_;  // of the objects being read, the innermost's last
  std::vector<Value> elements_;  // likewise of the arrays
};

}  // namespace

Outline read_outline(std::string_view text, const OutlineWish& wish) { return OutlineReader(text, wish).read(); }

}  // namespace loadline::document
