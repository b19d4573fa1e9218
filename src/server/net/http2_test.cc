// HTTP/2 on streams in memory, in virtual time, with a client that decides how much it takes.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "server/net/memory_stream.h"
#include "server/net/server.h"
#include "server/net/testing/http2_client.h"

namespace loadline::net {
namespace {

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

/// A client that writes its frames itself: what it sends need make no sense.
class Http2FloodTest : public Http2Test {
 protected:
  struct Frame {
    unsigned char type;
    unsigned char flags;
    std::uint32_t stream;
    std::string payload;
  };

  static std::string text_of(const Frame& frame) {
    std::string text;
    for (const int shift : {16, 8, 0}) text += static_cast<char>(frame.payload.size() >> shift);
    text += static_cast<char>(frame.type);
    text += static_cast<char>(frame.flags);
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(frame.stream >> shift);
    return text + frame.payload;
  }

  void SetUp() override {
    MemoryStreamOptions options;
    options.protocol = "h2";
    auto [client, server] = connected_streams(loop_, options);
    server_->serve(std::move(server));
    raw_ = std::move(client);
    raw_->on_ready([this] { read(); });
    send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + text_of({kSettings, 0, 0, ""}));
    loop_.run_until_idle();
  }

  void read() {
    std::string buffer(8192, '\0');
    while (!is_closed_) {
      const Transfer transfer = raw_->read(std::span(buffer));
      if (transfer.state == Transfer::State::kBlocked) return;
      is_closed_ = transfer.state != Transfer::State::kDone;
      received_.append(buffer, 0, transfer.bytes);
    }
  }

  void send(std::string_view bytes) {
    while (!bytes.empty() && !is_closed_) {
      const Transfer sent = raw_->write(std::span(&bytes, 1));
      if (sent.state != Transfer::State::kDone) {
        loop_.run_until_idle();
        if (sent.state == Transfer::State::kFailed) return;
        continue;
      }
      bytes.remove_prefix(sent.bytes);
    }
  }

  /// How many of them the server takes before it has enough; no more than `most`.
  int endured(const Frame& frame, int most) {
    const std::string text = text_of(frame);
    for (int i = 0; i < most; ++i) {
      send(text);
      loop_.run_until_idle();
      if (is_closed_) return i;
    }
    return most;
  }

  /// A request that is not whole yet: an upload to /.
  void begin_upload() {
    send(text_of({kHeaders, kEndHeaders, 1, kUpload}));
    loop_.run_until_idle();
  }

  /// Whether the server said that it is asked for too much.
  [[nodiscard]] bool was_told_to_be_calm() const {
    return received_.find(std::string("\x07\0\0\0\0\0", 6)) != std::string::npos &&
           received_.ends_with(std::string("\0\0\0\x0b", 4));
  }

  /// In HPACK: :method POST, :scheme https, :path / by their numbers in the static table, and :authority x, which does
  /// not go into the dynamic one.
  static inline const std::string& kUpload = *new std::string("\x83\x87\x84\x01\x01x");

  /// The streams that have a frame of that type from the server.
  [[nodiscard]] std::set<std::uint32_t> streams_with(unsigned char type) const {
    std::set<std::uint32_t> streams;
    const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(received_[at])}; };
    for (std::size_t at = 0; at + 9 <= received_.size();) {
      if (byte(at + 3) == type) streams.insert(byte(at + 7) << 8U | byte(at + 8));
      at += 9 + (byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2));
    }
    return streams;
  }

  static constexpr unsigned char kData = 0;
  static constexpr unsigned char kHeaders = 1;
  static constexpr unsigned char kPriority = 2;
  static constexpr unsigned char kReset = 3;
  static constexpr unsigned char kSettings = 4;
  static constexpr unsigned char kPing = 6;
  static constexpr unsigned char kWindowUpdate = 8;
  static constexpr unsigned char kContinuation = 9;
  static constexpr unsigned char kUnknown = 200;
  static constexpr unsigned char kEndHeaders = 4;
  static constexpr unsigned char kPadded = 8;

  std::unique_ptr<Stream> raw_;
  std::string received_;
  bool is_closed_ = false;
};

TEST_F(Http2FloodTest, EachKindOfIdleFramesIsCutOff) {
  const std::string one(3, '\0');
  const Frame kinds[] = {{kData, 0, 1, ""},
                         {kData, kPadded, 1, std::string("\x05\0\0\0\0\0", 6)},
                         {kPriority, 0, 3, one + "\x01\x10"},
                         {kSettings, 0, 0, ""},
                         {kPing, 0, 0, std::string(8, 'p')},
                         {kPing, 1, 0, std::string(8, 'p')},
                         {kWindowUpdate, 0, 0, one + '\x01'},
                         {kWindowUpdate, 0, 1, one + '\x01'},
                         {kReset, 0, 1, one + '\x08'},
                         {kUnknown, 0, 0, "whatever"},
                         {kUnknown, 0, 7, ""}};
  for (const Frame& kind : kinds) {
    SCOPED_TRACE(fmt::format("type {} of {} bytes", kind.type, kind.payload.size()));
    received_.clear();
    is_closed_ = false;
    SetUp();
    begin_upload();
    const int count = endured(kind, 5'000);
    EXPECT_LE(count, 1'001);
    EXPECT_GT(count, 900);
    EXPECT_TRUE(was_told_to_be_calm());
    raw_.reset();
    loop_.run_until_idle();
    EXPECT_EQ(server_->connections(), 0U);
  }
}

/// A head that never ends.
TEST_F(Http2FloodTest, ContinuationsAreCutOff) {
  send(text_of({kHeaders, 0, 1, kUpload}));
  EXPECT_LE(endured({kContinuation, 0, 1, ""}, 5'000), 1'001);
  EXPECT_TRUE(is_closed_);
}

/// 4 KB in HPACK's table, then one byte for each time that it is named.
TEST_F(Http2FloodTest, AHeadThatNamesALargeFieldAgainAndAgainIsCutOff) {
  // a literal with a new name of one letter, into the table; a value of 4,000 bytes: 127 + 3,873 = 0xa1 + 128 * 30
  const std::string large =
      "\x40\x01"
      "a\x7f\xa1\x1e" +
      std::string(4'000, 'v');
  send(text_of({kHeaders, 0, 1, kUpload + large}));
  send(text_of({kContinuation, kEndHeaders, 1, std::string(16'000, '\xbe')}));
  loop_.run_until_idle();
  EXPECT_TRUE(was_told_to_be_calm());
  EXPECT_TRUE(is_closed_);
}

/// A little more than is allowed is answered as such, as it was.
TEST_F(Http2FloodTest, AHeadThatIsOnlyTooLargeIsRefused) {
  const std::string large =
      "\x40\x01"
      "a\x7f\xa1\x1e" +
      std::string(4'000, 'v');
  send(text_of({kHeaders, 5, 1, kUpload + large + std::string(20, '\xbe')}));
  loop_.run_until_idle();
  EXPECT_FALSE(is_closed_);
  EXPECT_FALSE(was_told_to_be_calm());
  EXPECT_TRUE(streams_with(kHeaders).contains(1));
}

/// Heads that are held cost memory that a few bytes stand for.
TEST_F(Http2FloodTest, HeadsOfRequestsThatAreNotWholeAreCounted) {
  ServerLimits limits;
  limits.bodies = 300'000;
  make(limits);
  is_closed_ = false;
  received_.clear();
  SetUp();
  const std::string large =
      "\x40\x01"
      "a\x7f\xa1\x1e" +
      std::string(4'000, 'v');
  send(text_of({kHeaders, kEndHeaders, 1, kUpload + large}));
  for (std::uint32_t id = 3; id < 41; id += 2) {
    send(text_of({kHeaders, kEndHeaders, id, kUpload + std::string(10, '\xbe')}));
  }
  loop_.run_until_idle();
  EXPECT_FALSE(is_closed_);
  const std::set<std::uint32_t> refused = streams_with(kHeaders);
  EXPECT_FALSE(refused.contains(1));
  EXPECT_FALSE(refused.contains(11));
  EXPECT_TRUE(refused.contains(19));
}

/// What a client that works is entitled to: it may reset as often as it asks, within measure, and acknowledge what it
/// reads in small steps.
TEST_F(Http2FloodTest, ABusyClientIsNotCutOff) {
  const auto client = connect();
  for (int i = 0; i < 500; ++i) {
    client->reset(client->get("/watch"));
    loop_.run_until_idle();
  }
  for (int second = 0; second < 100; ++second) {
    for (int i = 0; i < 20; ++i) client->get("/");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_FALSE(client->told_to_go);
  EXPECT_FALSE(client->closed);
}

/// Go's client acknowledges 4 KiB at a time, twice.
TEST_F(Http2FloodTest, AnAnswerOfManyMegabytesMayBeAcknowledgedInSmallSteps) {
  // :method GET, :scheme https, :path /watch as a literal, :authority x
  send(text_of({kHeaders, 5, 1, std::string("\x82\x87\x44\x06/watch\x41\x01x")}));
  loop_.run_until_idle();
  ASSERT_EQ(watches_.size(), 1U);
  const std::string step = text_of({kWindowUpdate, 0, 0, std::string("\0\0\x10\0", 4)}) +
                           text_of({kWindowUpdate, 0, 1, std::string("\0\0\x10\0", 4)});
  for (int i = 0; i < 5'000; ++i) {
    watches_[0]->write(piece(4'096));
    loop_.run_until_idle();
    send(step);
    loop_.run_until_idle();
    ASSERT_FALSE(is_closed_) << i;
  }
  EXPECT_GT(received_.size(), 20'000'000U);
}

}  // namespace
}  // namespace loadline::net
