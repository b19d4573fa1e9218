// Watches of browsers: over WebSocket, with the token in a subprotocol.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "foundation/base/base64.h"
#include "server/apiserver/credentials.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using namespace std::string_literals;

constexpr const char* kTokenProtocol = "base64url.bearer.authorization.k8s.io.";
constexpr const char* kWatch = "/api/v1/namespaces/default/configmaps?watch=1";

class WebSocketTest : public testing::Test {
 protected:
  [[nodiscard]] std::string token() { return server_.plane().secrets().owner_token; }

  /// A request as browsers make it, but for `changed`; an empty value takes a header away.
  net::Request request(const std::vector<std::pair<std::string, std::string>>& changed) {
    net::Request made;
    made.method = "GET";
    made.target = kWatch;
    std::vector<std::pair<std::string, std::string>> headers = {{"Host", "h"},
                                                                {"Connection", "keep-alive, Upgrade"},
                                                                {"Upgrade", "WebSocket"},
                                                                {"Origin", "https://example.com"},
                                                                {"Sec-WebSocket-Version", "13"},
                                                                {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                                                                {"Authorization", "Bearer " + token()}};
    for (const auto& [name, value] : changed) {
      std::erase_if(headers, [&name](const auto& header) { return header.first == name; });
      if (!value.empty()) headers.emplace_back(name, value);
    }
    for (const auto& [name, value] : headers) made.headers.add(name, value);
    return made;
  }

  TestServer server_;
};

TEST_F(WebSocketTest, CarriesAWatch) {
  const Reply& reply = server_.open(request({}));
  EXPECT_EQ(reply.status, 101);
  EXPECT_EQ(reply.header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(reply.header("Sec-WebSocket-Protocol"), "");
  server_.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"seen"}})");
  server_.loop().run_until_idle();
  EXPECT_NE(reply.body.find(R"({"type":"ADDED","object":{"kind":"ConfigMap")"), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find(R"("name":"seen")"), std::string::npos);
  server_.plane().stop();
  EXPECT_TRUE(reply.is_whole);
}

TEST_F(WebSocketTest, TakesATokenFromASubprotocol) {
  const std::string encoded = encode_base64url(token());
  const auto ask = [&](const std::string& protocols) {
    return server_.open(request({{"Authorization", ""}, {"Sec-WebSocket-Protocol", protocols}}));
  };
  const Reply reply = ask(kTokenProtocol + encoded + ", base64.binary.k8s.io");
  EXPECT_EQ(reply.status, 101);
  EXPECT_EQ(reply.header("Sec-WebSocket-Protocol"), "base64.binary.k8s.io");

  EXPECT_EQ(ask("base64.binary.k8s.io").status, 401);
  EXPECT_EQ(ask(kTokenProtocol + encoded).status, 401) << "nothing else to agree to";
  EXPECT_EQ(ask(kTokenProtocol + encoded + ",x," + kTokenProtocol + encoded).status, 401);
  EXPECT_EQ(ask(kTokenProtocol + "!,x"s).status, 401);
  EXPECT_EQ(ask(kTokenProtocol + ",x"s).status, 401);
  EXPECT_EQ(ask(kTokenProtocol + encode_base64url("\xff\xfe") + ",x").status, 401);
  EXPECT_EQ(ask(kTokenProtocol + encode_base64url("another") + ",x").status, 401);
  EXPECT_EQ(
      server_
          .open(request(
              {{"Authorization", ""}, {"Upgrade", ""}, {"Sec-WebSocket-Protocol", kTokenProtocol + encoded + ",x"}}))
          .status,
      401)
      << "no WebSocket is asked for";
}

TEST_F(WebSocketTest, DeclinesWhatIsNoHandshake) {
  struct Case {
    std::vector<std::pair<std::string, std::string>> changed;
    int status;
    std::string body;
  };
  const std::vector<Case> cases = {
      {{{"Sec-WebSocket-Key", ""}}, 400, "mismatch challenge/response"},
      {{{"Sec-WebSocket-Version", "8"}}, 400, "missing or bad WebSocket Version"},
      {{{"Sec-WebSocket-Version", ""}}, 400, "missing or bad WebSocket Version"},
      {{{"Origin", ""}}, 403, ""},
      {{{"Origin", "null"}}, 403, ""},
      {{{"Sec-WebSocket-Protocol", "a, b"}}, 400, ""},
  };
  for (const Case& one : cases) {
    const Reply reply = server_.open(request(one.changed));
    EXPECT_EQ(reply.status, one.status) << one.changed.front().first;
    EXPECT_EQ(reply.body, one.body);
    EXPECT_TRUE(reply.is_whole);
  }
  // Without an upgrade it is a watch like any other.
  EXPECT_EQ(server_.open(request({{"Connection", "keep-alive"}})).status, 200);
  EXPECT_EQ(server_.open(request({{"Upgrade", "h2c"}})).status, 200);
}

}  // namespace
}  // namespace loadline::apiserver
