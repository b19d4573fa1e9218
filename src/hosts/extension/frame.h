#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace loadline::extension {

/// Writes values one after the other, in the machine's own byte order: both ends are one program on one machine.
class FrameWriter {
 public:
  template <class Number>
    requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
  void add(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  /// With a final zero byte, so that the receiver can use it in place.
  void add(std::string_view text) {
    add_bytes(text);
    bytes_.push_back('\0');
  }
  /// Bytes that belong together, such as what another writer wrote.
  void add_bytes(std::string_view bytes) {
    add(static_cast<std::uint32_t>(bytes.size()));
    bytes_.append(bytes);
  }

  /// What another writer wrote, as if written here.
  void append(const FrameWriter& other) { bytes_ += other.bytes_; }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// Reads what a FrameWriter wrote, without trust: what is not there reads as zero or as the empty text, and spoils the
/// reader.
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : left_(bytes) {}

  template <class Number>
    requires((std::is_arithmetic_v<Number> || std::is_enum_v<Number>) && !std::is_same_v<Number, bool>)
  Number number() {
    Number number{};
    const std::string_view bytes = take(sizeof number);
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  /// What a bool was written as; whatever stands there is one.
  bool flag() { return number<std::uint8_t>() != 0; }
  /// Followed by a zero byte in memory.
  std::string_view text() {
    const std::string_view text = bytes();
    const std::string_view end = take(1);
    if (end.empty() || end.front() != '\0') spoil();
    return spoilt_ ? std::string_view("") : text;
  }
  /// The same for C, which looks for the zero byte.
  const char* c_text() { return text().data(); }
  std::string_view bytes() { return take(number<std::uint32_t>()); }

  /// Whether all was there and nothing is left.
  [[nodiscard]] bool complete() const { return !spoilt_ && left_.empty(); }
  [[nodiscard]] bool spoilt() const { return spoilt_; }
  /// Bytes not yet read; bounds any count that the frame claims.
  [[nodiscard]] std::size_t left() const { return left_.size(); }

 private:
  std::string_view take(std::size_t size) {
    if (size > left_.size()) {
      spoil();
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  void spoil() {
    spoilt_ = true;
    left_ = {};
  }

  std::string_view left_;
  bool spoilt_ = false;
};

}  // namespace loadline::extension
