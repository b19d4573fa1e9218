#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/document/field_path.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/number.h"
#include "foundation/document/reader.h"
#include "foundation/document/text_cursor.h"
#include "foundation/document/unique_members.h"

namespace loadline::document {
namespace {

namespace ondemand = simdjson::ondemand;

/// Go bounds JSON at 10,000 levels; whatever walks a Value by recursion is safe on any thread's stack with a tenth.

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

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
        if (open.empty() && is_space(text[at])) return at;
    }
  }
  if (open.empty()) return text.size();
  return std::nullopt;
}

/// Reads one text. Values are taken by simdjson, piece by piece; where it refuses one, find_json_fault says why.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file, EqualKeys equal_keys)
      : text_(text), file_(std::make_shared<const std::string>(std::move(file))), cursor_(text), later_(equal_keys) {}

  Reading read() {
    std::size_t at = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    const std::string padded = [&] {
      std::string copy;
      copy.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
      copy.append(text_);
      copy.append(simdjson::SIMDJSON_PADDING, ' ');
      return copy;
    }();
    padded_ = padded;
    if (read_whole(at)) return std::move(reading_);
    for (; at < text_.size(); ++at) {
      if (is_space(text_[at])) continue;
      const std::optional<std::size_t> end = end_of_value(text_, at);
      if (!end || !read_piece(at, *end)) {
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
    while (begin < text_.size() && is_space(text_[begin])) ++begin;
    std::size_t end = text_.size();
    while (end > begin && is_space(text_[end - 1])) --end;
    if (end - begin < 2 || text_[begin] != '{' || text_[end - 1] != '}') return false;
    must_be_all_ = true;
    const bool is_read = read_piece(begin, end);
    must_be_all_ = false;
    if (!is_read) {
      duplicates_.clear();
      elements_.clear();
    }
    return is_read;
  }

  bool read_piece(std::size_t begin, std::size_t end) {
    piece_cursor_ = cursor_;
    const bool nested = text_[begin] == '{' || text_[begin] == '[';
    std::optional<Value> value = nested ? read_container(begin, end) : read_scalar(begin, end);
    if (!value) return false;
    cursor_ = piece_cursor_;
    if (!value->is_null()) reading_.documents.push_back(std::move(*value));
    reading_.problems.insert(reading_.problems.end(), duplicates_.begin(), duplicates_.end());
    duplicates_.clear();
    return true;
  }

  std::optional<Value> read_container(std::size_t begin, std::size_t end) {
    base_ = padded_.data();
    return parse(simdjson::padded_string_view(padded_.data() + begin, end - begin, padded_.size() - begin));
  }

  /// On-demand parsing takes a lone scalar by other functions than one inside of an array; so it gets an array.
  std::optional<Value> read_scalar(std::size_t begin, std::size_t end) {
    std::string array = "[" + std::string(text_.substr(begin, end - begin)) + "]";
    const std::size_t size = array.size();
    array.append(simdjson::SIMDJSON_PADDING, ' ');
    const Mark mark = piece_cursor_.advance(begin);
    const TextCursor kept = piece_cursor_;
    base_ = array.data();
    piece_cursor_ = TextCursor(array);
    std::optional<Value> wrapped = parse(simdjson::padded_string_view(array.data(), size, array.size()));
    piece_cursor_ = kept;
    if (!wrapped || !wrapped->is_array() || wrapped->array().size() != 1) return std::nullopt;
    return at_mark(wrapped->array().front(), mark);
  }

  static Value at_mark(const Value& scalar, Mark mark) {
    if (scalar.is_string()) return Value(scalar.string(), mark);
    if (scalar.is_integer()) return Value(scalar.integer(), mark);
    if (scalar.is_float()) return Value(scalar.number(), mark);
    return scalar.is_boolean() ? Value(scalar.boolean(), mark) : Value::null(mark);
  }

  std::optional<Value> parse(simdjson::padded_string_view piece) {
    ondemand::document document;
    if (parser_.iterate(piece).get(document) != simdjson::SUCCESS) return std::nullopt;
    ondemand::value root;
    if (document.get_value().get(root) != simdjson::SUCCESS) return std::nullopt;
    Value value;
    if (!read_value(root, FieldPath{}, value)) return std::nullopt;
    if (must_be_all_ && document.current_location().error() != simdjson::OUT_OF_BOUNDS) return std::nullopt;
    return value;
  }

  Mark mark_of(const char* token) { return piece_cursor_.advance(static_cast<std::size_t>(token - base_)); }

  bool read_value(ondemand::value& source, const FieldPath& path, Value& value) {
    ondemand::json_type type{};
    if (source.type().get(type) != simdjson::SUCCESS) return false;
    const Mark mark = mark_of(std::to_address(source.raw_json_token().begin()));
    if (type == ondemand::json_type::object) return read_object(source, path, mark, value);
    if (type == ondemand::json_type::array) return read_array(source, path, mark, value);
    return read_plain(source, type, mark, value);
  }

  /// A value that holds no others. Not inlined, so that the frames of a thousand levels of nesting hold nothing of it.
  [[gnu::noinline]] static bool read_plain(ondemand::value& source, ondemand::json_type type, Mark mark, Value& value) {
    switch (type) {
      case ondemand::json_type::string: {
        std::string_view text;
        if (source.get_string().get(text) != simdjson::SUCCESS) return false;
        value = Value(text, mark);
        return true;
      }
      case ondemand::json_type::number:
        return read_number(source, mark, value);
      case ondemand::json_type::boolean: {
        bool boolean = false;
        if (source.get_bool().get(boolean) != simdjson::SUCCESS) return false;
        value = Value(boolean, mark);
        return true;
      }
      case ondemand::json_type::null: {
        bool null = false;
        if (source.is_null().get(null) != simdjson::SUCCESS || !null) return false;
        value = Value::null(mark);
        return true;
      }
      default:
        return false;
    }
  }

  /// One container deeper, for as long as it lives.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    std::size_t& depth_;
  };

  static bool read_number(ondemand::value& source, Mark mark, Value& value) {
    std::int64_t integer = 0;
    if (source.get_int64().get(integer) == simdjson::SUCCESS) {
      value = Value(integer, mark);
      return true;
    }
    double number = 0;
    if (source.get_double().get(number) != simdjson::SUCCESS) return false;
    value = Value(number, mark);
    return true;
  }

  bool read_array(ondemand::value& source, const FieldPath& path, Mark mark, Value& value) {
    ondemand::array elements;
    const Level level(depth_);
    if (depth_ > kMaxDepth || source.get_array().get(elements) != simdjson::SUCCESS) return false;
    const std::size_t base = elements_.size();
    for (auto element : elements) {
      ondemand::value child;
      if (element.get(child) != simdjson::SUCCESS) return false;
      Value read;
      if (!read_value(child, FieldPath{&path, {}, elements_.size() - base, true}, read)) return false;
      elements_.push_back(std::move(read));
    }
    value = Value(take_elements(elements_, base), mark);
    return true;
  }

  bool read_object(ondemand::value& source, const FieldPath& path, Mark mark, Value& value) {
    ondemand::object fields;
    const Level level(depth_);
    if (depth_ > kMaxDepth || source.get_object().get(fields) != simdjson::SUCCESS) return false;
    UniqueMembers members(members_);
    for (auto field : fields) {
      ondemand::raw_json_string raw;
      std::string_view key;
      ondemand::value child;
      if (field.key().get(raw) != simdjson::SUCCESS) return false;
      const Mark key_mark = mark_of(raw.raw() - 1);
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      if (field.value().get(child) != simdjson::SUCCESS) return false;
      Member member{std::string(key), {}, key_mark};
      const FieldPath below{&path, member.key, 0, false};
      if (!read_value(child, below, member.value)) return false;
      if (Member* const before = members.find(member.key)) {
        report_duplicate(before->mark, key_mark, below);
        later_.put(*before, std::move(member));
      } else {
        members.add(std::move(member));
      }
    }
    value = Value(members.take(), mark);
    return true;
  }

  void report_duplicate(Mark before, Mark again, const FieldPath& path) {
    Diagnostic duplicate = equal_keys_problem(later_.rule(), file_, before, again);
    duplicate.message = std::string(kEqualJsonKey) + path.to_string() + "\"";
    duplicates_.push_back(std::move(duplicate));
  }

  void report_fault(std::size_t begin, std::size_t end) {
    duplicates_.clear();
    elements_.clear();
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
  std::string_view padded_;
  const char* base_ = nullptr;  // what offsets of tokens count from
  ondemand::parser parser_;
  TextCursor cursor_;            // at the last value read whole
  TextCursor piece_cursor_{{}};  // inside the value being read
  MemberStack members_;
  std::vector<Value> elements_;  // of the arrays being read, the innermost's last
  Diagnostics duplicates_;       // in the value being read
  LaterValues later_;
  std::size_t depth_ = 0;     // of containers around the value being read
  bool must_be_all_ = false;  // whether a piece with something after its value is none
  Reading reading_;
};

}  // namespace

Reading read_json(std::string_view text, std::string file, EqualKeys equal_keys) {
  return JsonReader(text, std::move(file), equal_keys).read();
}

}  // namespace loadline::document
