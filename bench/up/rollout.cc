#include "bench/up/rollout.h"

#include <fmt/format.h>

#include <string_view>

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kRollout{900'000};
constexpr std::chrono::milliseconds kPoll{20};

std::string deployment_json(const std::string& name, std::size_t replicas) {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{0}","labels":{{"app":"{0}"}}}},"spec":{{"replicas":{1},"selector":{{"matchLabels":{{"app":"{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"{0}"}}}},"spec":{{"containers":[{{"name":"web","image":"registry.example.com/web:1.27","resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}}}}]}}}}}}}})",
      name, replicas);
}

/// How many of its pods a Deployment says are ready.
std::size_t ready_replicas(std::string_view deployment) {
  constexpr std::string_view kMember = "\"readyReplicas\":";
  const std::size_t at = deployment.find(kMember);
  return at == std::string_view::npos ? 0 : std::stoul(std::string(deployment.substr(at + kMember.size(), 12)));
}

}  // namespace

Result<double> roll_out(Session& session, const std::string& name_space, const std::string& name,
                        std::size_t replicas) {
  const std::string path = fmt::format("/apis/apps/v1/namespaces/{}/deployments", name_space);
  const Clock::time_point start = Clock::now();
  const auto created = session.expect(201, session.request("POST", path, deployment_json(name, replicas)));
  if (!created) return tl::unexpected(created.error());
  const net::Request look = session.request("GET", path + "/" + name);
  std::size_t ready = 0;
  while (Clock::now() - start < kRollout) {
    const auto seen = session.expect(200, look);
    if (!seen) return tl::unexpected(seen.error());
    ready = ready_replicas(seen->body);
    if (ready == replicas) return milliseconds_since(start) / 1000;
    session.run(kPoll);
  }
  return failure(fmt::format("{} of {} pods are ready after {} s", ready, replicas, kRollout.count() / 1000));
}

}  // namespace loadline::bench
