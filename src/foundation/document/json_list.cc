#include "foundation/document/json_list.h"

#include <string>
#include <utility>

#include "foundation/document/json_extent.h"
#include "foundation/document/json_values.h"
#include "foundation/document/text_cursor.h"

namespace loadline::document {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kDepthOfItems = 2;  // the list, and its array

}  // namespace

JsonList::JsonList(std::string_view text)
    : text_(text),
      values_(std::make_unique<JsonValues>(std::make_shared<const std::string>(), EqualKeys::kRefused)),
      cursor_(std::make_unique<TextCursor>(text)) {
  if (!find_items()) {
    fail();
    return;
  }
  if (std::optional<Value> head = read_without_items("}")) {
    head_ = *std::move(head);
  } else {
    fail();
  }
}

JsonList::~JsonList() = default;

std::optional<Value> JsonList::fail() {
  is_good_ = false;
  is_done_ = true;
  return std::nullopt;
}

/// Steps over the members before the items, of which read_without_items() says whether they are good ones.
bool JsonList::find_items() {
  std::size_t at = skip_json_space(text_, text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  if (at >= text_.size() || text_[at] != '{') return false;
  while (true) {
    const std::size_t key = skip_json_space(text_, at + 1);
    if (key >= text_.size() || text_[key] != '"') return false;
    const std::size_t end_of_key = end_of_json_value(text_, key);
    if (end_of_key == std::string_view::npos) return false;
    const std::size_t colon = skip_json_space(text_, end_of_key);
    const std::size_t value = skip_json_space(text_, colon + 1);
    if (value >= text_.size() || text_[colon] != ':') return false;
    if (text_.substr(key, end_of_key - key) == "\"items\"") {
      items_begin_ = value;
      at_ = skip_json_space(text_, value + 1);
      return text_[value] == '[';
    }
    const std::size_t end_of_value = end_of_json_value(text_, value);
    if (end_of_value == std::string_view::npos) return false;
    at = skip_json_space(text_, end_of_value);
    if (at >= text_.size() || text_[at] != ',') return false;
  }
}

std::optional<Value> JsonList::next() {
  if (is_done_) return std::nullopt;
  if (at_ >= text_.size()) return fail();
  if (text_[at_] == ']') return finish(at_) ? std::nullopt : fail();
  const std::size_t begin = at_;
  const std::size_t end = end_of_json_value(text_, begin);
  if (text_[begin] != '{' || end == std::string_view::npos || !step_behind(end)) return fail();
  return read_item(begin, end);
}

/// From the end of an item to the next one, or to the end of the list. False if neither follows.
bool JsonList::step_behind(std::size_t end_of_item) {
  at_ = skip_json_space(text_, end_of_item);
  if (at_ >= text_.size()) return false;
  if (text_[at_] == ']') return true;
  if (text_[at_] != ',') return false;
  at_ = skip_json_space(text_, at_ + 1);
  return at_ < text_.size() && text_[at_] != ']';
}

std::optional<Value> JsonList::read_item(std::size_t begin, std::size_t end) {
  const std::string_view item = text_.substr(begin, end - begin);
  const std::size_t readable = text_.size() - begin;
  std::optional<Value> value;
  if (readable >= item.size() + simdjson::SIMDJSON_PADDING) {
    const simdjson::padded_string_view piece(item.data(), item.size(), readable);
    value = values_->read({piece, begin, kDepthOfItems, true}, *cursor_);
  } else {
    const PaddedCopy copy(item);
    value = values_->read({copy.view(), begin, kDepthOfItems, true}, *cursor_);
  }
  if (!value || values_->has_duplicates()) return fail();
  return value;
}

bool JsonList::finish(std::size_t end_of_items) {
  is_done_ = true;
  std::optional<Value> around = read_without_items(text_.substr(end_of_items + 1));
  if (!around) return false;
  around_ = *std::move(around);
  return true;
}

/// The list as if it had no items, and `behind` stood after them. Its marks are not those of the text.
std::optional<Value> JsonList::read_without_items(std::string_view behind) {
  const std::size_t begin = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::string text(text_.substr(begin, items_begin_ - begin));
  text.append("[]").append(behind);
  TextCursor cursor(text);
  const PaddedCopy copy(text);
  std::optional<Value> list = values_->read({copy.view(), 0, 0, true}, cursor);
  if (values_->has_duplicates()) return std::nullopt;
  return list;
}

}  // namespace loadline::document
