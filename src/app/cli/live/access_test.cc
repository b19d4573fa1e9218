#include "app/cli/live/access.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace loadline::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    std::string pattern = (fs::temp_directory_path() / "loadline-access-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~AccessTest() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  /// What a kubeconfig with this cluster and this user comes to.
  Result<Access> read(const std::string& cluster, const std::string& user) {
    return read_access({file("config",
                             "current-context: c\n"
                             "contexts: [{name: c, context: {cluster: k, user: u, namespace: team}}]\n"
                             "clusters: [{name: k, cluster: {" +
                                 cluster +
                                 "}}]\n"
                                 "users: [{name: u, user: {" +
                                 user + "}}]\n"),
                        ""});
  }

  fs::path folder_;
};

TEST_F(AccessTest, WhatWouldBeTwoHeadersIsRefused) {
  for (const char* user : {R"(token: "a\r\nX-Other: b")", R"(as: "jane\n")", R"(as-groups: [a, "b\0"])"}) {
    const Result<Access> access = read("server: 'https://example.com'", user);
    ASSERT_FALSE(access) << user;
    EXPECT_THAT(access.error().message, HasSubstr("has a line break or another control character in it"));
  }
}

TEST_F(AccessTest, WhatNeverEndsIsNotReadWhole) {
  const Result<Access> access = read("server: 'https://example.com', certificate-authority: /dev/zero", "token: t");
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().message, HasSubstr("/dev/zero: is larger than 16 MiB"));
}

TEST_F(AccessTest, ReadsWhatKubectlReads) {
  file("ca.crt", "AUTHORITY");
  const Result<Access> access =
      read("server: 'https://example.com:6443/', certificate-authority: ca.crt, tls-server-name: api",
           "client-certificate-data: Q0VSVA==, client-key-data: S0VZ, as: jane");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "c");
  EXPECT_EQ(access->server, "https://example.com:6443");
  EXPECT_EQ(access->name_space, "team");
  EXPECT_EQ(access->tls.authorities_pem, "AUTHORITY");  // beside the kubeconfig, not where the program was started
  EXPECT_EQ(access->tls.certificate_pem, "CERT");
  EXPECT_EQ(access->tls.key_pem, "KEY");
  EXPECT_EQ(access->tls.server_name, "api");
  EXPECT_TRUE(access->tls.checks_server);
  EXPECT_EQ(*access->headers.find("Impersonate-User"), "jane");
}

TEST_F(AccessTest, AuthenticatesTheUser) {
  struct Case {
    const char* user;
    const char* authorization;
  };
  file("token", "from-file\n");
  for (const Case& test : {Case{"token: secret", "Bearer secret"}, Case{"tokenFile: token", "Bearer from-file"},
                           Case{"username: me, password: pw", "Basic bWU6cHc="}}) {
    const Result<Access> access = read("server: https://a, insecure-skip-tls-verify: true", test.user);
    ASSERT_TRUE(access) << access.error().message;
    ASSERT_NE(access->headers.find("Authorization"), nullptr) << test.user;
    EXPECT_EQ(*access->headers.find("Authorization"), test.authorization);
    EXPECT_FALSE(access->tls.checks_server);
  }
}

TEST_F(AccessTest, SaysWhatIsWrong) {
  struct Case {
    const char* cluster;
    const char* user;
    const char* message;
  };
  for (const Case& test :
       {Case{"server: https://a", "exec: {command: aws}", "expected client.authentication.k8s.io/v1"},
        Case{"server: https://a", "auth-provider: {name: gcp}", "auth-provider"},
        Case{"server: https://a", "client-certificate-data: Q0VSVA==", "both a client's certificate and its key"},
        Case{"server: https://a, certificate-authority: gone.crt", "token: t", "gone.crt: No such file"},
        Case{"server: https://a, certificate-authority-data: '%'", "token: t", "is not base64"},
        Case{"server: https://a, proxy-url: http://p", "token: t", "behind a proxy"},
        Case{"insecure-skip-tls-verify: true", "token: t", "says no server"}}) {
    const Result<Access> access = read(test.cluster, test.user);
    ASSERT_FALSE(access) << test.message;
    EXPECT_THAT(access.error().message, HasSubstr(test.message));
  }
}

TEST_F(AccessTest, AProgramSaysTheCredentials) {
  file("plugin",
       "#!/bin/sh\necho signing in >&2\ncase \"$KUBERNETES_EXEC_INFO\" in *'\"server\":\"https://a\"'*) ;; *) exit 3;; "
       "esac\n"
       "echo '{\"kind\": \"ExecCredential\", \"apiVersion\": \"client.authentication.k8s.io/v1\", \"status\": "
       "{\"token\": "
       "\"'\"$REALM-$1\"'\"}}'\n");
  fs::permissions(folder_ / "plugin", fs::perms::owner_all);
  const Result<Access> access =
      read("server: https://a",
           "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [two], "
           "env: [{name: REALM, value: one}], provideClusterInfo: true}, as: jane");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(*access->headers.find("Authorization"), "Bearer one-two");
  EXPECT_EQ(*access->headers.find("Impersonate-User"), "jane");
}

TEST_F(AccessTest, AProgramThatFailsIsNamed) {
  file("silent", "#!/bin/sh\n");
  file("failing", "#!/bin/sh\nexit 7\n");
  file("broken",
       "#!/bin/sh\necho '{\"kind\": \"ExecCredential\", \"status\": {\"clientKeyData\": \"k\", "
       "\"clientCertificateData\": \"\"}}'\n");
  for (const char* name : {"silent", "failing", "broken"}) fs::permissions(folder_ / name, fs::perms::owner_all);
  for (const auto& [more, message] :
       {std::pair{"command: ./silent", "prints no ExecCredential"}, std::pair{"command: ./failing", "exit status 7"},
        std::pair{"command: ./broken", "prints no ExecCredential"},
        std::pair{"command: no-such-program-here, installHint: get it", "No such file or directory\nget it"},
        std::pair{"command: ./silent, interactiveMode: Always", "wants to ask on a terminal"},
        std::pair{"command: ''", "names no command"}}) {
    const Result<Access> access =
        read("server: https://a", fmt::format("exec: {{apiVersion: client.authentication.k8s.io/v1beta1, {}}}", more));
    ASSERT_FALSE(access) << more;
    EXPECT_THAT(access.error().message, HasSubstr(message));
  }
}

TEST_F(AccessTest, NamesLeadSomewhere) {
  const std::string config = file("config", R"(current-context: gone
contexts: [{name: blue, context: {cluster: blue, user: me}}, {name: half, context: {cluster: blu, user: me}}]
clusters: [{name: blue, cluster: {server: https://a}}]
users: [{name: me, user: {token: t}}])");
  EXPECT_THAT(read_access({config, ""}).error().message, HasSubstr("has no context \"gone\"; it has blue, half"));
  EXPECT_THAT(read_access({config, "bleu"}).error().message, HasSubstr("did you mean \"blue\"?"));
  EXPECT_THAT(read_access({config, "half"}).error().message, HasSubstr("no cluster \"blu\"; did you mean \"blue\"?"));
  EXPECT_TRUE(read_access({config, "blue"}));
  EXPECT_THAT(read_access({(folder_ / "none").string(), ""}).error().message, HasSubstr("there is no kubeconfig"));
  EXPECT_THAT(read_access({file("bad", "[1, 2]"), ""}).error().message, HasSubstr("not a kubeconfig"));
  EXPECT_THAT(read_access({file("empty", ""), ""}).error().message, HasSubstr("no current context"));
}

TEST_F(AccessTest, OfSeveralFilesTheFirstCounts) {
  const std::string first = file("first",
                                 "contexts: [{name: a, context: {cluster: a}}]\n"
                                 "clusters: [{name: a, cluster: {server: https://first}}]\n");
  const std::string second = file("second",
                                  "current-context: a\n"
                                  "contexts: [{name: a, context: {cluster: b}}]\n"
                                  "clusters: [{name: a, cluster: {server: https://second}}]\n");
  setenv("KUBECONFIG", ((folder_ / "none").string() + ":" + first + ":" + second).c_str(), 1);
  const Result<Access> access = read_access({});
  EXPECT_EQ(default_kubeconfig(), (folder_ / "none").string());
  unsetenv("KUBECONFIG");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server, "https://first");
}

}  // namespace
}  // namespace loadline::cli
