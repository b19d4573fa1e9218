// HTTP/2 on streams in memory, in virtual time, with a client that decides how much it takes.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <string>
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

}  // namespace
}  // namespace loadline::net
