#include "recordings/room_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "foundation/document/reader.h"

namespace loadline::recording {
namespace {

constexpr int kSteps = 60;
const kube::ResourceReference kNodes{"", "v1", "nodes"};
const kube::ResourceReference kPods{"", "v1", "pods", "default"};
const kube::ResourceReference kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses"};
const kube::ResourceReference kReservations{"loadline.dev", "v1alpha1", "reservations", "default"};
const kube::ResourceReference kOfKoordinator{"scheduling.koordinator.sh", "v1alpha1", "reservations"};
const kube::ResourceReference kPolicy{"loadline.dev", "v1alpha1", "policies"};

}  // namespace

RoomHistory::RoomHistory(std::uint64_t seed, std::shared_ptr<Recording> recording)
    : random_(seed), faults_(loop_, trace_, seed + 1) {
  embedded::ClusterOptions options;
  options.plane.seed = seed + 1;
  options.plane.commits_on_loop = true;
  options.recording = std::move(recording);
  options.wire = [this](std::unique_ptr<kube::Client> client) {
    return std::make_unique<simulation::FaultyClient>(std::move(client), faults_);
  };
  cluster_ = std::move(embedded::Cluster::open(loop_, std::move(options)).value());
  client_ = cluster_->client("people");
  cluster_->when_ready([](const Result<void>&) {});
  loop_.run_until_idle();
  for (const int value : {100, 1000}) {
    create(kPriorityClasses, fmt::format("{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: "
                                         "p{0}}}, value: {0}}}",
                                         value));
  }
  for (int count = 0; count < 3; ++count) add_node();
}

void RoomHistory::run() {
  for (int step = 0; step < kSteps; ++step) {
    act();
    constexpr std::uint64_t kLongestPause = 20'000;
    if (random_.below(3) > 0) loop_.advance({static_cast<std::int64_t>(random_.below(kLongestPause)) * 1'000'000});
  }
  faults_.stop();
  loop_.advance(Duration::seconds(400));
}

void RoomHistory::act() {
  switch (random_.below(16)) {
    case 0:
      return add_node();
    case 1:
      return nodes_.size() > 2 ? remove_one(nodes_, kNodes) : add_node();
    case 2:
    case 3:
      return reserve();
    case 4:
      return reserve_as_koordinator();
    case 5:
      return remove_one(reservations_, kReservations);
    case 6:
      return remove_one(of_koordinator_, kOfKoordinator);
    case 7:
    case 8:
      return remove_one(pods_, kPods);
    case 9:
      return change_policy();
    case 10:
      EXPECT_TRUE(cluster_->restart_control([] {}));
      return;
    default:
      return add_pod();
  }
}

void RoomHistory::add_node() {
  create(kNodes, fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {}}}
status:
  capacity: {{cpu: "8", memory: 32Gi, pods: "110"}}
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110"}}
  conditions: [{{type: Ready, status: "True"}}]
)",
                             new_name("node", nodes_)));
}

void RoomHistory::add_pod() {
  constexpr const char* kPriorities[] = {"", "priorityClassName: p100, ", "priorityClassName: p1000, "};
  create(kPods, fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{app: {}}}}}, spec: {{{}"
                            "containers: [{{name: main, image: x, resources: {{requests: {{cpu: \"{}\"}}}}}}]}}}}",
                            new_name("pod", pods_), random_.below(2) == 0 ? "train" : "serve",
                            kPriorities[random_.below(3)], 1 + random_.below(5)));
}

void RoomHistory::reserve() {
  const std::string ends = random_.below(2) == 0 ? "" : "\n  ttl: 90s";
  create(kReservations, fmt::format(R"(
apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {{name: {}}}
spec:
  pods: {}
  template:
    metadata: {{labels: {{app: train}}}}
    spec: {{containers: [{{name: main, image: x, resources: {{requests: {{cpu: "{}"}}}}}}]}}{}
)",
                                    new_name("room", reservations_), 1 + random_.below(3), 1 + random_.below(5), ends));
}

void RoomHistory::reserve_as_koordinator() {
  create(kOfKoordinator, fmt::format(R"(
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: Reservation
metadata: {{name: {}}}
spec:
  owners: [{{labelSelector: {{matchLabels: {{app: serve}}}}}}]
  ttl: {}s
  template: {{spec: {{containers: [{{name: main, image: x, resources: {{requests: {{cpu: "{}"}}}}}}]}}}}
)",
                                     new_name("hold", of_koordinator_), 30 + random_.below(300), 1 + random_.below(8)));
}

void RoomHistory::change_policy() {
  kube::ResourceReference only = kPolicy;
  only.name = "default";
  client_->remove(only, {}, [](const kube::Answer<document::Value>&) {});
  if (random_.below(3) == 0) return;
  create(kPolicy, fmt::format("{{apiVersion: loadline.dev/v1alpha1, kind: Policy, metadata: {{name: default}}, "
                              "spec: {{base: {}}}}}",
                              random_.below(2) == 0 ? "Parity" : "Recommended"));
}

void RoomHistory::remove_one(std::set<std::string>& names, kube::ResourceReference of) {
  if (names.empty()) return;
  auto at = names.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random_.below(names.size())));
  of.name = *at;
  names.erase(at);
  client_->remove(of, {}, [](const kube::Answer<document::Value>&) {});
}

void RoomHistory::create(const kube::ResourceReference& of, const std::string& yaml) {
  client_->create(of, document::read_yaml(yaml, "history").documents.front(),
                  [](const kube::Answer<document::Value>& answer) {
                    // A mistake here would be a history in which nothing happens.
                    const bool is_mistake = !answer && answer.error().code == 422;
                    EXPECT_FALSE(is_mistake) << answer.error().message;
                  });
  loop_.run_until_idle();
}

std::string RoomHistory::new_name(const char* kind, std::set<std::string>& names) {
  std::string name = fmt::format("{}-{}", kind, ++last_);
  names.insert(name);
  return name;
}

}  // namespace loadline::recording
