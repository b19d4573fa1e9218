#include "hostile/neighbour.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "hostile/rest.h"

namespace loadline::hostile {
namespace {

constexpr std::string_view kNamespace = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"neighbour"}})";
constexpr std::string_view kConfigMap =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"mine"},"data":{"a":"b"}})";
constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"mine"},)"
    R"("spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"x"}]}})";
constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

Neighbour::Neighbour(std::string kubeconfig) : kubeconfig_(std::move(kubeconfig)), thread_([this] { work(); }) {}

void Neighbour::stop() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

double Neighbour::median() const {
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

void Neighbour::work() {
  using Clock = std::chrono::steady_clock;
  Rest rest(kubeconfig_);
  rest.send_text("POST", "/api/v1/namespaces", kNamespace);
  const auto ask = [&](std::string_view method, const std::string& path, std::string_view body, long expected) {
    const auto began = Clock::now();
    const net::HttpAnswer answer = rest.send_text(method, path, body);
    seconds_.push_back(std::chrono::duration<double>(Clock::now() - began).count());
    if (seconds_.back() > longest_) {
      longest_ = seconds_.back();
      slowest_ = std::string(method) + ' ' + path;
    }
    // A pod that was deleted may still be there for a moment.
    const bool is_as_expected = answer.status == expected || (expected == 201 && answer.status == 409) ||
                                (method == "DELETE" && (answer.status == 200 || answer.status == 202));
    if (is_as_expected) return;
    failures_.push_back(std::string(method) + ' ' + path + ": " + std::to_string(answer.status) + ' ' +
                        answer.body.substr(0, 400));
  };
  const std::string root = "/api/v1/namespaces/neighbour/";
  while (!stops_) {
    for (const auto& [plural, object] : {std::pair("configmaps", kConfigMap), std::pair("pods", kPod)}) {
      ask("POST", root + plural, object, 201);
      ask("GET", root + plural + "/mine", {}, 200);
      ask("DELETE", root + plural + "/mine", {}, 200);
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace loadline::hostile
