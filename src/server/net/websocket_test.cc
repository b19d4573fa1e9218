#include "server/net/websocket.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "server/net/memory_stream.h"
#include "server/net/server.h"

namespace loadline::net {
namespace {

using namespace std::string_literals;

constexpr const char* kProtocolError = "\x88\x02\x03\xea";

/// A client's frame, masked.
std::string frame(unsigned char first, const std::string& payload) {
  const std::string mask = "\x01\x80\x7f\x00"s;
  std::string text(1, static_cast<char>(first));
  const std::size_t length = payload.size();
  if (length <= 125) {
    text += static_cast<char>(0x80 | length);
  } else {
    text += "\xfe"s + static_cast<char>(length >> 8U) + static_cast<char>(length & 0xffU);
  }
  text += mask;
  for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(payload[i] ^ mask[i % 4]);
  return text;
}

struct FrameCase {
  std::string_view what;
  std::string sent;
  std::string answered;
  bool goes_on = true;
};

const std::vector<FrameCase>& frame_cases() {
  static const auto* const all = new std::vector<FrameCase>{
      {"text is passed over", frame(0x81, "hello"), ""},
      {"nothing in it", frame(0x82, ""), ""},
      {"long text", frame(0x81, std::string(40'000, 'x')) + frame(0x89, "a"),
       "\x8a\x01"
       "a"},
      {"fragments, and a ping between", frame(0x01, "a") + frame(0x89, "b") + frame(0x00, "c") + frame(0x80, "d"),
       "\x8a\x01"
       "b"},
      {"pong is passed over", frame(0x8a, "x"), ""},
      {"ping without a payload", frame(0x89, ""), "\x8a\x00"s},
      {"the longest ping", frame(0x89, std::string(125, 'p')), "\x8a\x7d" + std::string(125, 'p')},
      {"farewell", frame(0x88, "\x03\xe9 bye"), "\x88\x02\x03\xe9", false},
      {"farewell without a reason", frame(0x88, ""), "\x88\x00"s, false},
      {"nothing after a farewell", frame(0x88, "") + frame(0x89, "x"), "\x88\x00"s, false},
      {"half a reason", frame(0x88, "\x03"), kProtocolError, false},
      {"no mask", "\x81\x01x", kProtocolError, false},
      {"reserved bits", frame(0xc1, "x"), kProtocolError, false},
      {"unknown frame", frame(0x83, "x"), kProtocolError, false},
      {"unknown control frame", frame(0x8b, "x"), kProtocolError, false},
      {"continues nothing", frame(0x80, "x"), kProtocolError, false},
      {"a message within another", frame(0x01, "x") + frame(0x81, "y"), kProtocolError, false},
      {"a fragment of a ping", frame(0x09, "x"), kProtocolError, false},
      {"a ping too long", frame(0x89, std::string(126, 'x')), kProtocolError, false},
      {"not a WebSocket at all", "GET / HTTP/1.1\r\n\r\n", kProtocolError, false},
  };
  return *all;
}

TEST(WebSocketReader, AnswersFramesAlikeHoweverTheyAreCut) {
  for (const FrameCase& one : frame_cases()) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1} << 20U}) {
      WebSocketReader reader;
      std::string answer;
      bool goes_on = true;
      for (std::size_t at = 0; at < one.sent.size(); at += piece)
        goes_on = reader.feed(one.sent.substr(at, piece), answer);
      EXPECT_EQ(answer, one.answered) << one.what;
      EXPECT_EQ(goes_on, one.goes_on) << one.what;
    }
  }
}

TEST(WebSocketReader, AFrameOfAnyLengthTakesNoMemory) {
  WebSocketReader reader;
  std::string answer;
  EXPECT_TRUE(reader.feed("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04"s, answer));
  EXPECT_TRUE(reader.feed(std::string(1'000'000, 'x'), answer));
  EXPECT_EQ(answer, "");
}

TEST(WebSocket, ProvesThatItIsMeant) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455, 1.3
}

TEST(WebSocket, WritesHeads) {
  EXPECT_EQ(websocket_head(WebSocketFrame::kText, 125), "\x81\x7d");
  EXPECT_EQ(websocket_head(WebSocketFrame::kText, 126), "\x81\x7e\x00\x7e"s);
  EXPECT_EQ(websocket_head(WebSocketFrame::kBinary, 65'535), "\x82\x7e\xff\xff");
  EXPECT_EQ(websocket_head(WebSocketFrame::kText, 65'536), "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s);
  EXPECT_EQ(websocket_goodbye(), "\x88\x02\x03\xe8");
}

/// A server that switches, and a client that sends and receives bytes.
class WebSocketConnection : public testing::Test, public Handler {
 protected:
  WebSocketConnection() : server_(loop_, {}, *this) {
    auto [client, server] = connected_streams(loop_, {});
    server_.serve(std::move(server));
    client_ = std::move(client);
    client_->on_ready([this] { receive(); });
  }

  void handle(std::shared_ptr<Exchange> exchange) override {
    switched_ = exchange->start_messages({{"Sec-WebSocket-Accept", "x"}});
    exchange->on_close([this] { gone_ = true; });
    watch_ = std::move(exchange);
  }

  void send(std::string_view bytes) {
    client_->write(std::span(&bytes, 1));
    loop_.run_until_idle();
    receive();
    loop_.run_until_idle();
  }

  void receive() {
    std::string buffer(4096, '\0');
    while (!closed_) {
      const Transfer transfer = client_->read(std::span(buffer));
      if (transfer.state == Transfer::State::kBlocked) return;
      if (transfer.state != Transfer::State::kDone) closed_ = true;
      received_.append(buffer, 0, transfer.bytes);
    }
  }

  const std::string request_ = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string head_ =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
      "x\r\n\r\n";
  VirtualLoop loop_;
  Server server_;
  std::unique_ptr<Stream> client_;
  std::shared_ptr<Exchange> watch_;
  std::string received_;
  bool switched_ = false;
  bool gone_ = false;
  bool closed_ = false;
};

TEST_F(WebSocketConnection, CarriesPiecesAsMessagesUntilTheClientLeaves) {
  send(request_ + frame(0x89, "q"));  // pings before it has the answer
  EXPECT_TRUE(switched_);
  EXPECT_TRUE(watch_->write(std::make_shared<const std::string>("one\n")));
  EXPECT_TRUE(watch_->write(std::make_shared<const std::string>(2000, 'x')));
  loop_.run_until_idle();
  EXPECT_EQ(received_, head_ + "\x8a\x01q\x81\x04one\n\x81\x7e\x07\xd0" + std::string(2000, 'x'));
  received_.clear();
  send(frame(0x88, ""));
  EXPECT_TRUE(gone_);
  EXPECT_FALSE(watch_->is_open());
  EXPECT_EQ(received_, "\x88\x00"s);
  EXPECT_TRUE(closed_);
}

TEST_F(WebSocketConnection, EndsWithAFarewell) {
  send(request_);
  watch_->finish();
  loop_.run_until_idle();
  EXPECT_EQ(received_, head_ + websocket_goodbye());
  EXPECT_TRUE(closed_);
  EXPECT_FALSE(gone_);
}

TEST_F(WebSocketConnection, EndsWhenTheClientBreaksTheRules) {
  send(request_);
  send("no frame of a client");
  EXPECT_TRUE(gone_);
  EXPECT_EQ(received_, head_ + kProtocolError);
  EXPECT_TRUE(closed_);
}

TEST_F(WebSocketConnection, EndsWhenTheClientJustGoes) {
  send(request_);
  client_->finish();
  loop_.run_until_idle();
  EXPECT_TRUE(gone_);
}

TEST_F(WebSocketConnection, IsNothingForOldClients) {
  send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_FALSE(switched_);
  EXPECT_TRUE(watch_->is_open());
  EXPECT_EQ(received_, "");
}

}  // namespace
}  // namespace loadline::net
