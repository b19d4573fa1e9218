// Reservations in a whole cluster: room is held, pods that match consume it, and what is left is free again in the end.
#include <gmock/gmock.h>

#include "foundation/document/writer.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"
#include "objects/kube/condition.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kPods;
using testing::node;
using testing::yaml;

const kube::ResourceReference kReservations{"loadline.dev", "v1alpha1", "reservations", "default"};
const kube::ResourceReference kKoordinators{"scheduling.koordinator.sh", "v1alpha1", "reservations"};

/// Room for pods of four CPUs. Nodes have eight.
std::string reservation(int pods, const std::string& more = "") {
  return fmt::format(R"(
apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {{name: room, namespace: default}}
spec:
  pods: {}
  template:
    metadata: {{labels: {{app: train}}}}
    spec: {{containers: [{{name: main, image: x, resources: {{requests: {{cpu: "4"}}}}}}]}}
{})",
                     pods, more);
}

/// Room for a pod of eight CPUs.
std::string koordinators(const std::string& more = "") {
  return R"(
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: Reservation
metadata: {name: room}
spec:
  owners: [{labelSelector: {matchLabels: {app: train}}}]
  ttl: 1h
  template: {spec: {containers: [{name: main, image: x, resources: {requests: {cpu: "8"}}}]}}
)" + more;
}

std::string pod_of(const std::string& name, const std::string& app, const std::string& cpu = "4") {
  return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default, labels: {{app: {}}}}}
spec: {{terminationGracePeriodSeconds: 0, containers: [{{name: main, image: x, resources: {{requests: {{cpu: "{}"}}}}}}]}}
)",
                     name, app, cpu);
}

class ReservationsTest : public testing::ClusterTest {
 protected:
  void reserve(const std::string& text) {
    apply(kReservations, text);
    settle();
  }
  void add_pod(const std::string& text) {
    apply(kPods, text);
    settle();
  }
  void settle() { loop_.advance(Duration::seconds(2)); }
  void remove(kube::ResourceReference of, const std::string& name) {
    of.name = name;
    client_->remove(of, {}, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    settle();
  }
  /// "True: Held".
  std::string condition_of(const kube::ResourceReference& of, const char* type) {
    const Value* condition = kube::find_condition(only(of), type);
    if (condition == nullptr) return "none";
    return fmt::format("{}: {}", document::text_at(*condition, {"status"}), document::text_at(*condition, {"reason"}));
  }
  Value only(const kube::ResourceReference& of) {
    const std::vector<Value> all = list(of);
    EXPECT_EQ(all.size(), 1U);
    return all.front();
  }
  /// "Holding, 2 held on a, 0 consumed".
  std::string status() {
    const Value object = only(kReservations);
    const auto number = [&](const char* name) {
      const Value* value = document::find_at(object, {"status", name});
      return value == nullptr ? std::int64_t{-1} : value->integer();
    };
    std::string nodes;
    const Value* held_on = document::find_at(object, {"status", "nodes"});
    for (const Value& each : held_on == nullptr ? document::Array{} : held_on->array()) {
      nodes += (nodes.empty() ? " on " : ", ") + std::string(document::text_at(each, {"name"}));
    }
    return fmt::format("{}, {} held{}, {} consumed", document::text_at(object, {"status", "phase"}), number("held"),
                       nodes, number("consumed"));
  }
  std::string message_of(const kube::ResourceReference& of, const char* type) {
    const Value* condition = kube::find_condition(only(of), type);
    return condition == nullptr ? "" : std::string(document::text_at(*condition, {"message"}));
  }
  std::string node_of(const std::string& name) {
    for (const Value& pod : list(kPods)) {
      if (document::text_at(pod, {"metadata", "name"}) == name) {
        return std::string(document::text_at(pod, {"spec", "nodeName"}));
      }
    }
    return "gone";
  }
  void restart_control() {
    ASSERT_TRUE(cluster_->restart_control({}));
    settle();
  }
};

TEST_F(ReservationsTest, HoldRoomForPodsThatMatch) {
  start({node("a")});
  reserve(reservation(2));
  EXPECT_EQ(status(), "Holding, 2 held on a, 0 consumed");
  add_pod(pod_of("other", "web", "1"));
  EXPECT_EQ(node_of("other"), "");
  add_pod(pod_of("train-0", "train"));
  EXPECT_EQ(node_of("train-0"), "a");
  EXPECT_EQ(status(), "Holding, 1 held on a, 1 consumed");
  for (const Value& pod : list(kPods)) {
    if (document::text_at(pod, {"metadata", "name"}) != "train-0") continue;
    EXPECT_EQ(document::text_at(pod, {"metadata", "annotations", "loadline.dev/reservation"}), "room");
  }
  add_pod(pod_of("train-1", "train"));
  EXPECT_EQ(status(), "Consumed, 0 held, 2 consumed");
  remove(kPods, "train-0");
  EXPECT_EQ(node_of("other"), "a") << "what was consumed is not held again";
}

TEST_F(ReservationsTest, TheirDeletionFreesWhatIsLeft) {
  start({node("a")});
  reserve(reservation(2));
  add_pod(pod_of("other", "web"));
  EXPECT_EQ(node_of("other"), "");
  remove(kReservations, "room");
  EXPECT_EQ(node_of("other"), "a");
}

TEST_F(ReservationsTest, BeginAndEndWhenTheySay) {
  start({node("a")});
  reserve(reservation(2, "  from: 2026-01-01T01:00:00Z\n  until: 2026-01-01T02:00:00Z\n"));
  EXPECT_EQ(status(), "Pending, 0 held, 0 consumed");
  EXPECT_EQ(message_of(kReservations, "Ready"), "begins at 2026-01-01T01:00:00Z");
  loop_.advance(Duration::seconds(3600));
  EXPECT_EQ(status(), "Holding, 2 held on a, 0 consumed");
  add_pod(pod_of("other", "web"));
  EXPECT_EQ(node_of("other"), "");
  loop_.advance(Duration::seconds(3600));
  EXPECT_EQ(status(), "Ended, 0 held, 0 consumed");
  EXPECT_EQ(node_of("other"), "a");
}

TEST_F(ReservationsTest, WaitForRoomAsPodsDo) {
  start({node("a")});
  reserve(reservation(3));
  EXPECT_EQ(status(), "Pending, 2 held on a, 0 consumed");
  EXPECT_THAT(message_of(kReservations, "Ready"), HasSubstr("0/1 nodes are available: 1 Insufficient cpu."));
  apply({"", "v1", "nodes"}, document::write_json(node("b")));
  settle();
  EXPECT_EQ(status(), "Holding, 3 held on a, b, 0 consumed");
  remove({"", "v1", "nodes"}, "b");
  EXPECT_EQ(status(), "Pending, 2 held on a, 0 consumed");
}

TEST_F(ReservationsTest, GoOnAfterARestart) {
  start({node("a"), node("b")});
  reserve(reservation(3));
  add_pod(pod_of("train-0", "train"));
  const std::string before = status();
  EXPECT_THAT(before, HasSubstr("Holding, 2 held on "));
  restart_control();
  EXPECT_EQ(status(), before);
  add_pod(pod_of("other", "web"));
  EXPECT_NE(node_of("other"), "") << "four nodes' worth of room, three of it reserved";
  add_pod(pod_of("another", "web"));
  EXPECT_EQ(node_of("another"), "");
}

TEST_F(ReservationsTest, ARefusedBindingGivesTheRoomBack) {
  bool refuses = true;
  ClusterOptions options;
  options.wire = [&](std::unique_ptr<kube::Client> inner) {
    return std::make_unique<testing::PickyClient>(std::move(inner), loop_, [&](const kube::ResourceReference& of) {
      return refuses && of.subresource == "binding";
    });
  };
  start({node("a")}, std::move(options));
  reserve(reservation(2));
  apply(kPods, pod_of("train-0", "train"));
  EXPECT_EQ(node_of("train-0"), "");
  EXPECT_EQ(status(), "Holding, 2 held on a, 0 consumed");
  refuses = false;
  settle();
  EXPECT_EQ(node_of("train-0"), "a");
  EXPECT_EQ(status(), "Holding, 1 held on a, 1 consumed");
}

TEST_F(ReservationsTest, HeedChangesOfTheirSize) {
  start({node("a")});
  reserve(reservation(2));
  kube::ResourceReference room = kReservations;
  room.name = "room";
  const auto resize = [&](int pods) {
    client_->patch(room, {kube::PatchType::kMerge, yaml(fmt::format("{{spec: {{pods: {}}}}}", pods))},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    settle();
  };
  resize(1);
  EXPECT_EQ(status(), "Holding, 1 held on a, 0 consumed");
  add_pod(pod_of("other", "web"));
  EXPECT_EQ(node_of("other"), "a");
  resize(2);
  EXPECT_EQ(status(), "Pending, 1 held on a, 0 consumed");
}

TEST_F(ReservationsTest, DoNotCountWhatOthersOfTheirNameHad) {
  start({node("a"), node("b")});
  reserve(reservation(2));
  add_pod(pod_of("train-0", "train"));
  EXPECT_THAT(status(), AllOf(HasSubstr("Holding, 1 held"), HasSubstr(" 1 consumed")));
  remove(kReservations, "room");
  reserve(reservation(2));
  EXPECT_THAT(status(), AllOf(HasSubstr("Holding, 2 held"), HasSubstr(" 0 consumed")));
  apply(kKoordinators, koordinators());
  settle();
  restart_control();
  EXPECT_THAT(status(), AllOf(HasSubstr("Holding, 2 held"), HasSubstr(" 0 consumed")));
  EXPECT_EQ(document::text_at(only(kKoordinators), {"status", "phase"}), "Pending") << "no node has eight CPUs";
}

TEST_F(ReservationsTest, AreRefusedForWhatAPlanWouldRefuse) {
  start({node("a")});
  reserve(reservation(1, "  ttl: 1h\n"));
  kube::ResourceReference room = kReservations;
  room.name = "room";
  const auto limit = [&](const char* cpu) {
    const std::string containers =
        fmt::format(R"([{{name: main, image: x, resources: {{requests: {{cpu: "4"}}, limits: {{cpu: "{}"}}}}}}])", cpu);
    const std::string patch = fmt::format("{{spec: {{template: {{spec: {{containers: {}}}}}}}}}", containers);
    client_->patch(room, {kube::PatchType::kMerge, yaml(patch)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    settle();
  };
  limit("2");
  EXPECT_EQ(status(), "Pending, 0 held, 0 consumed");
  EXPECT_EQ(condition_of(kReservations, "Ready"), "False: Refused");
  EXPECT_EQ(message_of(kReservations, "Ready"),
            "spec.template.spec.containers[0].resources.requests: Invalid value: \"4\": must be less than or equal to "
            "cpu limit of 2");
  limit("4");
  EXPECT_EQ(status(), "Holding, 1 held on a, 0 consumed");
}

TEST_F(ReservationsTest, OfKoordinatorAreRefusedForWhatIsNotDoneHere) {
  start({node("a")});
  apply(kKoordinators, koordinators("  allocateOnce: false\n"));
  settle();
  EXPECT_EQ(document::text_at(only(kKoordinators), {"status", "phase"}), "Pending");
  EXPECT_EQ(condition_of(kKoordinators, "Ready"), "False: Refused");
  EXPECT_THAT(message_of(kKoordinators, "Ready"), HasSubstr("spec.allocateOnce: Forbidden: the first pod takes all"));
}

TEST_F(ReservationsTest, EvictOnlyIfTheirTemplateSaysSo) {
  start({node("a")});
  apply({"scheduling.k8s.io", "v1", "priorityclasses"},
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
  add_pod(pod_of("other", "web", "8"));
  const auto important = [](const char* name, const char* policy) {
    return fmt::format(R"(
apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {{name: {}, namespace: default}}
spec:
  template:
    metadata: {{labels: {{app: train}}}}
    spec:
      priorityClassName: high
      {}
      containers: [{{name: main, image: x, resources: {{requests: {{cpu: "8"}}}}}}]
)",
                       name, policy);
  };
  reserve(important("room", ""));
  EXPECT_EQ(node_of("other"), "a");
  remove(kReservations, "room");
  reserve(important("room", "preemptionPolicy: PreemptLowerPriority"));
  EXPECT_EQ(node_of("other"), "gone");
  EXPECT_EQ(status(), "Holding, 1 held on a, 0 consumed");
  EXPECT_THAT(events("Preempted"), ElementsAre(HasSubstr("Reservation default/room")));
}

TEST_F(ReservationsTest, AreConsumedByGroupsAsAWhole) {
  start({node("a")});
  reserve(reservation(2));
  const auto member = [](int number) {
    return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: train-{}, namespace: default, labels: {{app: train}}}}
spec:
  schedulingGroup: {{podGroupName: train}}
  containers: [{{name: main, image: x, resources: {{requests: {{cpu: "4"}}}}}}]
)",
                       number);
  };
  apply({"scheduling.k8s.io", "v1alpha2", "podgroups", "default"}, R"(
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
)");
  for (int i = 0; i < 3; ++i) add_pod(member(i));
  EXPECT_EQ(status(), "Holding, 2 held on a, 0 consumed") << "a group that does not start gives back what it took";
  apply({"", "v1", "nodes"}, document::write_json(node("b")));
  settle();
  EXPECT_EQ(status(), "Consumed, 0 held, 2 consumed");
  EXPECT_NE(node_of("train-2"), "");
}

TEST_F(ReservationsTest, KoordinatorsSayItInItsWords) {
  start({node("a")});
  apply(kKoordinators, koordinators());
  settle();
  EXPECT_EQ(document::text_at(only(kKoordinators), {"status", "phase"}), "Available");
  EXPECT_EQ(document::text_at(only(kKoordinators), {"status", "nodeName"}), "a");
  add_pod(pod_of("other", "web"));
  EXPECT_EQ(node_of("other"), "");
  add_pod(pod_of("train-0", "train", "8"));
  EXPECT_EQ(node_of("train-0"), "a");
  EXPECT_EQ(document::text_at(only(kKoordinators), {"status", "phase"}), "Succeeded");
}

/// A rank whose node goes is replaced on the spare of its rack, and another spare is held as soon as there is room.
TEST_F(ReservationsTest, SparesAreConsumedByLostRanksAndRefilled) {
  const auto in_rack = [](const std::string& name, const std::string& rack) {
    return document::with_at(node(name), {"metadata", "labels", "rack"}, Value(rack));
  };
  start({in_rack("a", "r1"), in_rack("b", "r1"), in_rack("c", "r1"), in_rack("d", "r2"), in_rack("e", "r2")});
  reserve(R"(
apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {name: spares, namespace: default}
spec:
  perDomain: rack
  for: Replacements
  refill: true
  template:
    metadata: {labels: {app: train}}
    spec: {containers: [{name: app, image: train, resources: {requests: {cpu: "8"}}}]}
)");
  EXPECT_EQ(status().substr(0, 15), "Holding, 2 held");
  apply({"scheduling.k8s.io", "v1alpha2", "podgroups", "default"}, R"(
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
)");
  const auto rank = [](const std::string& name) {
    return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default, labels: {{app: train}}}}
spec:
  schedulingGroup: {{podGroupName: train}}
  nodeSelector: {{rack: r1}}
  terminationGracePeriodSeconds: 0
  containers: [{{name: app, image: train, resources: {{requests: {{cpu: "8"}}}}}}]
)",
                       name);
  };
  add_pod(rank("train-0"));
  add_pod(rank("train-1"));
  const std::string lost = node_of("train-1");
  ASSERT_NE(lost, "");
  const std::string held = status();
  remove({"", "v1", "nodes"}, lost);
  remove(kPods, "train-1");
  add_pod(rank("train-2"));
  ASSERT_NE(node_of("train-2"), "");
  EXPECT_THAT(held, ::testing::HasSubstr(node_of("train-2")));
  EXPECT_EQ(status().substr(0, 15), "Pending, 1 held");
  EXPECT_EQ(condition_of(kReservations, "Ready"), "False: Unschedulable");
  restart_control();
  EXPECT_EQ(status().substr(0, 15), "Pending, 1 held");
  apply({"", "v1", "nodes"}, document::write_yaml(in_rack("f", "r1")));
  settle();
  EXPECT_THAT(status(), ::testing::HasSubstr("Holding, 2 held"));
  EXPECT_THAT(status(), ::testing::HasSubstr(", f,"));
}

TEST_F(ReservationsTest, WhatAStatusSaysIsHeldIsNoMoreThanIsWanted) {
  start({node("a")});
  reserve(reservation(1));
  kube::ResourceReference status = kReservations;
  status.name = "room";
  status.subresource = "status";
  cluster_->stop_control();
  client_->patch(status, {kube::PatchType::kMerge, yaml("{status: {nodes: [{name: a, pods: 2147483647}]}}")},
                 [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
  loop_.run_until_idle();
  ASSERT_TRUE(cluster_->restart_control([] {}));
  settle();
  EXPECT_EQ(this->status(), "Holding, 1 held on a, 0 consumed");
}

TEST_F(ReservationsTest, RoomIsHeldForSoManyPodsInAllAndOfANamespaceAndNoMore) {
  start({node("a")});
  apply(kReservations, fmt::format(R"(
apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {{name: much, namespace: default}}
spec:
  pods: 9999
  template: {{metadata: {{labels: {{app: train}}}}, spec: {{containers: [{{name: main, image: x, resources: {{requests: {{cpu: "4"}}}}}}]}}}}
)"));
  settle();
  apply(kReservations, reservation(2));
  settle();
  kube::ResourceReference second = kReservations;
  second.name = "room";
  const auto message = [&] {
    std::string text;
    client_->get(second, [&](const kube::Answer<Value>& object) {
      ASSERT_TRUE(object);
      const Value* condition = kube::find_condition(*object, "Ready");
      ASSERT_NE(condition, nullptr);
      text =
          fmt::format("{}: {}", document::text_at(*condition, {"reason"}), document::text_at(*condition, {"message"}));
    });
    loop_.run_until_idle();
    return text;
  };
  EXPECT_EQ(message(),
            "Refused: room for 2 pods: with that for 9999 of other reservations of the namespace, more than 10000");
  remove(kReservations, "much");
  EXPECT_EQ(status(), "Holding, 2 held on a, 0 consumed");
}

}  // namespace
}  // namespace loadline::embedded
