#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/net/http.h"
#include "server/net/stream.h"

namespace loadline::net {

/// One request and its answer, over whatever protocol. The handler may keep it and answer later. All calls on the
/// loop's thread; once the exchange is over, all of them do nothing.
class Exchange final {
 public:
  using Callback = std::function<void()>;

  /// The connection's side of it: how a protocol sends an answer.
  class Carrier {
   public:
    virtual ~Carrier() = default;

    /// `length` is that of the whole body, if it is known.
    virtual void send_head(Exchange& exchange, int status, const Headers& headers,
                           std::optional<std::size_t> length) = 0;
    virtual void send_body(Exchange& exchange, std::string&& bytes) = 0;
    virtual void send_body(Exchange& exchange, std::shared_ptr<const std::string> bytes) = 0;
    virtual void send_end(Exchange& exchange) = 0;
    /// Switches to WebSocket; false: this protocol cannot.
    [[nodiscard]] virtual bool send_switch(Exchange& /*exchange*/, const Headers& /*headers*/) { return false; }
    /// Ends the answer so that the client sees that it is not whole.
    virtual void cut(Exchange& exchange) = 0;
    /// The callback for room was set: it is to be called soon if there is room.
    virtual void wants_room(Exchange& exchange) = 0;
    [[nodiscard]] virtual std::size_t queued_bytes(const Exchange& exchange) const = 0;
    [[nodiscard]] virtual std::unique_ptr<Stream> take_over(Exchange& exchange) = 0;
  };

  /// `queue_limit`: see write(). `stream`: the carrier's own number for it.
  Exchange(Carrier& carrier, Request request, std::size_t queue_limit, std::int32_t stream = 0)
      : carrier_(&carrier), request_(std::move(request)), queue_limit_(queue_limit), stream_(stream) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// An exchange that was not answered is cut.
  ~Exchange() { abort(); }

  [[nodiscard]] const Request& request() const { return request_; }

  /// Frees what the request's body takes: for answers that go on for hours.
  void drop_request_body() { std::string().swap(request_.body); }

  /// Whether (more of) an answer can be sent.
  [[nodiscard]] bool is_open() const { return carrier_ != nullptr; }

  /// Whether an answer was begun.
  [[nodiscard]] bool is_started() const { return started_; }

  /// The whole answer.
  void respond(Response response);

  /// Begins an answer of unknown length. Its head is sent at once, even if no body follows for long.
  void start(int status, const Headers& headers);

  /// Begins an answer over the WebSocket protocol, to which the request asked to switch (`headers` agree to that): each
  /// piece written is a text message, finish() sends the close frame, and what the client sends is passed over. False,
  /// and nothing is done, over HTTP/2 and HTTP/1.0.
  [[nodiscard]] bool start_messages(const Headers& headers);

  /// Sends a piece of the body. The text is shared, not copied, so that one encoding of it may go to thousands.
  /// False if it was not taken: the exchange is over, or more than the server's limit would be waiting to be sent
  /// (which never happens while nothing is waiting). The latter is a reader too slow: abort() it, or wait for
  /// on_writable(). REQUIRES: start() or start_messages().
  bool write(std::shared_ptr<const std::string> piece);

  /// Bytes of the body that wait to be sent.
  [[nodiscard]] std::size_t queued_bytes() const;

  /// When less than this waits to be sent, on_writable() calls.
  static constexpr std::size_t kLowWater = std::size_t{64} * 1024;

  /// Calls back once, from the loop, as soon as less than kLowWater waits to be sent: time to write more.
  void on_writable(Callback callback);

  /// The answer is whole.
  void finish();

  /// Cuts the answer, visibly to the client: a connection closed before its end, or a stream reset.
  void abort();

  /// Calls back once, from the loop, when the client is gone or the server stops before the answer was finished. It is
  /// not called for what finish(), respond() and abort() do.
  void on_close(Callback callback) { on_close_ = std::move(callback); }

  /// Calls back once, when the exchange is over, however: with the status of its answer, 0 if there was none. For
  /// request metrics; the callback must not touch the exchange.
  void on_over(std::function<void(int status)> callback) { on_over_ = std::move(callback); }

  /// Hands over the connection itself, for the protocol that the client asked to upgrade to; bytes that came after
  /// the request included. The caller writes the answer's head, too, and from now on keeps its own limits and times.
  /// Null over HTTP/2, or after start(). The exchange is over.
  [[nodiscard]] std::unique_ptr<Stream> take_over();

  // For carriers:

  /// The client is gone: the exchange is over, and its owner is told.
  void lose();

  /// Calls the callback that waits for room, if there is one.
  void call_for_more();

  [[nodiscard]] std::int32_t stream() const { return stream_; }

  [[nodiscard]] bool waits_for_room() const { return static_cast<bool>(on_writable_); }

 private:
  /// The exchange is over: no callback is called any more. Returns the carrier that it had.
  Carrier* detach();

  Carrier* carrier_;
  Request request_;
  std::size_t queue_limit_;
  std::int32_t stream_;
  bool started_ = false;
  int status_ = 0;
  std::function<void(int status)> on_over_;
  Callback on_writable_;
  Callback on_close_;
};

/// Answers requests.
class Handler {
 public:
  virtual ~Handler() = default;

  /// Called on the loop for each request that arrived whole. May answer at once or later, and must not throw.
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;

  /// The answer to what is no acceptable request (400, 408, 413, 414, 417, 431, 501, 503, 505), in the words of
  /// `text`.
  [[nodiscard]] virtual Response refuse(int status, std::string_view text) {
    return plain_response(status, std::string(text) + "\n");
  }
};

}  // namespace loadline::net
