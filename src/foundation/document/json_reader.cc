#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/json_extent.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/json_values.h"
#include "foundation/document/reader.h"
#include "foundation/document/text_cursor.h"

namespace loadline::document {
namespace {

/// Where the JSON value that begins at `begin` ends, judged by its brackets and quotes alone; nothing if they do not
/// match or lie too deep.
std::optional<std::size_t> end_of_value(std::string_view text, std::size_t begin) {
  std::vector<char> open;
  for (std::size_t at = begin; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
        }
        if (at >= text.size()) return std::nullopt;
        if (open.empty()) return at + 1;
        break;
      case '{':
      case '[':
        if (open.empty() && at > begin) return at;
        if (open.size() == kMaxDepth) return std::nullopt;
        open.push_back(text[at] == '{' ? '}' : ']');
        break;
      case '}':
      case ']':
        if (open.empty() || open.back() != text[at]) return std::nullopt;
        open.pop_back();
        if (open.empty()) return at + 1;
        break;
      default:
        if (open.empty() && is_json_space(text[at])) return at;
    }
  }
  if (open.empty()) return text.size();
  return std::nullopt;
}

/// Reads one text. Values are taken by simdjson, piece by piece; where it refuses one, find_json_fault says why.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file, EqualKeys equal_keys)
      : text_(text),
        file_(std::make_shared<const std::string>(std::move(file))),
        padded_(text),
        values_(file_, equal_keys),
        cursor_(text) {}

  Reading read() {
    std::size_t at = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    if (read_whole(at)) return std::move(reading_);
    for (; at < text_.size(); ++at) {
      if (is_json_space(text_[at])) continue;
      const std::optional<std::size_t> end = end_of_value(text_, at);
      if (!end || !read_piece(at, *end, false)) {
        report_fault(at, end.value_or(text_.size()));
        // Past a value whose end is in doubt, whatever follows would only be misread.
        if (!end || (text_[at] != '{' && text_[at] != '[')) break;
      }
      at = *end - 1;
    }
    return std::move(reading_);
  }

 private:
  /// Nearly every text is one object and nothing else: then there is no end to look for. False, and nothing read, if it
  /// is not, or not a good one.
  bool read_whole(std::size_t begin) {
    while (begin < text_.size() && is_json_space(text_[begin])) ++begin;
    std::size_t end = text_.size();
    while (end > begin && is_json_space(text_[end - 1])) --end;
    if (end - begin < 2 || text_[begin] != '{' || text_[end - 1] != '}') return false;
    return read_piece(begin, end, true);
  }

  /// `must_be_all`: a piece with something after its value is none.
  bool read_piece(std::size_t begin, std::size_t end, bool must_be_all) {
    TextCursor cursor = cursor_;
    const bool nested = text_[begin] == '{' || text_[begin] == '[';
    std::optional<Value> value = nested ? values_.read({padded_.part(begin, end), begin, 0, must_be_all}, cursor)
                                        : read_scalar(begin, end, cursor);
    if (!value) return false;
    cursor_ = cursor;
    if (!value->is_null()) reading_.documents.push_back(std::move(*value));
    std::ranges::move(values_.take_duplicates(), std::back_inserter(reading_.problems));
    return true;
  }

  /// On-demand parsing takes a lone scalar by other functions than one inside of an array; so it gets an array.
  std::optional<Value> read_scalar(std::size_t begin, std::size_t end, TextCursor& cursor) {
    const std::string array = "[" + std::string(text_.substr(begin, end - begin)) + "]";
    const PaddedCopy copy(array);
    const Mark mark = cursor.advance(begin);
    TextCursor inside(array);
    const std::optional<Value> wrapped = values_.read({copy.view()}, inside);
    if (!wrapped || !wrapped->is_array() || wrapped->array().size() != 1) return std::nullopt;
    return at_mark(wrapped->array().front(), mark);
  }

  static Value at_mark(const Value& scalar, Mark mark) {
    if (scalar.is_string()) return Value(scalar.string(), mark);
    if (scalar.is_integer()) return Value(scalar.integer(), mark);
    if (scalar.is_float()) return Value(scalar.number(), mark);
    return scalar.is_boolean() ? Value(scalar.boolean(), mark) : Value::null(mark);
  }

  void report_fault(std::size_t begin, std::size_t end) {
    JsonFault fault = find_json_fault(text_.substr(begin, end - begin), kMaxDepth)
                          .value_or(JsonFault{0, "a string or number in this value cannot be represented",
                                              "look for a lone \\uD800..\\uDFFF escape or a number beyond 1e308"});
    const Mark mark = cursor_.advance(begin + fault.offset);
    Diagnostic problem;
    problem.at = {file_, mark.line, mark.column};
    problem.message = std::move(fault.message);
    problem.hint = std::move(fault.hint);
    reading_.problems.push_back(std::move(problem));
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  PaddedCopy padded_;
  JsonValues values_;
  TextCursor cursor_;  // at the last value read whole
  Reading reading_;
};

}  // namespace

Reading read_json(std::string_view text, std::string file, EqualKeys equal_keys) {
  return JsonReader(text, std::move(file), equal_keys).read();
}

}  // namespace loadline::document
