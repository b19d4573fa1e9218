#include "foundation/document/json_values.h"

#include <cstdint>
#include <utility>

#include "foundation/document/reader.h"

namespace loadline::document {
namespace {

namespace ondemand = simdjson::ondemand;

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

bool read_number(ondemand::value& source, Mark mark, Value& value) {
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

/// A value that holds no others. Not inlined, so that the frames of a thousand levels of nesting hold nothing of it.
[[gnu::noinline]] bool read_plain(ondemand::value& source, ondemand::json_type type, Mark mark, Value& value) {
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

}  // namespace

std::optional<Value> JsonValues::read(const JsonPiece& piece, TextCursor& cursor) {
  begin_ = piece.text.data();
  offset_ = piece.offset;
  cursor_ = &cursor;
  depth_ = piece.depth;
  std::optional<Value> value = read_piece(piece);
  if (!value) {
    duplicates_.clear();
    elements_.clear();
  }
  return value;
}

std::optional<Value> JsonValues::read_piece(const JsonPiece& piece) {
  ondemand::document document;
  if (parser_.iterate(piece.text).get(document) != simdjson::SUCCESS) return std::nullopt;
  ondemand::value root;
  if (document.get_value().get(root) != simdjson::SUCCESS) return std::nullopt;
  Value value;
  if (!read_value(root, FieldPath{}, value)) return std::nullopt;
  if (piece.must_be_all && document.current_location().error() != simdjson::OUT_OF_BOUNDS) return std::nullopt;
  return value;
}

Mark JsonValues::mark_of(const char* token) {
  return cursor_->advance(offset_ + static_cast<std::size_t>(token - begin_));
}

bool JsonValues::read_value(ondemand::value& source, const FieldPath& path, Value& value) {
  ondemand::json_type type{};
  if (source.type().get(type) != simdjson::SUCCESS) return false;
  const Mark mark = mark_of(std::to_address(source.raw_json_token().begin()));
  if (type == ondemand::json_type::object) return read_object(source, path, mark, value);
  if (type == ondemand::json_type::array) return read_array(source, path, mark, value);
  return read_plain(source, type, mark, value);
}

bool JsonValues::read_array(ondemand::value& source, const FieldPath& path, Mark mark, Value& value) {
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

bool JsonValues::read_object(ondemand::value& source, const FieldPath& path, Mark mark, Value& value) {
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

void JsonValues::report_duplicate(Mark before, Mark again, const FieldPath& path) {
  Diagnostic duplicate = equal_keys_problem(later_.rule(), file_, before, again);
  duplicate.message = std::string(kEqualJsonKey) + path.to_string() + "\"";
  duplicates_.push_back(std::move(duplicate));
}

}  // namespace loadline::document
