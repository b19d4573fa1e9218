#include "server/net/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "server/net/http2_frame_budget.h"
#include "server/net/http2_request.h"
#include "server/net/http2_stream.h"

namespace loadline::net {
namespace {

/// How much may wait in the connection's output before nothing more is made, or received.
constexpr std::size_t kOutput = std::size_t{256} * 1024;

/// What a client may send ahead: of one request, of all.
constexpr std::uint32_t kStreamWindow = 256 * 1024;
constexpr std::int32_t kConnectionWindow = 1024 * 1024;

/// How long a client may go on sending a request that was answered already.
constexpr Duration kFarewell = Duration::seconds(2);

/// A head that unfolds to so many times what its fields may be is no mistake: a few bytes of HPACK can name a large
/// field again and again.
constexpr std::size_t kBombTimes = 4;

/// Fields that speak of an HTTP/1 connection, and must not be sent over HTTP/2.
bool is_connection_field(std::string_view name) {
  constexpr std::array<std::string_view, 6> kFields = {"connection",        "keep-alive", "proxy-connection",
                                                       "transfer-encoding", "upgrade",    "content-length"};
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](std::string_view field) { return equal_ignoring_case(field, name); });
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

std::string_view view(const std::uint8_t* text, std::size_t length) {
  return {reinterpret_cast<const char*>(text), length};
}

struct SessionDeleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};

class Http2Session final : public Session, public Exchange::Carrier {
 public:
  explicit Http2Session(Connection& connection) : connection_(connection), server_(connection.server()) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    set_callbacks(callbacks);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    session_.reset(session);
    nghttp2_session_callbacks_del(callbacks);
    const std::array settings = {nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                                        static_cast<std::uint32_t>(server_.limits.concurrent_streams)},
                                 nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
                                 nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                                                        static_cast<std::uint32_t>(server_.limits.header_fields)}};
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
    idle_deadline_ = server_.deadline(server_.limits.header_time);
  }

  ~Http2Session() override {
    for (const auto& [id, stream] : streams_) server_.body_bytes -= stream.counted_body;
  }

  void receive(std::string_view bytes) override {
    if (closing_ || is_cut_off_) return;
    if (!budget_.take(bytes, Duration{server_.tick.nanoseconds * server_.ticks})) return cut_off();
    const auto taken =
        nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0) {
      if (is_bomb_) return cut_off();
      // What is not even HTTP/2 gets no last words; protocol errors within it were answered with GOAWAY.
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_PROTOCOL_ERROR);
    }
  }

  [[nodiscard]] bool wants_input() const override { return !closing_ && connection_.output().size() < kOutput; }

  void end_of_input() override { connection_.cut(); }

  void produce() override {
    while (!closing_) {
      more_to_send_ = connection_.output().size() >= kOutput;
      if (more_to_send_) return;
      const std::uint8_t* bytes = nullptr;
      const auto length = nghttp2_session_mem_send(session_.get(), &bytes);
      if (length < 0) {
        closing_ = true;
        return connection_.cut();
      }
      if (length == 0) break;
      connection_.output().append(view(bytes, static_cast<std::size_t>(length)));
    }
    if (closing_) return;
    if (is_cut_off_) {
      closing_ = true;
      return connection_.close_after_output();
    }
    if (nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0) {
      closing_ = true;
      connection_.close_after_output();
    }
  }

  void offer_room() override {
    if (more_to_send_) connection_.wake();
    if (!std::exchange(someone_waits_, false)) return;
    for (auto& [id, stream] : streams_) {
      if (stream.exchange == nullptr || !stream.exchange->waits_for_room()) continue;
      if (stream.queued() < Exchange::kLowWater) {
        stream.exchange->call_for_more();
      } else {
        someone_waits_ = true;
      }
    }
  }

  void check_time() override {
    if (closing_ || is_cut_off_) return;
    if (streams_.empty() && server_.ticks >= idle_deadline_) {
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
      connection_.wake();
    }
    for (auto& [id, stream] : streams_) {
      const bool is_late = !stream.request_ended && server_.ticks >= stream.deadline;
      const bool is_stalled = stream.queued() > 0 && server_.ticks >= stream.stall_deadline;
      if (is_late && !stream.refused) {
        refuse(id, stream, 408, "the request took too long to come");
        stream.deadline = server_.deadline(server_.limits.stall_time);
      } else if (is_late || is_stalled) {
        reset(id, stream.queued() > 0 ? NGHTTP2_CANCEL : NGHTTP2_NO_ERROR);
      }
    }
  }

  void shut_down() override {
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_.get()),
                          NGHTTP2_NO_ERROR, nullptr, 0);
    connection_.wake();
  }

  void lost() override {
    closing_ = true;
    std::vector<std::int32_t> ids;
    ids.reserve(streams_.size());
    for (const auto& [id, stream] : streams_) ids.push_back(id);
    for (const std::int32_t id : ids) lose(id);
  }

  void send_head(Exchange& exchange, int status, const Headers& headers, std::optional<std::size_t> length) override {
    if (Http2Stream* stream = find(exchange.stream())) submit_head(exchange.stream(), *stream, status, headers, length);
  }

  void send_body(Exchange& exchange, std::string&& bytes) override {
    send_body(exchange, std::make_shared<const std::string>(std::move(bytes)));
  }

  void send_body(Exchange& exchange, std::shared_ptr<const std::string> bytes) override {
    Http2Stream* stream = find(exchange.stream());
    if (stream == nullptr || !stream->has_body) return;
    if (stream->queued() == 0) stream->stall_deadline = server_.deadline(server_.limits.stall_time);
    stream->queue(std::move(bytes));
    resume(exchange.stream());
  }

  void send_end(Exchange& exchange) override {
    Http2Stream* stream = find(exchange.stream());
    if (stream == nullptr) return;
    stream->exchange = nullptr;
    stream->answer_ended = true;
    if (stream->has_body) resume(exchange.stream());
    connection_.wake();
  }

  void cut(Exchange& exchange) override {
    Http2Stream* stream = find(exchange.stream());
    if (stream == nullptr) return;
    stream->exchange = nullptr;
    stream->drop_queue();
    reset(exchange.stream(), NGHTTP2_INTERNAL_ERROR);
  }

  void wants_room(Exchange& /*exchange*/) override {
    someone_waits_ = true;
    connection_.wake();
  }

  [[nodiscard]] std::size_t queued_bytes(const Exchange& exchange) const override {
    const auto found = streams_.find(exchange.stream());
    return found == streams_.end() ? 0 : found->second.queued();
  }

  [[nodiscard]] std::unique_ptr<Stream> take_over(Exchange& /*exchange*/) override { return nullptr; }

 private:
  static Http2Session& self(void* user) { return *static_cast<Http2Session*>(user); }

  void set_callbacks(nghttp2_session_callbacks* callbacks) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          self(user).block_bytes_ = 0;
          self(user).begin_request(*frame);
          return 0;
        });
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_length,
                      const std::uint8_t* value, std::size_t value_length, std::uint8_t, void* user) {
          return self(user).receive_field(*frame, view(name, name_length), view(value, value_length));
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                           self(user).receive_frame(*frame);
                                                           return 0;
                                                         });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t length, void* user) {
          self(user).receive_body(id, view(data, length));
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                           self(user).after_sending(*frame);
                                                           return 0;
                                                         });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
          self(user).close_stream(id);
          return 0;
        });
    nghttp2_session_callbacks_set_send_data_callback(
        callbacks, [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t length,
                      nghttp2_data_source*, void* user) { return self(user).send_data(*frame, head, length); });
  }

  Http2Stream* find(std::int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }

  /// The client only makes work. It is told, and nothing more is read; what is under way is lost with the connection.
  void cut_off() {
    is_cut_off_ = true;
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
    connection_.wake();
  }

  // The request.

  void begin_request(const nghttp2_frame& frame) {
    if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return;
    Http2Stream& stream = streams_[frame.hd.stream_id];
    stream.request.peer = connection_.peer();
    stream.deadline = server_.deadline(server_.limits.request_time);
  }

  /// Of what nghttp2 asks: whether to go on.
  int receive_field(const nghttp2_frame& frame, std::string_view name, std::string_view value) {
    // Whoever takes it or not: unfolding it is the work.
    block_bytes_ += counted_size(name, value);
    is_bomb_ = block_bytes_ > kBombTimes * (server_.limits.header_fields + server_.limits.request_line);
    if (is_bomb_) return NGHTTP2_ERR_CALLBACK_FAILURE;
    Http2Stream* stream = find(frame.hd.stream_id);
    if (stream != nullptr && !stream->refused) {
      take_field(*stream, server_, name, value, frame.headers.cat != NGHTTP2_HCAT_REQUEST);
    }
    return 0;
  }

  void receive_frame(const nghttp2_frame& frame) {
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    Http2Stream* stream = find(frame.hd.stream_id);
    if (stream == nullptr) return;
    const bool ends = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    stream->request_ended = stream->request_ended || ends;
    if (stream->refused || stream->exchange != nullptr || stream->answer_ended) return;
    if (frame.hd.type == NGHTTP2_HEADERS && !check_head(frame.hd.stream_id, *stream, ends)) return;
    if (ends) dispatch(frame.hd.stream_id, *stream);
  }

  /// Whether the request may go on.
  bool check_head(std::int32_t id, Http2Stream& stream, bool ends) {
    if (const Http2Refusal problem = problem_of_head(stream, server_, ends)) {
      refuse(id, stream, problem.status, problem.text);
      return false;
    }
    if (!ends && expects_continue(stream.request)) {
      std::string status = "100";
      const nghttp2_nv field = field_of(":status", status);
      nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, &field, 1, nullptr);
    }
    return true;
  }

  void receive_body(std::int32_t id, std::string_view bytes) {
    Http2Stream* stream = find(id);
    if (stream == nullptr || stream->refused || stream->request_ended) return;
    if (const Http2Refusal problem = take_body(*stream, server_, bytes)) {
      refuse(id, *stream, problem.status, problem.text);
    }
  }

  void dispatch(std::int32_t id, Http2Stream& stream) {
    release_request(stream, server_);
    stream.has_body = stream.request.method != "HEAD";
    auto exchange = std::make_shared<Exchange>(*this, std::move(stream.request), server_.limits.exchange_queue, id);
    stream.request = Request();
    stream.exchange = exchange.get();
    server_.handler.handle(std::move(exchange));
  }

  /// Answers in the server's own name; the rest of the request is not waited for.
  void refuse(std::int32_t id, Http2Stream& stream, int status, std::string_view text) {
    stream.refused = true;
    release_request(stream, server_);
    stream.request = Request();
    Response response = server_.handler.refuse(status, text);
    submit_head(id, stream, response.status, response.headers, response.body.size());
    if (stream.has_body) stream.queue(std::make_shared<const std::string>(std::move(response.body)));
    stream.stall_deadline = server_.deadline(server_.limits.stall_time);
    stream.answer_ended = true;
    connection_.wake();
  }

  // The answer.

  static nghttp2_nv field_of(std::string_view name, std::string_view value) {
    // nghttp2 copies both: its types only lack the const.
    return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
            reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
            NGHTTP2_NV_FLAG_NONE};
  }

  void submit_head(std::int32_t id, Http2Stream& stream, int status, const Headers& headers,
                   std::optional<std::size_t> length) {
    const bool bodiless = is_bodiless(status);
    stream.has_body = stream.has_body && !bodiless && length != std::size_t{0};
    Headers fields{{":status", std::to_string(status)}};
    for (const Header& header : headers) {
      if (!is_connection_field(header.name)) fields.add(lower_case(header.name), header.value);
    }
    if (headers.find("date") == nullptr) fields.add("date", server_.current_date());
    if (length && !bodiless) fields.add("content-length", std::to_string(*length));
    std::vector<nghttp2_nv> views;
    for (const Header& field : fields) views.push_back(field_of(field.name, field.value));
    nghttp2_data_provider body{};
    body.read_callback = [](nghttp2_session*, std::int32_t stream_id, std::uint8_t*, std::size_t most,
                            std::uint32_t* flags, nghttp2_data_source*,
                            void* user) { return self(user).next_data(stream_id, most, *flags); };
    nghttp2_submit_response(session_.get(), id, views.data(), views.size(), stream.has_body ? &body : nullptr);
    connection_.wake();
  }

  void resume(std::int32_t id) {
    nghttp2_session_resume_data(session_.get(), id);
    connection_.wake();
  }

  void reset(std::int32_t id, std::uint32_t code) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, code);
    connection_.wake();
  }

  /// How much the next DATA frame carries.
  ssize_t next_data(std::int32_t id, std::size_t most, std::uint32_t& flags) {
    const Http2Stream* stream = find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (stream->queued() == 0 && !stream->answer_ended) return NGHTTP2_ERR_DEFERRED;
    const std::size_t length = std::min(most, stream->queued());
    flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (length == stream->queued() && stream->answer_ended) flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(length);
  }

  int send_data(const nghttp2_frame& frame, const std::uint8_t* head, std::size_t length) {
    constexpr std::size_t kFrameHead = 9;
    Http2Stream* stream = find(frame.hd.stream_id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    connection_.output().append(view(head, kFrameHead));
    budget_.sent(length);
    stream->move_to(connection_.output(), length);
    stream->stall_deadline = server_.deadline(server_.limits.stall_time);
    return 0;
  }

  void after_sending(const nghttp2_frame& frame) {
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    // The answer came before the request was whole: the client need not send the rest (RFC 9113, 8.1). It gets a moment
    // to notice, since some clients drop an answer if the reset comes with it.
    Http2Stream* stream = find(frame.hd.stream_id);
    if (stream != nullptr && !stream->request_ended) stream->deadline = server_.deadline(kFarewell);
  }

  void close_stream(std::int32_t id) {
    lose(id);
    if (streams_.empty()) idle_deadline_ = server_.deadline(server_.limits.idle_time);
  }

  /// Forgets the stream first: the callback may do anything.
  void lose(std::int32_t id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    release_request(found->second, server_);
    Exchange* exchange = found->second.exchange;
    streams_.erase(found);
    if (exchange != nullptr) exchange->lose();
  }

  Connection& connection_;
  ServerState& server_;
  std::unique_ptr<nghttp2_session, SessionDeleter> session_;
  std::map<std::int32_t, Http2Stream> streams_;  // in order, so that runs repeat
  bool more_to_send_ = false;                    // but the output is full
  bool someone_waits_ = false;                   // for room
  Http2FrameBudget budget_;
  std::size_t block_bytes_ = 0;  // of the header block that is read, unfolded
  bool is_bomb_ = false;         // and it is more than anybody means
  bool is_cut_off_ = false;
  bool closing_ = false;
  std::int64_t idle_deadline_ = 0;
};

}  // namespace

std::unique_ptr<Session> make_http2_session(Connection& connection) {
  return std::make_unique<Http2Session>(connection);
}

}  // namespace loadline::net
