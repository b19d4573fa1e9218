#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::api {

/// Writes the cells of one row as JSON, and gathers what the row says beside them.
class CellWriter {
 public:
  CellWriter(std::string& text, Instant now) : text_(text), now_(now) {}

  void text(std::string_view cell);
  /// The text, or `instead` if it is empty.
  void text_or(std::string_view cell, std::string_view instead) { text(cell.empty() ? instead : cell); }
  void integer(std::int64_t cell);
  void number(double cell);
  void boolean(bool cell);
  void null();

  /// How long the object has been there, by its creationTimestamp.
  void age(const document::Value& object);

  /// How long ago that was; "<unknown>" for no time.
  [[nodiscard]] std::string since(std::optional<Instant> at) const;
  [[nodiscard]] Instant now() const { return now_; }

  /// Marks the row as that of something finished: clients may show it dimmed.
  void complete(std::string_view reason, std::string_view message) {
    reason_ = reason;
    message_ = message;
  }
  [[nodiscard]] std::string_view reason() const { return reason_; }  ///< empty: not finished
  [[nodiscard]] std::string_view message() const { return message_; }

 private:
  void separate();

  std::string& text_;
  Instant now_;
  bool is_first_ = true;
  std::string_view reason_;
  std::string_view message_;
};

}  // namespace loadline::api
