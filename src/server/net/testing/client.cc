#include "server/net/testing/client.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "foundation/base/contract.h"
#include "server/net/http1_parser.h"
#include "server/net/output_queue.h"
#include "server/net/socket_stream.h"

namespace loadline::net {
namespace {

/// The body is passed on as it comes, so its length is no concern here.
constexpr Http1Parser::Limits kLimits{std::size_t{64} * 1024, std::size_t{256} * 1024,
                                      std::numeric_limits<std::size_t>::max()};

std::string head_of(const Request& request, const std::string& host) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  if (request.headers.find("host") == nullptr) head += fmt::format("Host: {}\r\n", host);
  for (const Header& header : request.headers) {
    head += header.name;
    head += ": ";
    head += header.value;
    head += "\r\n";
  }
  const bool has_length = request.headers.find("content-length") != nullptr;
  const bool wants_length = !request.body.empty() || request.method == "POST" || request.method == "PUT";
  if (wants_length && !has_length) head += fmt::format("Content-Length: {}\r\n", request.body.size());
  head += "\r\n";
  return head;
}

}  // namespace

class Client::State : public std::enable_shared_from_this<State> {
 public:
  State(EventLoop& loop, std::unique_ptr<Stream> stream, std::string host)
      : loop_(loop), stream_(std::move(stream)), host_(std::move(host)) {}

  void start() {
    stream_->on_ready([self = weak_from_this()] {
      if (const auto state = self.lock()) state->service();
    });
  }

  void send(const Request& request, Receiver receiver) {
    receiver_ = std::move(receiver);
    busy_ = true;
    if (stream_ == nullptr) return fail_soon("the connection is closed");
    parser_.emplace(request.method == "HEAD" ? Http1Parser::Kind::kResponseWithoutBody : Http1Parser::Kind::kResponse,
                    kLimits);
    head_told_ = false;
    output_.append(std::string_view(head_of(request, host_)));
    output_.append(std::string_view(request.body));
    if (!write()) return fail_soon("cannot send");
    // Nothing may be called back from in here, so reading waits for its turn: the stream's, that of the service that
    // this was called from, or one of its own.
    if (!awaits_input_ && !in_service_) post_service();
  }

  [[nodiscard]] bool is_idle() const { return !busy_; }
  [[nodiscard]] bool is_open() const { return stream_ != nullptr; }

  void pause(bool paused) {
    paused_ = paused;
    if (!paused) post_service();
  }

  void close() {
    stream_.reset();
    if (busy_) fail_soon("the connection was closed");
  }

  /// No callback is called from now on.
  void abandon() {
    abandoned_ = true;
    stream_.reset();
  }

 private:
  void post_service() {
    if (posted_) return;
    posted_ = true;
    loop_.post([self = weak_from_this()] {
      const auto state = self.lock();
      if (state == nullptr) return;
      state->posted_ = false;
      state->service();
    });
  }

  void service() {
    const std::shared_ptr<State> alive = shared_from_this();
    if (stream_ == nullptr) return;
    in_service_ = true;
    exchange_bytes();
    in_service_ = false;
  }

  void exchange_bytes() {
    awaits_input_ = false;
    if (!write()) return fail("the connection broke");
    std::array<char, 16384> buffer;
    for (int i = 0; i < 16; ++i) {
      if (stream_ == nullptr || paused_) return;
      const Transfer transfer = stream_->read(std::span(buffer));
      awaits_input_ = transfer.state == Transfer::State::kBlocked;
      if (awaits_input_) return;
      if (transfer.state == Transfer::State::kFailed) return fail("the connection broke");
      if (transfer.state == Transfer::State::kEnd) return end();
      receive({buffer.data(), transfer.bytes});
    }
    post_service();
  }

  [[nodiscard]] bool write() {
    while (!output_.empty()) {
      OutputQueue::Pieces storage;
      const Transfer transfer = stream_->write(output_.front(storage));
      if (transfer.state == Transfer::State::kBlocked) return true;
      if (transfer.state != Transfer::State::kDone) {
        // A server that refuses a request early closes; its answer may be here all the same.
        output_.clear();
        return busy_;
      }
      output_.pop(transfer.bytes);
    }
    return true;
  }

  void receive(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!busy_) return fail("the server sent an answer to no request");
      bytes.remove_prefix(parser_->feed(bytes));
      if (parser_->state() == Http1Parser::State::kFailed) return fail(std::string(parser_->failure().text));
      if (!tell() || stream_ == nullptr) return;
    }
  }

  /// Passes on what is new. False if there is no receiver any more.
  [[nodiscard]] bool tell() {
    if (!parser_->has_head()) return true;
    if (!head_told_) {
      if (parser_->status() < 200 && parser_->status() != 101) {
        parser_.emplace(Http1Parser::Kind::kResponse, kLimits);
        return true;
      }
      head_told_ = true;
      if (receiver_.head) receiver_.head(parser_->status(), parser_->headers());
    }
    if (abandoned_ || !busy_) return false;
    const std::string piece = std::exchange(parser_->body(), std::string());
    if (!piece.empty() && receiver_.body) receiver_.body(piece);
    if (abandoned_ || !busy_) return false;
    if (parser_->state() == Http1Parser::State::kDone) done();
    return !abandoned_;
  }

  void done() {
    if (!parser_->keeps_alive()) stream_.reset();
    finish({});
  }

  void end() {
    if (busy_ && parser_->state() != Http1Parser::State::kIdle) {
      parser_->feed_end();
      if (parser_->state() == Http1Parser::State::kDone) {
        stream_.reset();
        return finish({});
      }
    }
    fail("the server closed the connection");
  }

  void fail(std::string why) {
    stream_.reset();
    if (busy_) finish(failure(std::move(why)));
  }

  void fail_soon(std::string why) {
    loop_.post([self = weak_from_this(), why = std::move(why)] {
      if (const auto state = self.lock()) state->fail(why);
    });
  }

  void finish(Result<void> outcome) {
    busy_ = false;
    const Receiver receiver = std::exchange(receiver_, {});  // the next request may be sent from what is called
    if (!abandoned_ && receiver.done) receiver.done(std::move(outcome));
  }

  EventLoop& loop_;
  std::unique_ptr<Stream> stream_;
  std::string host_;
  OutputQueue output_;
  std::optional<Http1Parser> parser_;
  Receiver receiver_;
  bool busy_ = false;
  bool head_told_ = false;
  bool paused_ = false;
  bool posted_ = false;
  bool in_service_ = false;
  bool awaits_input_ = false;  // the stream calls when something comes
  bool abandoned_ = false;
};

Client::Client(EventLoop& loop, std::unique_ptr<Stream> stream, std::string host)
    : state_(std::make_shared<State>(loop, std::move(stream), std::move(host))) {
  state_->start();
}

Client::~Client() { state_->abandon(); }

Result<std::unique_ptr<Client>> Client::connect(Loop& loop, const std::string& address, std::uint16_t port,
                                                const std::shared_ptr<const TlsContext>& tls) {
  auto socket = connect_socket(loop, address, port);
  if (!socket) return tl::unexpected(socket.error());
  std::unique_ptr<Stream> stream =
      tls != nullptr ? tls->wrap(std::move(*socket)) : std::make_unique<SocketStream>(std::move(*socket));
  if (stream == nullptr) return failure("cannot make a TLS connection");
  const bool is_v6 = address.find(':') != std::string::npos;
  std::string host = is_v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
  return std::make_unique<Client>(loop, std::move(stream), std::move(host));
}

void Client::send(const Request& request, Receiver receiver) {
  REQUIRES(is_idle());
  state_->send(request, std::move(receiver));
}

void Client::send(const Request& request, std::function<void(Result<Response>)> answered) {
  const auto response = std::make_shared<Response>();
  Receiver receiver;
  receiver.head = [response](int status, const Headers& headers) {
    response->status = status;
    response->headers = headers;
  };
  receiver.body = [response](std::string_view piece) { response->body += piece; };
  receiver.done = [response, answered = std::move(answered)](const Result<void>& outcome) {
    if (outcome) {
      answered(std::move(*response));
    } else {
      answered(tl::unexpected(outcome.error()));
    }
  };
  send(request, std::move(receiver));
}

bool Client::is_idle() const { return state_->is_idle(); }
bool Client::is_open() const { return state_->is_open(); }
void Client::pause(bool paused) { state_->pause(paused); }
void Client::close() { state_->close(); }

}  // namespace loadline::net
