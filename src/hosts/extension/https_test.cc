#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hosts/extension/http_client.h"
#include "hosts/extension/testing/fake_service.h"

namespace loadline::extension {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A child process with its standard input and output.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (posix_spawnp(&id_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) id_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    output_ = out[0];
  }
  ~Program() {
    if (id_ > 0) kill(id_, SIGKILL);
    wait();
    close(input_);
    close(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Its exit status.
  int wait() {
    int status = -1;
    if (id_ > 0) waitpid(id_, &status, 0);
    id_ = -1;
    return status;
  }
  void say(std::string_view text) const { EXPECT_EQ(write(input_, text.data(), text.size()), ssize_t(text.size())); }
  /// Reads its output up to the word; false: it ended before.
  [[nodiscard]] bool says(std::string_view word) const {
    std::string seen;
    char letter = 0;
    while (seen.find(word) == std::string::npos) {
      if (read(output_, &letter, 1) != 1) return false;
      seen += letter;
    }
    return true;
  }

 private:
  pid_t id_ = -1;
  int input_ = -1, output_ = -1;
};

/// A service with a certificate of its own making, for the name extender.test.
struct HttpsTest : ::testing::Test {
  fs::path folder_;

  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "loadline-https-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Program making({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", folder_ / "key.pem", "-out", folder_ / "cert.pem", "-days", "2", "-subj",
                    "/CN=extender.test", "-addext", "subjectAltName=DNS:extender.test"});
    if (making.wait() != 0) GTEST_SKIP() << "needs the program openssl";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static int free_port() {
    const testing::FakeService somewhere([](const testing::FakeRequest&) { return testing::FakeReply(); });
    return somewhere.port();
  }

  /// What a client with those settings gets from the service.
  std::string get(const kube::Extender& settings, std::vector<std::string> more = {}) const {
    const int port = free_port();
    std::vector<std::string> words = {"openssl", "s_server",           "-accept", "127.0.0.1:" + std::to_string(port),
                                      "-cert",   folder_ / "cert.pem", "-key",    folder_ / "key.pem"};
    words.insert(words.end(), more.begin(), more.end());
    const Program server(words);
    if (!server.says("ACCEPT")) return "no server";
    server.say(kResponse);
    Result<HttpClient> client = HttpClient::make(settings);
    if (!client) return client.error().message;
    const Result<HttpAnswer> answer = client->post_json("https://127.0.0.1:" + std::to_string(port) + "/filter", "{}");
    return answer ? std::to_string(answer->status) + " " + answer->body : answer.error().message;
  }
};

TEST_F(HttpsTest, AnUnknownCertificateIsRefused) {
  kube::Extender settings;
  EXPECT_THAT(get(settings), HasSubstr("certificate"));
}

TEST_F(HttpsTest, IsNotCheckedIfNoAuthorityIsNamed) {
  kube::Extender settings;
  settings.enable_https = true;
  EXPECT_EQ(get(settings), "200 {}");
  settings = {};
  settings.tls.emplace().insecure = true;
  EXPECT_EQ(get(settings), "200 {}");
}

TEST_F(HttpsTest, IsCheckedAgainstTheAuthorityAndTheServersName) {
  kube::Extender settings;
  settings.enable_https = true;
  kube::ExtenderTls& tls = settings.tls.emplace();
  tls.ca_file = folder_ / "cert.pem";
  EXPECT_THAT(get(settings), HasSubstr("127.0.0.1"));  // which the certificate does not name
  tls.server_name = "extender.test";
  EXPECT_EQ(get(settings), "200 {}");
  tls.ca_data = text_of(folder_ / "cert.pem");
  tls.ca_file = "/nowhere/overruled.pem";
  EXPECT_EQ(get(settings), "200 {}");
}

TEST_F(HttpsTest, ShowsTheClientsCertificate) {
  const std::vector<std::string> demanding = {"-Verify", "1", "-verify_return_error", "-CAfile", folder_ / "cert.pem"};
  kube::Extender settings;
  kube::ExtenderTls& tls = settings.tls.emplace();
  tls.insecure = true;
  EXPECT_NE(get(settings, demanding), "200 {}");
  tls.cert_data = text_of(folder_ / "cert.pem");
  tls.key_file = folder_ / "key.pem";
  EXPECT_EQ(get(settings, demanding), "200 {}");
}

}  // namespace
}  // namespace loadline::extension
