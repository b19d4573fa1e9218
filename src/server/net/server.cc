#include "server/net/server.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "server/net/connection.h"
#include "server/net/listener.h"

namespace loadline::net {
namespace {

/// Fine enough for the shortest of the limits, and never more often than matters.
Duration tick_for(const ServerLimits& limits) {
  const std::int64_t shortest = std::min({limits.header_time.nanoseconds, limits.request_time.nanoseconds,
                                          limits.idle_time.nanoseconds, limits.stall_time.nanoseconds});
  return {std::clamp<std::int64_t>(shortest / 4, 10'000'000, 1'000'000'000)};
}

}  // namespace

class Server::State {
 public:
  State(EventLoop& loop, ServerOptions options, Handler& handler)
      : shared_(std::make_shared<ServerState>(loop, handler, options.limits)), tls_(std::move(options.tls)) {
    shared_->tick = tick_for(options.limits);
    shared_->remove = [this](std::uint64_t id) { remove(id); };
  }

  Result<std::uint16_t> listen(Loop& loop, const std::string& address, std::uint16_t port) {
    auto listener =
        Listener::open(loop, address, port, [this](std::unique_ptr<Socket> socket) { accept(std::move(socket)); });
    if (!listener) return tl::unexpected(listener.error());
    listeners_.push_back(std::move(*listener));
    return listeners_.back()->port();
  }

  [[nodiscard]] std::uint16_t port() const {
    return listeners_.empty() ? std::uint16_t{0} : listeners_.front()->port();
  }
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

  void serve(std::unique_ptr<Stream> stream) {
    if (stream == nullptr || stopping_ || connections_.size() >= shared_->limits.connections) return;
    const std::uint64_t id = ++last_id_;
    auto connection = std::make_shared<Connection>(shared_, id, std::move(stream));
    connections_.emplace(id, connection);
    connection->start();
    if (sweep_ == nullptr) schedule_sweep();
  }

  void stop(Duration grace, EventLoop::Task stopped) {
    listeners_.clear();
    stopping_ = true;
    stopped_ = std::move(stopped);
    grace_ = shared_->loop.after(grace, [this] { drop_all(); });
    for_each_connection([](Connection& connection) { connection.shut_down(); });
    if (connections_.empty()) all_gone();
  }

  void close() {
    listeners_.clear();
    stopping_ = true;
    stopped_ = nullptr;
    drop_all();
    grace_.reset();
    sweep_.reset();
    shared_->remove = [](std::uint64_t) {};
  }

 private:
  void accept(std::unique_ptr<Socket> socket) {
    if (tls_ != nullptr) {
      serve(tls_->wrap(std::move(socket)));
    } else {
      serve(std::make_unique<SocketStream>(std::move(socket)));
    }
  }

  void remove(std::uint64_t id) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const std::shared_ptr<Connection> removed = std::move(found->second);
    connections_.erase(found);
    if (stopping_ && connections_.empty()) all_gone();
  }

  void all_gone() {
    grace_.reset();
    EventLoop::Task stopped = std::exchange(stopped_, nullptr);
    if (stopped) shared_->loop.post(std::move(stopped));
  }

  /// Connections may go while they are visited.
  void for_each_connection(const std::function<void(Connection&)>& visit) {
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(connections_.size());
    for (const auto& [id, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) visit(*connection);
  }

  void drop_all() {
    for_each_connection([](Connection& connection) { connection.drop(); });
  }

  /// One timer looks after all: thousands of idle watchers must not keep a timer each.
  void schedule_sweep() {
    sweep_ = shared_->loop.after(shared_->tick, [this] {
      ++shared_->ticks;
      for_each_connection([](Connection& connection) { connection.check_time(); });
      if (connections_.empty()) {
        sweep_.reset();
      } else {
        schedule_sweep();
      }
    });
  }

  std::shared_ptr<ServerState> shared_;
  std::shared_ptr<const TlsContext> tls_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;  // in order of arrival, so that runs repeat
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;
  EventLoop::Task stopped_;
  std::unique_ptr<EventLoop::Timer> grace_;
  std::unique_ptr<EventLoop::Timer> sweep_;
};

Server::Server(EventLoop& loop, ServerOptions options, Handler& handler)
    : state_(std::make_unique<State>(loop, std::move(options), handler)) {}

Server::~Server() { state_->close(); }

Result<std::uint16_t> Server::listen(Loop& loop, const std::string& address, std::uint16_t port) {
  return state_->listen(loop, address, port);
}

std::uint16_t Server::port() const { return state_->port(); }
void Server::serve(std::unique_ptr<Stream> stream) { state_->serve(std::move(stream)); }
std::size_t Server::connections() const { return state_->connections(); }
void Server::stop(Duration grace, EventLoop::Task stopped) { state_->stop(grace, std::move(stopped)); }

}  // namespace loadline::net
