// What goes on while scheduler and controllers are stuck, and how the process ends then.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "app/cli/live/api.h"
#include "command/up.h"
#include "foundation/document/at.h"

namespace loadline::command {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Takes connections, and answers nobody.
class SilentService {
 public:
  SilentService() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(socket_, reinterpret_cast<const sockaddr*>(&address), size);
    listen(socket_, 16);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentService() { close(socket_); }
  SilentService(const SilentService&) = delete;
  SilentService& operator=(const SilentService&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Somebody has connected, and waits.
  [[nodiscard]] bool is_asked_within(std::chrono::milliseconds span) const {
    pollfd wait{socket_, POLLIN, 0};
    return poll(&wait, 1, static_cast<int>(span.count())) == 1;
  }

 private:
  int socket_;
  int port_ = 0;
};

class StuckTest : public ::testing::Test {
 protected:
  /// A pod is decided about for 20 s: four extenders, one after the other.
  std::string hung_scheduler() {
    std::string text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n";
    for (int i = 0; i < 4; ++i) {
      text += "- {urlPrefix: \"" + extender_.url() + "\", filterVerb: filter, ignorable: true, httpTimeout: 5s}\n";
    }
    return folder_.with("scheduler.yaml", text);
  }

  static cli::ClusterApi api(const UpProcess& server) {
    return cli::ClusterApi::open({server.kubeconfig(), ""}, Duration::seconds(30)).value();
  }
  /// How long it takes, over a connection of its own.
  template <class Ask>
  static double seconds(const UpProcess& server, Ask ask) {
    const auto began = Clock::now();
    cli::ClusterApi fresh = api(server);
    ask(fresh);
    return Seconds(Clock::now() - began).count();
  }
  static void post_pod(const UpProcess& server, const std::string& name) {
    const auto answer =
        api(server).post("/api/v1/namespaces/default/pods",
                         R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    EXPECT_TRUE(answer) << answer.error().message;
  }

  const Folder folder_;
  const SilentService extender_;
};

/// The limits are generous: before, each of these took as long as the scheduler was stuck.
TEST_F(StuckTest, AHungExtenderHoldsUpNoRequestAndNoEnd) {
  const std::string data = folder_.file("data");
  {
    UpProcess server(LOADLINE_PROGRAM, folder_, "a", {"--config", hung_scheduler(), "--data-dir", data});
    ASSERT_THAT(server.says("nodes "), HasSubstr("4 virtual"));
    const auto metrics = [](cli::ClusterApi& api) {
      const auto text = api.text("/metrics");
      ASSERT_TRUE(text) << text.error().message;
      EXPECT_THAT(*text, HasSubstr("process_cpu_seconds_total"));
    };
    seconds(server, metrics);
    post_pod(server, "p");
    ASSERT_TRUE(extender_.is_asked_within(std::chrono::seconds(20)));
    // Those who ask first wait for an answer a while.
    EXPECT_LT(seconds(server, metrics), 4);
    const auto top = [](cli::ClusterApi& api) {
      const auto usage = api.get("/apis/metrics.k8s.io/v1beta1/nodes");
      ASSERT_FALSE(usage);
      EXPECT_EQ(usage.error().status, 503);
    };
    EXPECT_LT(seconds(server, top), 4);
    EXPECT_LT(seconds(server, metrics), 1);
    EXPECT_LT(seconds(server, top), 1);
    EXPECT_LT(seconds(server, [&](cli::ClusterApi& api) { EXPECT_TRUE(api.list("/api/v1/pods")); }), 1);
    EXPECT_LT(seconds(server, [&](cli::ClusterApi& /*api*/) { post_pod(server, "q"); }), 1);
    const auto began = Clock::now();
    EXPECT_EQ(server.end(), 0);
    EXPECT_LT(Seconds(Clock::now() - began).count(), 9);
    EXPECT_THAT(server.says("busy"), HasSubstr("scheduler and controllers are busy, and were ended where they are"));
  }
  UpProcess again(LOADLINE_PROGRAM, folder_, "b", {"--data-dir", data});
  ASSERT_THAT(again.says("nodes "), HasSubstr("4 virtual"));
  EXPECT_TRUE(api(again).get("/api/v1/namespaces/default/pods/q"));
}

TEST_F(StuckTest, AConfigurationOfManyProfilesIsToldAndHoldsUpNobody) {
  UpProcess server(LOADLINE_PROGRAM, folder_, "a", {});
  ASSERT_THAT(server.says("nodes "), HasSubstr("4 virtual"));
  std::string text = "kind: KubeSchedulerConfiguration\\napiVersion: kubescheduler.config.k8s.io/v1\\nprofiles:\\n";
  for (int i = 0; i < 20'000; ++i) text += "- {schedulerName: s" + std::to_string(i) + "}\\n";
  const auto made = api(server).post("/api/v1/namespaces/kube-system/configmaps",
                                     R"({"metadata":{"name":"many"},"data":{"config.yaml":")" + text + "\"}}");
  ASSERT_TRUE(made) << made.error().message;
  post_pod(server, "p");
  std::string told;
  for (int tries = 0; tries < 200 && told.empty(); ++tries) {
    usleep(100'000);
    const auto events =
        api(server).list("/api/v1/namespaces/kube-system/events?fieldSelector=reason%3DInvalidSchedulerConfiguration");
    ASSERT_TRUE(events) << events.error().message;
    if (!events->empty()) told = document::text_at(events->front(), {"message"});
  }
  EXPECT_THAT(told, HasSubstr("20000 entries are more than the 256"));
  const auto usage = api(server).get("/apis/metrics.k8s.io/v1beta1/nodes");
  EXPECT_TRUE(usage) << "scheduler and controllers answer";
  EXPECT_EQ(server.end(), 0);
}

}  // namespace
}  // namespace loadline::command
