#include "hosts/extension/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace loadline::extension {
namespace {

constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 30;

bool is_for_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Channel::Channel(int socket) : socket_(socket) { fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK); }

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

void Channel::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Channel::Transfer Channel::send(std::string_view frame, Deadline deadline) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  if (frame.size() > kMostBytes) return Transfer::kGarbage;
  const Transfer outcome = send_all({reinterpret_cast<const char*>(&size), sizeof size}, deadline);
  return outcome == Transfer::kDone ? send_all(frame, deadline) : outcome;
}

Channel::Transfer Channel::receive(std::string& frame, Deadline deadline) {
  std::uint32_t size = 0;
  const Transfer outcome = receive_all(reinterpret_cast<char*>(&size), sizeof size, deadline);
  if (outcome != Transfer::kDone) return outcome;
  if (size > kMostBytes) return Transfer::kGarbage;
  frame.resize(size);
  return receive_all(frame.data(), size, deadline);
}

Channel::Transfer Channel::send_all(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (!is_for_later(errno)) {
      return Transfer::kClosed;
    } else if (const Transfer outcome = wait(POLLOUT, deadline); outcome != Transfer::kDone) {
      return outcome;
    }
  }
  return Transfer::kDone;
}

Channel::Transfer Channel::receive_all(char* to, std::size_t size, Deadline deadline) {
  while (size > 0) {
    const ssize_t received = ::recv(socket_, to, size, 0);
    if (received > 0) {
      to += received;
      size -= static_cast<std::size_t>(received);
    } else if (received == 0 || !is_for_later(errno)) {
      return Transfer::kClosed;
    } else if (const Transfer outcome = wait(POLLIN, deadline); outcome != Transfer::kDone) {
      return outcome;
    }
  }
  return Transfer::kDone;
}

Channel::Transfer Channel::wait(short events, Deadline deadline) const {
  using std::chrono::milliseconds;
  for (;;) {
    int timeout = -1;
    if (deadline != Deadline::max()) {
      const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return Transfer::kTooLate;
      timeout = static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
    }
    pollfd poll_socket{socket_, events, 0};
    const int ready = ::poll(&poll_socket, 1, timeout);
    if (ready > 0) return Transfer::kDone;  // or failed, which the transfer will find out
    if (ready < 0 && errno != EINTR) return Transfer::kClosed;
  }
}

}  // namespace loadline::extension
