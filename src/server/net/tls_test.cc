// Server and client over TLS on real sockets, on one loop.

#include "server/net/tls.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "server/net/certificate.h"
#include "server/net/openssl_pointers.h"
#include "server/net/server.h"
#include "server/net/testing/client.h"

namespace loadline::net {
namespace {

class Greeter final : public Handler {
 public:
  void handle(std::shared_ptr<Exchange> exchange) override {
    const Peer& peer = *exchange->request().peer;
    EXPECT_TRUE(peer.address.starts_with("127.0.0.1:")) << peer.address;
    exchange->respond({200, {}, peer.certificate ? peer.certificate->common_name : "anonymous"});
  }
};

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    const Validity validity{loop_.now() + Duration::seconds(-3600), loop_.now() + Duration::seconds(3600)};
    authority_ = *make_authority("ca", validity);
    stranger_ = *make_authority("ca", validity);
    client_ = *make_client_certificate(authority_, {"jane", {}}, validity);
    const KeyPair server = *make_server_certificate(authority_, "server", {"127.0.0.1"}, validity);
    ServerOptions options;
    options.tls = *TlsContext::for_server({server.certificate_pem, server.key_pem, authority_.certificate_pem});
    options.limits.header_time = {200'000'000};
    server_ = std::make_unique<Server>(loop_, options, handler_);
    ASSERT_TRUE(server_->listen(loop_));
  }

  /// The body of the answer, or the error.
  std::string get(const ClientTls& tls) {
    const auto context = TlsContext::for_client(tls);
    if (!context) return context.error().message;
    const auto client = *Client::connect(loop_, "127.0.0.1", server_->port(), *context);
    std::string answer;
    client->send({"GET", "/", {}, "", nullptr}, [&](const Result<Response>& response) {
      answer = response ? response->body : "error: " + response.error().message;
      loop_.stop();
    });
    run();
    return answer;
  }

  /// Until a callback stops the loop, but not for ever.
  void run() {
    const auto timer = loop_.after(Duration::seconds(20), [this] {
      ADD_FAILURE() << "nothing happened";
      loop_.stop();
    });
    loop_.run();
  }

  /// All that a client gets for `text` that does not speak TLS.
  std::string get_plain(std::string_view text) {
    SocketStream stream(std::move(*connect_socket(loop_, "127.0.0.1", server_->port())));
    std::string received;
    const std::function<void()> pump = [&] {
      if (!text.empty()) {
        const Transfer sent = stream.write(std::span(&text, 1));
        if (sent.state == Transfer::State::kDone) text.remove_prefix(sent.bytes);
      }
      std::array<char, 1024> buffer;
      while (true) {
        const Transfer transfer = stream.read(buffer);
        if (transfer.state == Transfer::State::kBlocked) return;
        if (transfer.state != Transfer::State::kDone) return loop_.stop();
        received.append(buffer.data(), transfer.bytes);
      }
    };
    stream.on_ready(pump);
    loop_.post(pump);
    run();
    return received;
  }

  /// What a client of OpenSSL that offers these suites of TLS 1.2 (empty: TLS 1.3) agrees upon; or that it fails.
  static std::string agreed_suite(std::uint16_t port, const char* suites) {
    const std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>> context(SSL_CTX_new(TLS_client_method()));
    const bool is_old = *suites != '\0';
    SSL_CTX_set_max_proto_version(context.get(), is_old ? TLS1_2_VERSION : TLS1_3_VERSION);
    SSL_CTX_set_min_proto_version(context.get(), is_old ? TLS1_2_VERSION : TLS1_3_VERSION);
    if (is_old && SSL_CTX_set_cipher_list(context.get(), suites) != 1) return "this OpenSSL has no such suite";
    const std::unique_ptr<SSL, Freed<SSL, SSL_free>> ssl(SSL_new(context.get()));
    BIO* connection = BIO_new_connect(("127.0.0.1:" + std::to_string(port)).c_str());
    SSL_set_bio(ssl.get(), connection, connection);  // which it frees
    const bool is_agreed = BIO_do_connect(connection) == 1 && SSL_connect(ssl.get()) == 1;
    const std::string suite = is_agreed ? SSL_get_cipher_name(ssl.get()) : "refused";
    ERR_clear_error();
    return suite;
  }

  /// The same while the server works.
  std::string suite_for(const char* suites) {
    std::string suite;
    std::atomic<bool> is_done = false;
    std::thread client([&, port = server_->port()] {
      suite = agreed_suite(port, suites);
      is_done = true;
    });
    std::unique_ptr<EventLoop::Timer> timer;
    const std::function<void()> look = [&] {
      if (is_done) return loop_.stop();
      timer = loop_.after({5'000'000}, look);
    };
    look();
    run();
    client.join();
    return suite;
  }

  Loop loop_;
  Greeter handler_;
  KeyPair authority_;
  KeyPair stranger_;
  KeyPair client_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, AClientBelievesItsAuthorityAndTheNameItExpects) {
  EXPECT_EQ(get({authority_.certificate_pem, "", "", "127.0.0.1"}), "anonymous");
  EXPECT_EQ(get({stranger_.certificate_pem, "", "", "127.0.0.1"}), "error: the connection broke");
  EXPECT_EQ(get({authority_.certificate_pem, "", "", "127.0.0.2"}), "error: the connection broke");
  EXPECT_EQ(get({authority_.certificate_pem, "", "", "kubernetes"}), "error: the connection broke");
}

TEST_F(TlsTest, ANameThatNoCertificateCouldBearMakesNoConnection) {
  const std::string cut("kubernetes\0.example.com", 23);
  const auto context = TlsContext::for_client({authority_.certificate_pem, "", "", cut});
  ASSERT_TRUE(context);
  EXPECT_FALSE(Client::connect(loop_, "127.0.0.1", server_->port(), *context));
}

TEST_F(TlsTest, AClientCertificateNamesItsOwner) {
  EXPECT_EQ(get({authority_.certificate_pem, client_.certificate_pem, client_.key_pem, "127.0.0.1"}), "jane");
}

TEST_F(TlsTest, BrokenKeysAreErrors) {
  EXPECT_FALSE(TlsContext::for_server({"", "", ""}));
  EXPECT_FALSE(TlsContext::for_server({client_.certificate_pem, authority_.key_pem, ""})) << "another's key";
  EXPECT_FALSE(TlsContext::for_server({client_.certificate_pem, client_.key_pem, "nonsense"}));
  EXPECT_FALSE(TlsContext::for_client({"nonsense", "", "", ""}));
}

/// kubectl 1.20 and its like: Go 1.15 offers these, and TLS 1.3.
TEST_F(TlsTest, ClientsOfKubernetesAgreeWithIt) {
  EXPECT_EQ(suite_for("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA:AES128-SHA"),
            "ECDHE-ECDSA-AES128-GCM-SHA256");
  EXPECT_EQ(suite_for("ECDHE-ECDSA-AES256-GCM-SHA384"), "ECDHE-ECDSA-AES256-GCM-SHA384");
  EXPECT_EQ(suite_for("ECDHE-ECDSA-CHACHA20-POLY1305"), "ECDHE-ECDSA-CHACHA20-POLY1305");
  EXPECT_TRUE(suite_for("").starts_with("TLS_"));
}

TEST_F(TlsTest, SuitesWithCbcOrWithoutForwardSecrecyAreRefused) {
  for (const char* suite : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256",
                            "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM8"}) {
    EXPECT_EQ(suite_for(suite), "refused") << suite;
  }
}

TEST_F(TlsTest, WhoDoesNotSpeakTlsIsToldOrCut) {
  EXPECT_EQ(get_plain("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  const std::string garbage = get_plain(std::string(1'000, '\xff'));
  EXPECT_LT(garbage.size(), 20U) << "an alert at most";
  EXPECT_EQ(get_plain(""), "") << "silence is cut when its time is over";
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(TlsTest, AnAddressInUseOrNoneIsAnError) {
  const auto taken = server_->listen(loop_, "127.0.0.1", server_->port());
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("Address already in use"), std::string::npos) << taken.error().message;
  EXPECT_FALSE(server_->listen(loop_, "localhost"));
  EXPECT_FALSE(Client::connect(loop_, "nowhere", 1, nullptr));
}

TEST_F(TlsTest, ConnectingToAClosedPortFailsTheRequest) {
  const std::uint16_t port = server_->port();
  server_.reset();
  const auto client = Client::connect(loop_, "127.0.0.1", port, nullptr);
  if (!client) return;  // refused at once: as good
  bool failed = false;
  (*client)->send({"GET", "/", {}, "", nullptr}, [&](const Result<Response>& response) {
    failed = !response;
    loop_.stop();
  });
  run();
  EXPECT_TRUE(failed);
}

}  // namespace
}  // namespace loadline::net
