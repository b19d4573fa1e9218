// HTTP/2 on streams in memory, in virtual time, with a client that decides how much it takes.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/virtual_loop.h"
#include "net/memory_stream.h"
#include "net/server.h"

namespace loadline::net {
namespace {

/// A client of HTTP/2. Takes what comes only as far as it is told to.
class Http2Client {
 public:
  struct Answer {
    std::string status;
    std::string body;
    bool closed = false;
    std::uint32_t error = 0;
  };

  explicit Http2Client(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_length,
                      const std::uint8_t* value, std::size_t value_length, std::uint8_t, void* user) {
          if (text(name, name_length) == ":status") {
            self(user).answers[frame->hd.stream_id].status = text(value, value_length);
          }
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                      std::size_t length, void* user) {
          self(user).answers[id].body += text(data, length);
          nghttp2_session_consume_connection(session, length);
          if (!self(user).holds_back) nghttp2_session_consume_stream(session, id, length);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
          self(user).answers[id].closed = true;
          self(user).answers[id].error = error;
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                           if (frame->hd.type == NGHTTP2_GOAWAY)
                                                             self(user).told_to_go = true;
                                                           return 0;
                                                         });
    nghttp2_option* options = nullptr;
    nghttp2_option_new(&options);
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_session_client_new2(&session_, callbacks, this, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    stream_->on_ready([this] { pump(); });
  }

  ~Http2Client() { nghttp2_session_del(session_); }

  std::int32_t get(const std::string& path) { return send("GET", path, nullptr); }

  std::int32_t post(const std::string& path, std::string body) {
    body_ = std::move(body);
    nghttp2_data_provider provider{};
    provider.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t most,
                                std::uint32_t* flags, nghttp2_data_source*, void* user) {
      std::string& rest = self(user).body_;
      const std::size_t count = rest.copy(reinterpret_cast<char*>(into), most);
      rest.erase(0, count);
      if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
      return static_cast<ssize_t>(count);
    };
    return send("POST", path, &provider);
  }

  void reset(std::int32_t id) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    pump();
  }

  /// Gives the server room again.
  void take(std::int32_t id) {
    holds_back = false;
    nghttp2_session_consume_stream(session_, id, answers[id].body.size());
    pump();
  }

  std::map<std::int32_t, Answer> answers;
  bool holds_back = false;
  bool told_to_go = false;
  bool closed = false;

 private:
  static Http2Client& self(void* user) { return *static_cast<Http2Client*>(user); }
  static std::string text(const std::uint8_t* bytes, std::size_t length) {
    return {reinterpret_cast<const char*>(bytes), length};
  }

  std::int32_t send(const std::string& method, const std::string& path, const nghttp2_data_provider* body) {
    const std::array<std::pair<std::string, std::string>, 4> fields = {
        {{":method", method}, {":scheme", "https"}, {":path", path}, {":authority", "test"}}};
    std::vector<nghttp2_nv> views;
    for (const auto& [name, value] : fields) {
      views.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                       reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
                       NGHTTP2_NV_FLAG_NONE});
    }
    const std::int32_t id = nghttp2_submit_request(session_, nullptr, views.data(), views.size(), body, nullptr);
    pump();
    return id;
  }

  void pump() {
    std::string buffer(8192, '\0');
    while (!closed) {
      const Transfer transfer = stream_->read(std::span(buffer));
      if (transfer.state == Transfer::State::kBlocked) break;
      if (transfer.state != Transfer::State::kDone) closed = true;
      nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(buffer.data()), transfer.bytes);
    }
    const std::uint8_t* bytes = nullptr;
    for (ssize_t length = 0; (length = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      unsent_.append(text(bytes, static_cast<std::size_t>(length)));
    }
    while (!unsent_.empty()) {
      const std::string_view piece = unsent_;
      const Transfer transfer = stream_->write(std::span(&piece, 1));
      if (transfer.state != Transfer::State::kDone) break;
      unsent_.erase(0, transfer.bytes);
    }
  }

  std::unique_ptr<Stream> stream_;
  nghttp2_session* session_ = nullptr;
  std::string body_;
  std::string unsent_;
};

class Http2Test : public testing::Test, public Handler {
 protected:
  void handle(std::shared_ptr<Exchange> exchange) override {
    const Request& request = exchange->request();
    if (request.target.starts_with("/watch")) {
      exchange->start(200, {});
      exchange->on_close([this] { ++closed_; });
      watches_.push_back(std::move(exchange));
    } else {
      exchange->respond({200, {}, fmt::format("{} {} {}", request.method, request.target, request.body)});
    }
  }

  void make(const ServerLimits& limits) {
    ServerOptions options;
    options.limits = limits;
    server_ = std::make_unique<Server>(loop_, options, *this);
  }

  std::unique_ptr<Http2Client> connect() {
    MemoryStreamOptions options;
    options.protocol = "h2";
    auto [client, server] = connected_streams(loop_, options);
    server_->serve(std::move(server));
    return std::make_unique<Http2Client>(std::move(client));
  }

  static std::shared_ptr<const std::string> piece(std::size_t size) {
    return std::make_shared<const std::string>(size, 'x');
  }

  VirtualLoop loop_;
  std::vector<std::shared_ptr<Exchange>> watches_;
  int closed_ = 0;
  std::unique_ptr<Server> server_ = std::make_unique<Server>(loop_, ServerOptions{}, *this);
};

TEST_F(Http2Test, AnswersManyRequestsOnOneConnection) {
  const auto client = connect();
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(client->get(fmt::format("/{}", i)));
  const std::int32_t post = client->post("/body", std::string(100'000, 'b'));
  loop_.run_until_idle();
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(client->answers[ids[i]].body, fmt::format("GET /{} ", i));
  EXPECT_EQ(client->answers[post].body, "POST /body " + std::string(100'000, 'b'));
  EXPECT_EQ(client->answers[post].status, "200");
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(Http2Test, OneStreamThatIsNotReadHoldsUpNoOther) {
  const auto client = connect();
  client->holds_back = true;
  const std::int32_t watch = client->get("/watch");
  loop_.run_until_idle();
  ASSERT_EQ(watches_.size(), 1U);
  int writes = 0;
  while (watches_[0]->write(piece(50'000))) {
    loop_.run_until_idle();
    ASSERT_LT(++writes, 200);
  }
  EXPECT_EQ(client->answers[watch].body.size(), 65'535U) << "the window that it gave";
  EXPECT_LE(watches_[0]->queued_bytes(), ServerLimits{}.exchange_queue);
  EXPECT_GT(watches_[0]->queued_bytes(), ServerLimits{}.exchange_queue - 50'000);
  const std::int32_t other = client->get("/other");
  loop_.run_until_idle();
  EXPECT_EQ(client->answers[other].body, "GET /other ");
  bool asked_for_more = false;
  watches_[0]->on_writable([&] { asked_for_more = true; });
  loop_.run_until_idle();
  EXPECT_FALSE(asked_for_more);
  client->take(watch);
  loop_.run_until_idle();
  EXPECT_TRUE(asked_for_more);
  EXPECT_EQ(client->answers[watch].body.size(), static_cast<std::size_t>(writes) * 50'000);
}

TEST_F(Http2Test, AStreamThatStaysUnreadIsResetAndItsOwnerTold) {
  const auto client = connect();
  client->holds_back = true;
  const std::int32_t watch = client->get("/watch");
  const std::int32_t quiet = client->get("/watch");
  loop_.run_until_idle();
  watches_[0]->write(piece(100'000));
  loop_.advance(Duration::seconds(50));
  EXPECT_EQ(closed_, 0);
  loop_.advance(Duration::seconds(3600));
  EXPECT_EQ(closed_, 1);
  EXPECT_TRUE(client->answers[watch].closed);
  EXPECT_FALSE(client->answers[quiet].closed);
  EXPECT_TRUE(watches_[1]->is_open());
}

TEST_F(Http2Test, AClientThatResetsOrLeavesEndsItsWatches) {
  auto client = connect();
  const std::int32_t first = client->get("/watch");
  client->get("/watch");
  loop_.run_until_idle();
  client->reset(first);
  loop_.run_until_idle();
  EXPECT_EQ(closed_, 1);
  EXPECT_FALSE(watches_[0]->is_open());
  EXPECT_FALSE(watches_[0]->write(piece(1)));
  EXPECT_TRUE(watches_[1]->is_open());
  client.reset();
  loop_.run_until_idle();
  EXPECT_EQ(closed_, 2);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(Http2Test, FinishesAndAbortsSoThatTheClientCanTell) {
  const auto client = connect();
  const std::int32_t whole = client->get("/watch");
  const std::int32_t cut = client->get("/watch");
  loop_.run_until_idle();
  for (const auto& watch : watches_) watch->write(piece(10));
  watches_[0]->finish();
  loop_.run_until_idle();
  watches_[1]->abort();
  loop_.run_until_idle();
  EXPECT_TRUE(client->answers[whole].closed);
  EXPECT_EQ(client->answers[whole].error, static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
  EXPECT_EQ(client->answers[whole].body.size(), 10U);
  EXPECT_EQ(client->answers[cut].error, static_cast<std::uint32_t>(NGHTTP2_INTERNAL_ERROR));
  EXPECT_EQ(closed_, 0);
}

TEST_F(Http2Test, RefusesWhatIsTooLarge) {
  ServerLimits limits;
  limits.body = 1'000;
  limits.request_line = 100;
  make(limits);
  const auto client = connect();
  const std::int32_t body = client->post("/", std::string(2'000, 'b'));
  loop_.run_until_idle();
  const std::int32_t path = client->get("/" + std::string(200, 'a'));
  loop_.run_until_idle();
  const std::int32_t sound = client->get("/sound");
  loop_.run_until_idle();
  EXPECT_EQ(client->answers[body].status, "413");
  EXPECT_EQ(client->answers[path].status, "414");
  EXPECT_EQ(client->answers[sound].status, "200");
}

TEST_F(Http2Test, SaysGoodbyeWhenIdleForLongOrStopping) {
  const auto idle = connect();
  idle->get("/");
  loop_.advance(Duration::seconds(170));
  EXPECT_FALSE(idle->closed);
  loop_.advance(Duration::seconds(20));
  EXPECT_TRUE(idle->told_to_go);
  EXPECT_TRUE(idle->closed);
  const auto watcher = connect();
  watcher->get("/watch");
  loop_.run_until_idle();
  bool stopped = false;
  server_->stop(Duration::seconds(5), [&] { stopped = true; });
  loop_.advance(Duration::seconds(1));
  EXPECT_TRUE(watcher->told_to_go);
  EXPECT_TRUE(watches_[0]->is_open());
  watches_[0]->finish();
  loop_.advance(Duration::seconds(3));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(closed_, 0);
}

}  // namespace
}  // namespace loadline::net
