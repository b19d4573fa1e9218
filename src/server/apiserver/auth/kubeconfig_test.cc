#include "server/apiserver/auth/kubeconfig.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "server/net/crypto.h"

namespace loadline::apiserver {
namespace {

namespace fs = std::filesystem;

class Kubeconfig : public testing::Test {
 protected:
  Kubeconfig() : folder(fs::temp_directory_path() / ("kubeconfig-" + net::random_token())) {}
  ~Kubeconfig() override { fs::remove_all(folder); }

  std::string read() const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) const {
    fs::create_directories(folder);
    std::ofstream(path) << text;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
  fs::path path = folder / "config";
  KubeconfigEntry ours = {"loadline", "https://127.0.0.1:6443", "CA", "token", "CERT", "KEY"};
};

constexpr const char* kOurs = R"(apiVersion: v1
kind: Config
preferences: {}
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://127.0.0.1:6443
  name: loadline
contexts:
- context:
    cluster: loadline
    user: loadline
  name: loadline
users:
- name: loadline
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
    token: token
current-context: loadline
)";

constexpr const char* kTheirs = R"(apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://example.com
    tls-server-name: other
  name: prod
contexts:
- context:
    cluster: prod
    namespace: shop
    user: me
  name: prod
current-context: prod
extensions:
- extension: {}
  name: mine
users:
- name: me
  user:
    exec:
      command: login
)";

TEST_F(Kubeconfig, IsWrittenForItsOwnerOnly) {
  ASSERT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_EQ(read(), kOurs);
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_EQ(read(), kOurs);
  EXPECT_EQ(files(), 1U) << "no draft and no lock stays";
  ASSERT_TRUE(remove_kubeconfig(path, "loadline").has_value());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(remove_kubeconfig(path, "loadline").has_value());
}

TEST_F(Kubeconfig, KeepsWhatOthersWrote) {
  write(kTheirs);
  ASSERT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_NE(read().find("tls-server-name: other"), std::string::npos);
  EXPECT_NE(read().find("current-context: loadline"), std::string::npos);
  ours.token = "newer";
  ASSERT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_NE(read().find("token: newer"), std::string::npos);
  EXPECT_EQ(read().find("token: token"), std::string::npos);
  ASSERT_TRUE(remove_kubeconfig(path, "loadline").has_value());
  std::string left = kTheirs;
  left.replace(left.find("current-context: prod"), 21, "current-context: \"\"");
  EXPECT_EQ(read(), left);
  ASSERT_TRUE(remove_kubeconfig(path, "loadline").has_value());
  EXPECT_EQ(read(), left);
}

TEST_F(Kubeconfig, LeavesAloneWhatItCannotRead) {
  for (const char* text : {"[1, 2]", "a: [", "clusters: 7", "a: 1\n---\nb: 2"}) {
    write(text);
    EXPECT_FALSE(write_kubeconfig(path, ours).has_value()) << text;
    EXPECT_FALSE(remove_kubeconfig(path, "loadline").has_value()) << text;
    EXPECT_EQ(read(), text);
    EXPECT_EQ(files(), 1U);
  }
  write("");
  EXPECT_TRUE(write_kubeconfig(path, ours).has_value());
}

TEST_F(Kubeconfig, IsNotWrittenWhileAnotherWriterHoldsTheLock) {
  write(kTheirs);
  std::ofstream(folder / "config.lock") << "";
  const auto refused = write_kubeconfig(path, ours);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("config.lock exists"), std::string::npos);
  EXPECT_EQ(read(), kTheirs);
  EXPECT_EQ(files(), 2U);
}

TEST_F(Kubeconfig, ALockWhoseProcessIsGoneKeepsNobodyOut) {
  write(kTheirs);
  std::ofstream(folder / "config.lock") << "loadline, process 4242\n";
  const int held = ::open((folder / "config.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const auto refused = write_kubeconfig(path, ours);
  ASSERT_FALSE(refused.has_value()) << "its process lives";
  EXPECT_NE(refused.error().message.find("config.lock exists: loadline, process 4242"), std::string::npos);
  ::close(held);  // as the kernel does when a process ends
  EXPECT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_EQ(files(), 1U);
  ::close(::open((folder / "config.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));  // it died before it said more
  EXPECT_TRUE(remove_kubeconfig(path, "loadline").has_value());
  EXPECT_EQ(files(), 1U);
}

TEST_F(Kubeconfig, ALockThatSaysNothingIsLeftBehindOnceItIsOld) {
  write(kTheirs);
  const std::string lock = folder / "config.lock";
  ::close(::open(lock.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0));  // as kubectl takes it
  EXPECT_FALSE(write_kubeconfig(path, ours).has_value());
  const timeval minutes_ago = {::time(nullptr) - 120, 0};
  const timeval times[] = {minutes_ago, minutes_ago};
  ASSERT_EQ(::utimes(lock.c_str(), times), 0);
  EXPECT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_EQ(files(), 1U);
}

TEST_F(Kubeconfig, FollowsLinks) {
  write(kTheirs);
  fs::rename(path, folder / "real");
  fs::create_symlink(folder / "real", path);
  ASSERT_TRUE(write_kubeconfig(path, ours).has_value());
  EXPECT_TRUE(fs::is_symlink(folder / "config"));
  EXPECT_NE(read().find("name: loadline"), std::string::npos);
}

}  // namespace
}  // namespace loadline::apiserver
