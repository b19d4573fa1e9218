// What slow, broken and malicious clients can do to a server, which is little: queues, times and numbers are bounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "server/net/testing/server_fixture.h"

namespace loadline::net {
namespace {

TEST_F(ServerTest, ASlowReadersQueueIsBounded) {
  ServerLimits limits;
  limits.exchange_queue = 100'000;
  make(limits);
  std::shared_ptr<Exchange> slow;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    slow = exchange;
    slow->start(200, {});
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 10'000;
  const auto client = connect_raw(narrow);
  client->pause();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  int taken = 0;
  while (slow->write(piece(1'000))) {
    ++taken;
    loop_.run_until_idle();
    ASSERT_LE(taken, 120);
  }
  EXPECT_GE(taken, 100);
  EXPECT_LE(slow->queued_bytes(), 100'000U);
  slow->abort();
  EXPECT_EQ(slow->queued_bytes(), 0U);
  client->resume();
  loop_.run_until_idle();
  EXPECT_TRUE(client->closed);
}

TEST_F(ServerTest, ALargeAnswerIsMadePieceByPieceAsItIsRead) {
  std::shared_ptr<Exchange> list;
  std::size_t made = 0;
  std::size_t most_queued = 0;
  std::function<void()> make_more = [&] {
    while (made < 5'000'000 && list->queued_bytes() < Exchange::kLowWater) {
      ASSERT_TRUE(list->write(piece(10'000)));
      made += 10'000;
      most_queued = std::max(most_queued, list->queued_bytes());
    }
    if (made < 5'000'000) return list->on_writable(make_more);
    list->finish();
  };
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    list = exchange;
    list->start(200, {});
    make_more();
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 50'000;
  const auto client = connect_raw(narrow);
  client->pause();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_LT(made, 200'000U) << "the client does not read";
  client->resume();
  loop_.run_until_idle();
  EXPECT_EQ(made, 5'000'000U);
  EXPECT_LT(most_queued, 80'000U);
  EXPECT_TRUE(client->received.ends_with("\r\n0\r\n\r\n"));
  EXPECT_GT(client->received.size(), 5'000'000U);
}

TEST_F(ServerTest, ClientsThatSayNothingOrTrickleRunOutOfTime) {
  const auto silent = connect_raw();
  const auto trickling = connect_raw();
  const auto slow_body = connect_raw();
  const auto idle = connect_raw();
  slow_body->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  idle->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  trickling->send("GET / HTTP/1.1\r\n");
  for (int second = 0; second < 30; ++second) {
    trickling->send("a");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_EQ(server_->connections(), 4U);
  loop_.advance(Duration::seconds(10));
  EXPECT_TRUE(silent->closed);
  EXPECT_EQ(silent->received, "");
  EXPECT_EQ(status_line(trickling->received), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(server_->connections(), 2U);
  for (int second = 0; second < 100; ++second) {
    slow_body->send("a");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_EQ(status_line(slow_body->received), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(server_->connections(), 1U);
  EXPECT_FALSE(idle->closed);
  loop_.advance(Duration::seconds(100));
  EXPECT_TRUE(idle->closed);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, AnAnswerThatTheClientDoesNotReadIsCutButAQuietWatchIsNot) {
  std::vector<std::shared_ptr<Exchange>> watches;
  int closed = 0;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    exchange->start(200, {});
    exchange->on_close([&] { ++closed; });
    watches.push_back(exchange);
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 1'000;
  const auto stalled = connect_raw(narrow);
  const auto quiet = connect_raw(narrow);
  for (const auto& client : {stalled.get(), quiet.get()}) client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  stalled->pause();
  watches[0]->write(piece(5'000));
  loop_.advance(Duration::seconds(55));
  EXPECT_EQ(closed, 0);
  loop_.advance(Duration::seconds(3600));
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(watches[0]->is_open());
  EXPECT_TRUE(watches[1]->is_open());
}

TEST_F(ServerTest, AJumpOfTheClockCutsNoConnection) {
  const auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\n");
  loop_.advance(Duration::seconds(5));
  loop_.set_wall_offset(Duration::seconds(1'000'000));
  loop_.advance(Duration::seconds(5));
  client->send("Host: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_EQ(status_line(client->received), "HTTP/1.1 200 OK");
}

TEST_F(ServerTest, BodiesOfAllClientsTogetherAreBounded) {
  ServerLimits limits;
  limits.bodies = 10'000;
  make(limits);
  std::vector<std::unique_ptr<RawClient>> clients;
  int refused = 0;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(connect_raw());
    clients.back()->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(4'000, 'a'));
    loop_.run_until_idle();
  }
  for (const auto& client : clients) refused += status_line(client->received) == "HTTP/1.1 503 Service Unavailable";
  EXPECT_EQ(refused, 3);
  for (int i = 0; i < 2; ++i) clients[static_cast<std::size_t>(i)]->send(std::string(1'000, 'a'));
  loop_.run_until_idle();
  EXPECT_EQ(status_line(clients[0]->received), "HTTP/1.1 200 OK");
  const auto after = connect_raw();
  after->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(5'000, 'a'));
  loop_.run_until_idle();
  EXPECT_EQ(status_line(after->received), "HTTP/1.1 200 OK") << "room again";
}

TEST_F(ServerTest, MoreConnectionsThanAllowedAreClosed) {
  ServerLimits limits;
  limits.connections = 2;
  make(limits);
  const auto first = connect_raw();
  const auto second = connect_raw();
  const auto third = connect_raw();
  loop_.run_until_idle();
  third->resume();
  EXPECT_TRUE(third->closed);
  EXPECT_FALSE(first->closed);
}

TEST_F(ServerTest, AConnectionThatBreaksAnywhereHarmsNoOther) {
  handler_.answer = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->start(200, {});
    for (int i = 0; i < 5; ++i) exchange->write(piece(500));
    exchange->finish();
  };
  for (std::size_t cut = 1; cut < 3'000; cut += 7) {
    MemoryStreamOptions options;
    options.second_to_first.cut_after = cut;
    options.first_to_second.cut_after = cut + 40;
    const auto client = connect_client(options);
    bool told = false;
    client->send({"GET", "/", {}, "", nullptr}, [&](const Result<Response>&) { told = true; });
    loop_.run_until_idle();
    EXPECT_TRUE(told) << cut;
  }
  loop_.advance(Duration::seconds(300));
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, GarbageIsRefusedOverHttp2Too) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    MemoryStreamOptions options;
    options.protocol = "h2";
    const auto client = connect_raw(options);
    Rng rng(seed);
    std::string garbage = seed % 2 == 0 ? "" : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (int i = 0; i < 2'000; ++i) garbage += static_cast<char>(rng.below(256));
    client->send(garbage);
    loop_.advance(Duration::seconds(400));
    EXPECT_TRUE(client->closed) << seed;
  }
  EXPECT_EQ(server_->connections(), 0U);
}

}  // namespace
}  // namespace loadline::net
