#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadline::api {

/// Protobuf's wire types; groups, deprecated since proto2, are malformed here as in gogo's decoders.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a message as it came.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t scalar = 0;  ///< of the types but kBytes
  std::string_view bytes;    ///< of kBytes: lives as long as the message
};

/// The fields of one message, in order. Lengths are checked against what is there before anything is read.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, or if the message is malformed: then error() says so.
  std::optional<WireField> next();
  /// In gogo's words: "unexpected EOF", "proto: integer overflow". Empty: nothing is wrong so far.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// A bare varint, of a packed list.
  std::optional<std::uint64_t> next_varint();
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::optional<std::uint64_t> next_fixed(std::size_t size);
  std::nullopt_t fail(std::string message);

  std::string_view rest_;
  std::string error_;
};

}  // namespace loadline::api
