#include "server/net/listener.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <utility>

namespace loadline::net {
namespace {

using Tcp = boost::asio::ip::tcp;

/// How many connections are taken before others get their turn.
constexpr int kAcceptedInARow = 32;

/// While there are no descriptors left, trying again at once would only burn time.
constexpr Duration kRetry{100'000'000};

}  // namespace

class Listener::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, Accepted accepted) : loop_(loop), acceptor_(loop.context()), accepted_(std::move(accepted)) {}

  boost::system::error_code open(const Tcp::endpoint& endpoint) {
    boost::system::error_code error;
    is_v6_ = endpoint.address().is_v6();
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(Tcp::acceptor::max_listen_connections, error);
    if (!error) acceptor_.native_non_blocking(true, error);
    return error;
  }

  void wait() {
    acceptor_.async_wait(Tcp::acceptor::wait_read, [self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->accept_some();
    });
  }

  void accept_some() {
    for (int i = 0; i < kAcceptedInARow && acceptor_.is_open(); ++i) {
      const int descriptor = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor >= 0) {
        accepted_(std::make_unique<Socket>(loop_, descriptor, is_v6_));
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        retry_ = loop_.after(kRetry, [this] { accept_some(); });
        return;
      } else if (errno != ECONNABORTED && errno != EINTR) {
        break;
      }
    }
    if (acceptor_.is_open()) wait();
  }

  void close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    retry_.reset();
  }

  [[nodiscard]] std::uint16_t port() const {
    boost::system::error_code ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

 private:
  Loop& loop_;
  Tcp::acceptor acceptor_;
  Accepted accepted_;
  bool is_v6_ = false;
  std::unique_ptr<EventLoop::Timer> retry_;
};

Result<std::unique_ptr<Listener>> Listener::open(Loop& loop, const std::string& address, std::uint16_t port,
                                                 Accepted accepted) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(address, error);
  if (error) return failure(fmt::format("cannot listen on '{}': not an IP address", address));
  auto state = std::make_shared<State>(loop, std::move(accepted));
  error = state->open(Tcp::endpoint(parsed, port));
  if (error) return failure(fmt::format("cannot listen on {} port {}: {}", address, port, error.message()));
  state->wait();
  return std::unique_ptr<Listener>(new Listener(std::move(state)));
}

Listener::Listener(std::shared_ptr<State> state) : state_(std::move(state)) {}
Listener::~Listener() { state_->close(); }
std::uint16_t Listener::port() const { return state_->port(); }

}  // namespace loadline::net
