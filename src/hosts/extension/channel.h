#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::extension {

using Deadline = std::chrono::steady_clock::time_point;

/// One end of a stream that carries frames: a length, and so many bytes.
class Channel {
 public:
  /// How a transfer went.
  enum class Transfer : std::uint8_t {
    kDone,
    kTooLate,  ///< the deadline passed
    kClosed,   ///< the other end is gone
    kGarbage,  ///< a frame of a length that cannot be meant
  };

  Channel() = default;
  /// Takes the socket over, and makes it one that never blocks.
  explicit Channel(int socket);
  ~Channel() { close(); }
  Channel(Channel&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
  Channel& operator=(Channel&& other) noexcept;

  Transfer send(std::string_view frame, Deadline deadline);
  /// The next frame, whole.
  Transfer receive(std::string& frame, Deadline deadline);
  void close();

 private:
  Transfer send_all(std::string_view bytes, Deadline deadline);
  Transfer receive_all(char* to, std::size_t size, Deadline deadline);
  [[nodiscard]] Transfer wait(short events, Deadline deadline) const;

  int socket_ = -1;
};

}  // namespace loadline::extension
