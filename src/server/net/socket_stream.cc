#include "server/net/socket_stream.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

namespace loadline::net {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using NativeSocket = asio::basic_stream_socket<Tcp, asio::io_context::executor_type>;

/// A peer that vanished without a word is found out after two to three minutes.
void watch_for_dead_peer(int descriptor) {
  const int on = 1;
  const int idle_seconds = 60;
  const int interval_seconds = 20;
  const int probes = 4;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  // Answers are written whole; waiting for more to join them would only delay them.
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

class Socket::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, int descriptor, bool is_v6) : socket_(loop.context(), is_v6 ? Tcp::v6() : Tcp::v4(), descriptor) {
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
  }

  void wait(NativeSocket::wait_type direction, bool& waiting) {
    if (waiting) return;
    waiting = true;
    socket_.async_wait(direction, [self = this->shared_from_this(), &waiting](const boost::system::error_code& error) {
      waiting = false;
      if (error || !self->on_ready_) return;
      const std::function<void()> callback = self->on_ready_;  // it may be replaced, or its owner go, meanwhile
      callback();
    });
  }

  void close() {
    on_ready_ = nullptr;
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  NativeSocket socket_;
  std::function<void()> on_ready_;
  bool waits_to_read_ = false;
  bool waits_to_write_ = false;
};

Socket::Socket(Loop& loop, int descriptor, bool is_v6) : state_(std::make_shared<State>(loop, descriptor, is_v6)) {
  watch_for_dead_peer(descriptor);
}

Socket::~Socket() { state_->close(); }

int Socket::descriptor() const { return state_->socket_.native_handle(); }
void Socket::on_ready(std::function<void()> callback) { state_->on_ready_ = std::move(callback); }
void Socket::wait_readable() { state_->wait(NativeSocket::wait_read, state_->waits_to_read_); }
void Socket::wait_writable() { state_->wait(NativeSocket::wait_write, state_->waits_to_write_); }
void Socket::finish() { ::shutdown(descriptor(), SHUT_WR); }

std::string Socket::peer_address() const {
  boost::system::error_code error;
  const Tcp::endpoint endpoint = state_->socket_.remote_endpoint(error);
  if (error) return "unknown";
  const std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", address, endpoint.port());
  return fmt::format("{}:{}", address, endpoint.port());
}

SocketStream::SocketStream(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}
SocketStream::~SocketStream() = default;

Transfer SocketStream::read(std::span<char> into) {
  if (!drained_) {
    const ssize_t count = ::recv(socket_->descriptor(), into.data(), into.size(), 0);
    if (count > 0) {
      drained_ = static_cast<std::size_t>(count) < into.size();
      return Transfer::done(static_cast<std::size_t>(count));
    }
    if (count == 0) return Transfer::end();
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return Transfer::failed();
  }
  drained_ = false;
  socket_->wait_readable();
  return Transfer::blocked();
}

Transfer SocketStream::write(std::span<const std::string_view> pieces) {
  std::array<iovec, 16> vectors;
  std::size_t used = 0;
  for (const std::string_view piece : pieces.first(std::min(pieces.size(), vectors.size()))) {
    vectors[used++] = {const_cast<char*>(piece.data()), piece.size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = used;
  const ssize_t count = ::sendmsg(socket_->descriptor(), &message, MSG_NOSIGNAL);
  if (count > 0) return Transfer::done(static_cast<std::size_t>(count));
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return Transfer::failed();
  socket_->wait_writable();
  return Transfer::blocked();
}

void SocketStream::on_ready(std::function<void()> callback) { socket_->on_ready(std::move(callback)); }
void SocketStream::finish() { socket_->finish(); }
Peer SocketStream::peer() const { return {socket_->peer_address(), false, std::nullopt}; }

Result<std::unique_ptr<Socket>> connect_socket(Loop& loop, const std::string& address, std::uint16_t port) {
  boost::system::error_code error;
  const asio::ip::address parsed = asio::ip::make_address(address, error);
  if (error) return failure(fmt::format("{}: not an IP address", address));
  const Tcp::endpoint endpoint(parsed, port);
  const int descriptor = ::socket(parsed.is_v6() ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failure(fmt::format("cannot make a socket: {}", std::generic_category().message(errno)));
  auto socket = std::make_unique<Socket>(loop, descriptor, parsed.is_v6());
  if (::connect(descriptor, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 && errno != EINPROGRESS) {
    return failure(fmt::format("cannot connect to {}:{}: {}", address, port, std::generic_category().message(errno)));
  }
  return socket;
}

}  // namespace loadline::net
