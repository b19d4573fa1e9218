#include "server/net/http1_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "server/net/http1_parser.h"
#include "server/net/prefixed_stream.h"
#include "server/net/websocket.h"

namespace loadline::net {
namespace {

/// Requests that came before their turn wait in this many bytes; then nothing more is read.
constexpr std::size_t kPipelined = std::size_t{64} * 1024;

/// How many of them are answered before other connections get their turn.
constexpr int kAnswersInARow = 16;

/// Pongs that wait to be sent: a client that pings and does not read gets no more.
constexpr std::size_t kPongs = std::size_t{64} * 1024;

/// A header that the server itself decides about.
bool is_framing(std::string_view name) {
  return equal_ignoring_case(name, "content-length") || equal_ignoring_case(name, "transfer-encoding") ||
         equal_ignoring_case(name, "connection");
}

/// What would end the line must not come from a value: the rest would be a header, or an answer, of its own.
void append_value(std::string& head, std::string_view value) {
  const std::size_t begin = head.size();
  head += value;
  std::replace_if(
      head.begin() + static_cast<std::ptrdiff_t>(begin), head.end(),
      [](char letter) { return letter == '\r' || letter == '\n' || letter == '\0'; }, ' ');
}

class Http1Session final : public Session, public Exchange::Carrier {
 public:
  explicit Http1Session(Connection& connection)
      : connection_(connection), server_(connection.server()), limits_(parser_limits(server_.limits)) {
    begin_request();
  }

  ~Http1Session() override { release_body(); }

  void receive(std::string_view bytes) override {
    if (closing_) return;
    if (messages_) {
      take_messages(bytes);
    } else if (answering_ || !pending_.empty()) {
      pending_ += bytes;
    } else {
      consume(bytes);
    }
  }

  [[nodiscard]] bool wants_input() const override { return !closing_ && pending_.size() < kPipelined; }

  void end_of_input() override {
    input_ended_ = true;
    if (current_ != nullptr && current_->is_started()) {
      connection_.cut();  // a client that ends its side of a watch is gone
    } else if (!answering_ && pending_.empty()) {
      close();
    }
  }

  void produce() override {
    if (messages_ && !pending_.empty()) take_messages(std::exchange(pending_, std::string()));
    for (int i = 0; i < kAnswersInARow && !answering_ && !closing_ && !pending_.empty(); ++i) {
      const std::string bytes = std::exchange(pending_, std::string());
      consume(bytes);
    }
    if (answering_ || closing_) return;
    if (!pending_.empty()) {
      connection_.wake();
    } else if (input_ended_) {
      close();
    }
  }

  void offer_room() override {
    if (current_ != nullptr && current_->waits_for_room()) current_->call_for_more();
  }

  void check_time() override {
    if (answering_ || closing_) return;
    const bool is_idle = parser_->state() == Http1Parser::State::kIdle;
    if (is_idle && server_.ticks >= idle_deadline_) return close();
    if (is_idle) return;
    const bool in_head = parser_->state() == Http1Parser::State::kHead;
    if (server_.ticks >= (in_head ? head_deadline_ : request_deadline_))
      refuse(408, "the request took too long to come");
  }

  void shut_down() override {
    shut_down_ = true;
    keeps_alive_ = false;
    if (!answering_ && parser_->state() == Http1Parser::State::kIdle) close();
  }

  void lost() override {
    closing_ = true;
    Exchange* exchange = std::exchange(current_, nullptr);
    if (exchange != nullptr) exchange->lose();
  }

  void send_head(Exchange& /*exchange*/, int status, const Headers& headers,
                 std::optional<std::size_t> length) override {
    write_head(status, headers, length);
    if (input_ended_ && !length) connection_.cut();
    connection_.wake();
  }

  void send_body(Exchange& /*exchange*/, std::string&& bytes) override {
    if (!has_body_) return;
    if (chunked_) connection_.output().append(std::string_view(fmt::format("{:x}\r\n", bytes.size())));
    connection_.output().append(std::move(bytes));
    if (chunked_) connection_.output().append(std::string_view("\r\n"));
    connection_.wake();
  }

  void send_body(Exchange& /*exchange*/, std::shared_ptr<const std::string> bytes) override {
    if (!has_body_) return;
    const std::size_t length = bytes->size();
    if (messages_) connection_.output().append(std::string_view(websocket_head(WebSocketFrame::kText, length)));
    if (chunked_) connection_.output().append(std::string_view(fmt::format("{:x}\r\n", length)));
    connection_.output().append(std::move(bytes), 0, length);
    if (chunked_) connection_.output().append(std::string_view("\r\n"));
    connection_.wake();
  }

  bool send_switch(Exchange& /*exchange*/, const Headers& headers) override {
    if (minor_version_ == 0) return false;
    std::string head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    append_headers(head, headers);
    connection_.output().append(std::string_view(head += "\r\n"));
    messages_.emplace();
    keeps_alive_ = false;
    connection_.wake();
    return true;
  }

  void send_end(Exchange& /*exchange*/) override {
    if (messages_) connection_.output().append(std::string_view(websocket_goodbye()));
    if (chunked_ && has_body_) connection_.output().append(std::string_view("0\r\n\r\n"));
    current_ = nullptr;
    answering_ = false;
    if (!keeps_alive_) return close();
    idle_deadline_ = server_.deadline(server_.limits.idle_time);
    connection_.wake();
  }

  void cut(Exchange& /*exchange*/) override {
    current_ = nullptr;
    closing_ = true;
    connection_.cut();
  }

  void wants_room(Exchange& /*exchange*/) override { connection_.wake(); }

  [[nodiscard]] std::size_t queued_bytes(const Exchange& /*exchange*/) const override {
    return connection_.output().size();
  }

  [[nodiscard]] std::unique_ptr<Stream> take_over(Exchange& /*exchange*/) override {
    if (!connection_.output().empty()) return nullptr;
    current_ = nullptr;
    closing_ = true;
    return put_back(connection_.release(), std::exchange(pending_, std::string()));
  }

 private:
  static Http1Parser::Limits parser_limits(const ServerLimits& limits) {
    return {limits.request_line, limits.header_fields, limits.body};
  }

  void begin_request() {
    parser_.emplace(Http1Parser::Kind::kRequest, limits_);
    expectation_met_ = false;
    idle_deadline_ = server_.deadline(server_.limits.idle_time);
  }

  /// Takes bytes until a request is whole, and has it answered; the rest waits.
  void consume(std::string_view bytes) {
    if (parser_->state() == Http1Parser::State::kIdle) {
      head_deadline_ = server_.deadline(server_.limits.header_time);
      request_deadline_ = server_.deadline(server_.limits.request_time);
    }
    bytes.remove_prefix(parser_->feed(bytes));
    count_body();
    if (closing_) return;
    if (parser_->state() == Http1Parser::State::kFailed) {
      return refuse(parser_->failure().status, parser_->failure().text);
    }
    pending_ += bytes;
    if (parser_->has_head() && !meet_expectation()) return;
    if (parser_->state() == Http1Parser::State::kDone) dispatch();
  }

  void count_body() {
    const std::size_t now = parser_->body().size();
    server_.body_bytes += now - counted_body_;
    counted_body_ = now;
    if (server_.body_bytes > server_.limits.bodies && parser_->state() == Http1Parser::State::kBody) {
      refuse(503, "too many request bodies are arriving at once");
    }
  }

  void release_body() {
    server_.body_bytes -= counted_body_;
    counted_body_ = 0;
  }

  /// Whether the request may go on.
  bool meet_expectation() {
    if (std::exchange(expectation_met_, true) || parser_->minor_version() == 0) return true;
    const std::string* expectation = parser_->headers().find("expect");
    if (expectation == nullptr) return true;
    if (!equal_ignoring_case(*expectation, "100-continue")) {
      refuse(417, "unknown expectation");
      return false;
    }
    if (parser_->state() == Http1Parser::State::kBody) {
      connection_.output().append(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
      connection_.wake();
    }
    return true;
  }

  void dispatch() {
    Request request{std::move(parser_->method()), std::move(parser_->target()), std::move(parser_->headers()),
                    std::move(parser_->body()), connection_.peer()};
    minor_version_ = parser_->minor_version();
    keeps_alive_ = parser_->keeps_alive() && !shut_down_;
    has_body_ = request.method != "HEAD";
    release_body();
    begin_request();
    answering_ = true;
    auto exchange = std::make_shared<Exchange>(*this, std::move(request), server_.limits.exchange_queue);
    current_ = exchange.get();
    server_.handler.handle(std::move(exchange));
  }

  /// What the client of a WebSocket says.
  void take_messages(std::string_view bytes) {
    std::string answer;
    const bool goes_on = messages_->feed(bytes, answer);
    if (!goes_on || connection_.output().size() < kPongs) connection_.output().append(std::string_view(answer));
    if (goes_on) return connection_.wake();
    Exchange* exchange = std::exchange(current_, nullptr);
    close();
    if (exchange != nullptr) exchange->lose();
  }

  static void append_headers(std::string& head, const Headers& headers) {
    for (const Header& header : headers) {
      if (is_framing(header.name)) continue;
      append_value(head, header.name);
      head += ": ";
      append_value(head, header.value);
      head += "\r\n";
    }
  }

  void write_head(int status, const Headers& headers, std::optional<std::size_t> length) {
    const bool bodiless = is_bodiless(status);
    chunked_ = !length && !bodiless && minor_version_ == 1;
    if (!length && !bodiless && minor_version_ == 0) keeps_alive_ = false;  // the end of the connection is the body's
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
    append_headers(head, headers);
    if (headers.find("date") == nullptr) head += "Date: " + server_.current_date() + "\r\n";
    if (chunked_) head += "Transfer-Encoding: chunked\r\n";
    if (length && !bodiless) head += fmt::format("Content-Length: {}\r\n", *length);
    if (!keeps_alive_) head += "Connection: close\r\n";
    head += "\r\n";
    if (bodiless) has_body_ = false;
    connection_.output().append(std::string_view(head));
  }

  /// Answers in the server's own name what is no proper request; what follows it cannot be made sense of.
  void refuse(int status, std::string_view text) {
    Response response = server_.handler.refuse(status, text);
    minor_version_ = 1;
    keeps_alive_ = false;
    has_body_ = true;
    write_head(response.status, response.headers, response.body.size());
    if (has_body_) connection_.output().append(std::move(response.body));
    close();
  }

  void close() {
    closing_ = true;
    release_body();
    std::string().swap(pending_);
    std::string().swap(parser_->body());
    connection_.close_after_output();
  }

  Connection& connection_;
  ServerState& server_;
  Http1Parser::Limits limits_;
  std::optional<Http1Parser> parser_;        // of the request that is coming
  std::string pending_;                      // came before its turn
  std::size_t counted_body_ = 0;             // what of this request's body the server counts
  std::optional<WebSocketReader> messages_;  // once the protocol was switched
  bool expectation_met_ = false;
  bool input_ended_ = false;
  bool shut_down_ = false;
  bool closing_ = false;

  Exchange* current_ = nullptr;  // null if it is answered, or the handler let it go
  bool answering_ = false;
  bool keeps_alive_ = true;
  bool has_body_ = true;
  bool chunked_ = false;
  int minor_version_ = 1;

  std::int64_t idle_deadline_ = 0;
  std::int64_t head_deadline_ = 0;
  std::int64_t request_deadline_ = 0;
};

}  // namespace

std::unique_ptr<Session> make_http1_session(Connection& connection) {
  return std::make_unique<Http1Session>(connection);
}

}  // namespace loadline::net
