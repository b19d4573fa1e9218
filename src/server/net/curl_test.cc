// The server as real clients see it: curl, over TLS on real sockets.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "server/net/certificate.h"
#include "server/net/loop.h"
#include "server/net/server.h"
#include "server/net/tls.h"

namespace loadline::net {
namespace {

Validity ten_years() {
  const Instant now = Loop().now();
  return {now + Duration::seconds(-3600), now + Duration::seconds(10L * 365 * 24 * 3600)};
}

/// Says what it was asked; "/stream" in pieces.
class Mirror final : public Handler {
 public:
  void handle(std::shared_ptr<Exchange> exchange) override {
    const Request& request = exchange->request();
    if (request.target == "/stream") {
      exchange->start(200, {{"Content-Type", "text/plain"}});
      for (int i = 0; i < 3; ++i) exchange->write(std::make_shared<const std::string>(fmt::format("piece {}\n", i)));
      exchange->write(std::make_shared<const std::string>(std::string(100'000, 'x') + "\n"));
      exchange->finish();
      return;
    }
    const auto& certificate = request.peer->certificate;
    exchange->respond(
        {201,
         {{"X-User", certificate ? certificate->common_name : "anonymous"},
          {"X-Group", certificate && !certificate->organizations.empty() ? certificate->organizations[0] : "none"}},
         fmt::format("{} {} {}\n", request.method, request.target, request.body)});
  }
};

class Curl : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("curl --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no curl here";
    folder_ = std::filesystem::temp_directory_path() / fmt::format("loadline-net-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    const KeyPair authority = *make_authority("loadline-ca", ten_years());
    const KeyPair certificate = *make_server_certificate(authority, "kube-apiserver",
                                                         {"127.0.0.1", "::1", "localhost", "kubernetes"}, ten_years());
    write("ca.pem", authority.certificate_pem);
    write_client("admin", authority);
    write_client("stranger", *make_authority("another-ca", ten_years()));
    ServerOptions options;
    options.tls =
        *TlsContext::for_server({certificate.certificate_pem, certificate.key_pem, authority.certificate_pem});
    server_ = std::make_unique<Server>(loop_, options, handler_);
    ASSERT_TRUE(server_->listen(loop_));
    thread_ = std::thread([this] { loop_.run(); });
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    loop_.post([this] { server_->stop(Duration{}, [this] { loop_.stop(); }); });
    thread_.join();
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  void write_client(const std::string& name, const KeyPair& authority) {
    const KeyPair client = *make_client_certificate(authority, {name, {"system:masters"}}, ten_years());
    write(name + ".pem", client.certificate_pem);
    write(name + ".key", client.key_pem);
  }

  [[nodiscard]] std::string shown(const std::string& name) const {
    return fmt::format("--cert {0}/{1}.pem --key {0}/{1}.key ", folder_.string(), name);
  }

  /// What curl prints; "PATH" alone is enough as its arguments.
  [[nodiscard]] std::string run(const std::string& arguments, const std::string& path) const {
    const std::string command = fmt::format("curl -sS --max-time 20 --cacert {}/ca.pem {} https://127.0.0.1:{}{} 2>&1",
                                            folder_.string(), arguments, server_->port(), path);
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      output.append(buffer.data(), count);
    }
    ::pclose(pipe);
    return output;
  }

  Loop loop_;
  Mirror handler_;
  std::filesystem::path folder_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

class CurlVersions : public Curl, public testing::WithParamInterface<const char*> {};

TEST_P(CurlVersions, GetsAndPosts) {
  const std::string version = GetParam();
  EXPECT_EQ(run(version, "/api?x=1"), "GET /api?x=1 \n");
  EXPECT_EQ(run(version + " -d hello", "/api"), "POST /api hello\n");
  EXPECT_EQ(run(version + " -H 'Transfer-Encoding: chunked' -d hello", "/api"), "POST /api hello\n");
  EXPECT_EQ(run(version + " -w '%{http_code}' -o /dev/null", "/"), "201");
}

TEST_P(CurlVersions, StreamsAnAnswerOfUnknownLength) {
  const std::string text = run(GetParam(), "/stream");
  EXPECT_EQ(text.size(), 3U * 8 + 100'001);
  EXPECT_EQ(text.substr(0, 16), "piece 0\npiece 1\n");
}

TEST_P(CurlVersions, HeadHasNoBody) {
  const std::string text = run(std::string(GetParam()) + " -I", "/");
  EXPECT_NE(text.find("201"), std::string::npos) << text;
  EXPECT_NE(text.find("ength: 8\r\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("HEAD /"), std::string::npos) << text;
}

TEST_P(CurlVersions, ReusesItsConnection) {
  const std::string url = fmt::format("https://127.0.0.1:{}/again", server_->port());
  EXPECT_EQ(run(fmt::format("{} -w '%{{num_connects}} ' {}", GetParam(), url), "/more"),
            "GET /again \n1 GET /more \n0 ");
}

TEST_P(CurlVersions, ALargeBodyComesWhole) {
  write("large", std::string(2'000'000, 'y'));
  const std::string data = fmt::format(" --data-binary @{}/large", folder_.string());
  EXPECT_EQ(run(GetParam() + data, "/").size(), 2'000'000U + 8);
  write("large", std::string(4'000'000, 'y'));
  const std::string refused = run(GetParam() + data + " -w '%{http_code}'", "/");
  EXPECT_NE(refused.find("413"), std::string::npos) << refused;
}

INSTANTIATE_TEST_SUITE_P(Both, CurlVersions, testing::Values("--http1.1", "--http2"));

TEST_F(Curl, AClientCertificateNamesItsUser) {
  const std::string user = "-o /dev/null -w '%header{x-user} %header{x-group}' ";
  EXPECT_EQ(run(user + shown("admin"), "/"), "admin system:masters");
  EXPECT_EQ(run(user, "/"), "anonymous none");
  EXPECT_EQ(run(user + shown("stranger"), "/"), "anonymous none") << "another CA signed it";
}

TEST_F(Curl, OldTlsIsRefusedAndTls12IsNot) {
  EXPECT_EQ(run("--tls-max 1.2 -w '%{http_code}' -o /dev/null", "/"), "201");
  EXPECT_EQ(run("--tls-max 1.1 -w '%{http_code}' -o /dev/null --ciphers DEFAULT@SECLEVEL=0", "/").substr(0, 4), "curl");
}

TEST_F(Curl, ContinuesWhenAskedTo) {
  const std::string text = run("--http1.1 -H 'Expect: 100-continue' -d hello -v", "/");
  EXPECT_NE(text.find("HTTP/1.1 100 Continue"), std::string::npos) << text;
  EXPECT_NE(text.find("POST / hello"), std::string::npos) << text;
}

}  // namespace
}  // namespace loadline::net
