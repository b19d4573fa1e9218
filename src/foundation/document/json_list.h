#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

class JsonValues;
class TextCursor;

/// Reads the JSON text of a list, `{"apiVersion": "v1", "items": [...], "kind": "List"}`, one item at a time, so that
/// the items of a large list never stand in memory together. It takes good lists only, and says nothing of what is
/// wrong with others: read() does. The items are equal to those that read() finds, with the same marks.
///
/// A list is good if the text is one JSON object that has an array of objects as its member `items`, and no object in
/// it has a key twice.
class JsonList {
 public:
  /// The text must outlive the list. `is_good` is false if it shows at once that there are no items.
  explicit JsonList(std::string_view text);
  ~JsonList();
  JsonList(const JsonList&) = delete;
  JsonList& operator=(const JsonList&) = delete;

  /// The next item; nothing behind the last one, or if the list is not good.
  std::optional<Value> next();

  /// The members of the list that stand before the items: none, or `apiVersion` and `kind`.
  [[nodiscard]] const Value& head() const { return head_; }

  /// The list without its items. Null until next() has returned nothing.
  [[nodiscard]] const Value& around() const { return around_; }

  /// False as soon as it is known that the list is not good: only read() can make something of the text then.
  [[nodiscard]] bool is_good() const { return is_good_; }

 private:
  std::optional<Value> fail();
  bool find_items();
  bool step_behind(std::size_t end_of_item);
  bool finish(std::size_t end_of_items);
  std::optional<Value> read_item(std::size_t begin, std::size_t end);
  std::optional<Value> read_without_items(std::string_view behind);

  std::string_view text_;
  std::size_t at_ = 0;           // of the next item, or the end of the list
  std::size_t items_begin_ = 0;  // the bracket
  bool is_good_ = true;
  bool is_done_ = false;
  Value head_;
  Value around_;
  std::unique_ptr<JsonValues> values_;
  std::unique_ptr<TextCursor> cursor_;
};

}  // namespace loadline::document
