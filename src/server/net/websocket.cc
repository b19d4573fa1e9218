#include "server/net/websocket.h"

#include <algorithm>
#include <array>

#include "foundation/base/base64.h"
#include "foundation/base/digest.h"

namespace loadline::net {
namespace {

constexpr std::size_t kLongestControl = 125;
constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kReserved = 0x70;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::uint8_t kLength = 0x7F;
constexpr std::size_t kMask = 4;  // bytes

constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kProtocolError = 1002;

/// A number, its most significant byte first.
void append_number(std::string& text, std::uint64_t number, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xFFU);
}

std::string close_frame(std::uint16_t status) {
  std::string frame = websocket_head(WebSocketFrame::kClose, 2);
  append_number(frame, status, 2);
  return frame;
}

}  // namespace

std::string websocket_accept(std::string_view key) {
  return encode_base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

std::string websocket_head(WebSocketFrame frame, std::size_t length) {
  std::string head(1, static_cast<char>(kFinal | static_cast<std::uint8_t>(frame)));
  if (length <= kLongestControl) {
    append_number(head, length, 1);
  } else if (length <= 0xFFFF) {
    append_number(head, 126, 1);
    append_number(head, length, 2);
  } else {
    append_number(head, 127, 1);
    append_number(head, length, 8);
  }
  return head;
}

std::string websocket_goodbye() { return close_frame(kNormal); }

bool WebSocketReader::feed(std::string_view bytes, std::string& answer) {
  while (!bytes.empty() && state_ != State::kOver) {
    if (state_ == State::kHead) {
      take_head(bytes.front(), answer);
      bytes.remove_prefix(1);
    } else {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), length_ - taken_));
      take_payload(bytes.substr(0, count));
      bytes.remove_prefix(count);
    }
    if (state_ == State::kPayload && taken_ == length_) end_frame(answer);
  }
  return state_ != State::kOver;
}

void WebSocketReader::take_head(char byte, std::string& answer) {
  head_ += byte;
  if (head_.size() < 2 || head_.size() < head_size()) return;
  if (!is_proper()) return refuse(answer);
  begin_payload();
}

std::size_t WebSocketReader::head_size() const {
  const std::uint8_t length = byte(1) & kLength;
  const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  // Of a frame without a mask nothing else is of interest: it is refused.
  return (byte(1) & kMasked) == 0 ? 2 : 2 + more + kMask;
}

bool WebSocketReader::is_proper() const {
  if ((byte(1) & kMasked) == 0 || (byte(0) & kReserved) != 0) return false;
  switch (frame()) {
    case WebSocketFrame::kContinuation:
      return is_in_message_;
    case WebSocketFrame::kText:
    case WebSocketFrame::kBinary:
      return !is_in_message_;
    case WebSocketFrame::kClose:
    case WebSocketFrame::kPing:
    case WebSocketFrame::kPong:
      return (byte(0) & kFinal) != 0 && (byte(1) & kLength) <= kLongestControl;
  }
  return false;
}

void WebSocketReader::begin_payload() {
  length_ = byte(1) & kLength;
  if (length_ > kLongestControl) {
    length_ = 0;
    for (std::size_t at = 2; at + kMask < head_.size(); ++at) length_ = length_ << 8U | byte(at);
  }
  taken_ = 0;
  payload_.clear();
  state_ = State::kPayload;
}

void WebSocketReader::take_payload(std::string_view bytes) {
  if (is_control()) {
    const std::size_t mask = head_.size() - kMask;
    for (const char one : bytes) {
      payload_ += static_cast<char>(static_cast<std::uint8_t>(one) ^ byte(mask + payload_.size() % kMask));
    }
  }
  taken_ += bytes.size();
}

void WebSocketReader::end_frame(std::string& answer) {
  if (frame() == WebSocketFrame::kClose) {
    // The payload of a close frame is empty or begins with a status code of two bytes.
    if (payload_.size() == 1) return refuse(answer);
    state_ = State::kOver;
    answer += websocket_head(WebSocketFrame::kClose, std::min<std::size_t>(payload_.size(), 2)) + payload_.substr(0, 2);
    return;
  }
  if (frame() == WebSocketFrame::kPing) answer += websocket_head(WebSocketFrame::kPong, payload_.size()) + payload_;
  if (!is_control()) is_in_message_ = (byte(0) & kFinal) == 0;
  head_.clear();
  state_ = State::kHead;
}

void WebSocketReader::refuse(std::string& answer) {
  state_ = State::kOver;
  answer += close_frame(kProtocolError);
}

}  // namespace loadline::net
