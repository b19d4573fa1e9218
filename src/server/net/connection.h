#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/event_loop.h"
#include "server/net/exchange.h"
#include "server/net/output_queue.h"
#include "server/net/server_options.h"
#include "server/net/stream.h"

namespace loadline::net {

class Connection;

/// What all connections of a server share.
struct ServerState {
  ServerState(EventLoop& the_loop, Handler& the_handler, const ServerLimits& the_limits)
      : loop(the_loop), handler(the_handler), limits(the_limits) {}

  EventLoop& loop;
  Handler& handler;
  ServerLimits limits;
  std::string scratch = std::string(std::size_t{64} * 1024, '\0');  ///< what is read passes through here

  /// Time is counted in ticks, by a clock that does not jump.
  Duration tick = Duration::seconds(1);
  std::int64_t ticks = 0;
  std::size_t body_bytes = 0;  ///< of requests that are arriving

  std::string date;  ///< the value of the header Date
  Instant date_at;

  std::function<void(std::uint64_t id)> remove;  ///< forgets a connection that is over

  /// The tick at which `span`, begun now, is over.
  [[nodiscard]] std::int64_t deadline(Duration span) const;
  /// The header Date, made anew once a second.
  [[nodiscard]] const std::string& current_date();
};

/// A protocol at work on one connection: bytes in, requests out; answers in, bytes out. It never touches a socket.
class Session {
 public:
  virtual ~Session() = default;

  /// Takes all of `bytes`.
  virtual void receive(std::string_view bytes) = 0;
  /// Whether more may be received now.
  [[nodiscard]] virtual bool wants_input() const = 0;
  /// The client will send nothing more.
  virtual void end_of_input() = 0;
  /// Puts into the connection's output what there is to send and room for; goes on with what had to wait.
  virtual void produce() = 0;
  /// There is room in the output: time to call the exchanges that wait for it.
  virtual void offer_room() = 0;
  /// A tick passed: ends what is late.
  virtual void check_time() = 0;
  /// No more requests: those under way are answered, then the connection closes.
  virtual void shut_down() = 0;
  /// The connection is gone: tells all exchanges.
  virtual void lost() = 0;
};

/// One client's connection: moves bytes between a stream and the session of its protocol.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerState> server, std::uint64_t id, std::unique_ptr<Stream> stream);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void start();

  // For the server:
  void check_time();
  void shut_down();
  /// Cuts it now.
  void drop();

  // For the session:
  [[nodiscard]] ServerState& server() { return *server_; }
  [[nodiscard]] OutputQueue& output() { return output_; }
  [[nodiscard]] const std::shared_ptr<const Peer>& peer() const { return peer_; }
  /// Something is to be sent, or to go on: has produce() called soon.
  void wake();
  /// Closes once the output is sent.
  void close_after_output();
  /// Closes without sending what waits.
  void cut();
  /// Gives the stream away; the connection is over.
  [[nodiscard]] std::unique_ptr<Stream> release();

 private:
  enum class Phase : std::uint8_t {
    kOpen,
    kClosing,    ///< sends what is left
    kLingering,  ///< all is sent; what still comes is read, so that no reset overtakes the answer
    kDead,
  };

  void service();
  /// Whether there may be more to read.
  [[nodiscard]] bool read_some();
  void end_input();
  void take(std::string_view bytes);
  void begin_session();
  void write_output();
  void linger();
  void die();

  std::shared_ptr<ServerState> server_;  // shared: what is in the midst of a call may outlive the server
  std::uint64_t id_;
  std::unique_ptr<Stream> stream_;
  std::shared_ptr<const Peer> peer_;
  std::unique_ptr<Session> session_;
  OutputQueue output_;
  Phase phase_ = Phase::kOpen;
  bool in_service_ = false;
  bool woken_ = false;
  bool input_ended_ = false;
  bool write_blocked_ = false;
  bool shut_down_ = false;
  std::int64_t deadline_;        // for the first byte, or of lingering
  std::int64_t stall_deadline_;  // while output waits
  std::size_t lingered_bytes_ = 0;
};

}  // namespace loadline::net
