#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::net {

// The frames of the WebSocket protocol, as a server needs them that sends messages and reads none. Source: RFC 6455.

/// What `Sec-WebSocket-Accept` answers to a `Sec-WebSocket-Key`.
[[nodiscard]] std::string websocket_accept(std::string_view key);

enum class WebSocketFrame : std::uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xA,
};

/// The head of a server's frame that is a whole message of so many bytes.
[[nodiscard]] std::string websocket_head(WebSocketFrame frame, std::size_t length);

/// The frame that ends the connection as it should end.
[[nodiscard]] std::string websocket_goodbye();

/// Reads the frames of a client, in whatever pieces they come. What the client says is passed over; only its pings and
/// its close frame are answered, and what is no frame of a client ends the connection. Holds a frame's head and 125
/// bytes.
class WebSocketReader {
 public:
  /// Takes all of `bytes`; frames that the client is owed go to the end of `answer`. False: it is over, and `answer`
  /// ends with the frame that says so.
  [[nodiscard]] bool feed(std::string_view bytes, std::string& answer);

 private:
  enum class State : std::uint8_t { kHead, kPayload, kOver };

  void take_head(char byte, std::string& answer);
  [[nodiscard]] std::size_t head_size() const;
  /// Whether the head, which is whole, is one that a client may send.
  [[nodiscard]] bool is_proper() const;
  void begin_payload();
  void take_payload(std::string_view bytes);
  void end_frame(std::string& answer);
  void refuse(std::string& answer);

  [[nodiscard]] WebSocketFrame frame() const { return static_cast<WebSocketFrame>(byte(0) & 0x0FU); }
  [[nodiscard]] bool is_control() const { return (byte(0) & 0x08U) != 0; }
  [[nodiscard]] std::uint8_t byte(std::size_t at) const { return static_cast<std::uint8_t>(head_[at]); }

  State state_ = State::kHead;
  std::string head_;
  std::uint64_t length_ = 0;    // of the payload
  std::uint64_t taken_ = 0;     // of it
  std::string payload_;         // of a control frame
  bool is_in_message_ = false;  // whose last fragment is yet to come
};

}  // namespace loadline::net
