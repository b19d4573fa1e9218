#include "objects/kube/loadline/reservation.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/registry.h"
#include "objects/kube/view.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decoding decode_reservation(const std::string& text) {
  std::vector<SourceDocument> documents;
  for (document::Value& value : document::read_yaml(text, "room.yaml").documents) {
    documents.push_back({std::move(value), "room.yaml"});
  }
  return decode(documents);
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const Diagnostic& each : decode_reservation(text).diagnostics) lines.push_back(each.to_string());
  return lines;
}

constexpr const char* kTemplate = R"(
  template:
    metadata: {labels: {app: train}}
    spec:
      priorityClassName: high
      containers: [{name: main, image: train, resources: {limits: {nvidia.com/gpu: 2}}}]
)";

std::string reservation(const std::string& spec, const std::string& pod_template = kTemplate) {
  return "apiVersion: loadline.dev/v1alpha1\nkind: Reservation\nmetadata: {name: room, namespace: ml}\nspec:\n" + spec +
         pod_template;
}

TEST(Reservation, IsRead) {
  const Decoding decoding = decode_reservation(reservation(R"(
  pods: 3
  selector: {matchLabels: {team: ml}}
  owner: {kind: Job, name: train}
  nodes: [a, b]
  from: "2026-01-02T00:00:00Z"
  until: "2026-01-03T00:00:00Z")") + R"(
status: {phase: Holding, held: 2, consumed: 1, nodes: [{name: a, pods: 2}]}
)");
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  EXPECT_THAT(decoding.objects.skipped, IsEmpty());
  ASSERT_THAT(decoding.objects.of<Reservation>(), SizeIs(1));
  const Reservation& room = decoding.objects.of<Reservation>()[0];
  EXPECT_EQ(room.metadata.namespace_, "ml");
  EXPECT_EQ(room.pods, 3);
  ASSERT_TRUE(room.selector && room.owner && room.from && room.until);
  EXPECT_EQ(room.selector->match_labels.at("team"), "ml");
  EXPECT_EQ(room.owner->kind, "Job");
  EXPECT_THAT(room.nodes, ElementsAre("a", "b"));
  EXPECT_EQ(room.until->nanoseconds - room.from->nanoseconds, Duration::seconds(86'400).nanoseconds);
  EXPECT_EQ(room.template_.metadata.labels.at("app"), "train");
  EXPECT_EQ(room.template_.spec->priority_class_name, "high");
  EXPECT_EQ(room.template_.spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(room.status.phase, ReservationPhase::kHolding);
  EXPECT_EQ(room.status.consumed, 1);
  ASSERT_THAT(room.status.nodes, SizeIs(1));
  EXPECT_EQ(room.status.nodes[0].pods, 2);
}

TEST(Reservation, NeedsLittle) {
  const Decoding decoding = decode_reservation(reservation(""));
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  ASSERT_THAT(decoding.objects.of<Reservation>(), SizeIs(1));
  EXPECT_EQ(decoding.objects.of<Reservation>()[0].pods, 1);
  EXPECT_FALSE(decoding.objects.of<Reservation>()[0].end(Instant{}));
}

TEST(Reservation, EndsSoLongAfterItsCreation) {
  Reservation room;
  const Instant now{Duration::seconds(1000).nanoseconds};
  room.ttl = "1h30m";
  EXPECT_EQ(room.end(now), now + Duration::seconds(5400));
  room.metadata.creation_timestamp = Instant{};
  EXPECT_EQ(room.end(now), Instant{} + Duration::seconds(5400));
  room.until = now;
  EXPECT_EQ(room.end(now), now);
}

TEST(Reservation, NeverEndsIfNoClockGetsThere) {
  kube::Reservation room;
  room.metadata.creation_timestamp = Instant{} + Duration::seconds(1'800'000'000);
  room.ttl = "2562047h";
  EXPECT_EQ(room.end(Instant{}), std::nullopt);
}

TEST(Reservation, OfNoNamespaceIsNotConsumedByWhomeverItIsNotFor) {
  kube::Reservation room;
  room.metadata.name = "room";
  room.selector = kube::LabelSelector{{{"app", "train"}}, {}};
  kube::ObjectMeta pod;
  pod.namespace_ = "any";
  pod.annotations = {{"loadline.dev/reservation", "room"}};
  EXPECT_FALSE(room.is_consumed_by(pod)) << "anybody could say so";
  pod.labels = {{"app", "train"}};
  EXPECT_TRUE(room.is_consumed_by(pod));
  room.pods_of_namespace = "ml";
  EXPECT_FALSE(room.is_consumed_by(pod));
  pod.namespace_ = "ml";
  EXPECT_TRUE(room.is_consumed_by(pod));
  room.owner = {"Deployment", "web"};
  EXPECT_FALSE(room.is_consumed_by(pod));
  pod.owner_references = {{"apps/v1", "ReplicaSet", "web-5d4f", "u", true}};
  EXPECT_TRUE(room.is_consumed_by(pod));
}

TEST(Reservation, IsConsumedByThePodsThatSaySo) {
  kube::Reservation room;
  room.metadata.name = "room";
  room.metadata.namespace_ = "ml";
  room.metadata.uid = "1";
  kube::ObjectMeta pod;
  pod.namespace_ = "ml";
  EXPECT_FALSE(room.is_consumed_by(pod));
  pod.annotations = room.consumer_annotations();
  EXPECT_TRUE(room.is_consumed_by(pod));
  room.metadata.uid = "2";
  EXPECT_FALSE(room.is_consumed_by(pod)) << "that was another one of this name";
  room.metadata.uid.clear();
  EXPECT_TRUE(room.is_consumed_by(pod)) << "in files, names count";
  pod.namespace_ = "web";
  EXPECT_FALSE(room.is_consumed_by(pod));
}

TEST(Reservation, TellsWhereItIsWrong) {
  EXPECT_THAT(problems_of(reservation("  pods: 0\n")),
              ElementsAre(HasSubstr("room.yaml:5:9: error: Reservation ml/room: spec.pods: Invalid value: 0")));
  EXPECT_THAT(problems_of(reservation("  pod: 2\n")), ElementsAre(HasSubstr("5:3: error")));
  EXPECT_THAT(problems_of(reservation("  ttl: 1 day\n")),
              ElementsAre(HasSubstr("must be a span of time like 90m or 24h")));
  EXPECT_THAT(problems_of(reservation("  ttl: 1h\n  until: \"2026-01-03T00:00:00Z\"\n")),
              ElementsAre(HasSubstr("spec: Invalid value: until and ttl are mutually exclusive")));
  EXPECT_THAT(problems_of(reservation("  from: \"2026-01-03T00:00:00Z\"\n  until: \"2026-01-03T00:00:00Z\"\n")),
              ElementsAre(HasSubstr("6:10: error: Reservation ml/room: spec.until: Invalid value: must be later")));
  EXPECT_THAT(problems_of(reservation("  nodes: [a, a]\n")), ElementsAre(HasSubstr("spec.nodes[1]: Duplicate value")));
  EXPECT_THAT(problems_of(reservation("  owner: {kind: Job}\n")), ElementsAre(HasSubstr("spec.owner.name: Required")));
  EXPECT_THAT(problems_of(reservation("  pods: 2\n", "")), ElementsAre(HasSubstr("spec.template: Required value")));
}

TEST(Reservation, SaysWhoMayTakeTheRoom) {
  const std::string anonymous = "  template: {spec: {containers: [{name: main, image: train}]}}\n";
  EXPECT_THAT(problems_of(reservation("  pods: 1\n", anonymous)), ElementsAre(HasSubstr("says of no pods")));
  EXPECT_THAT(problems_of(reservation("  selector: {}\n", anonymous)), IsEmpty());
  EXPECT_THAT(problems_of(reservation("  owner: {kind: Job, name: train}\n", anonymous)), IsEmpty());
}

TEST(Reservation, ItsTemplateIsJudgedAsAPodIs) {
  EXPECT_THAT(problems_of(reservation("", R"(
  template:
    metadata: {labels: {app: train}}
    spec:
      containers: [{name: main, image: train, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]
)")),
              ElementsAre(HasSubstr("spec.template.spec.containers[0].resources.requests: Invalid value")));
  EXPECT_THAT(problems_of(reservation("", R"(
  template:
    metadata: {labels: {app: train}}
    spec: {container: []}
)")),
              ::testing::Contains(HasSubstr(R"(unknown field "spec.template.spec.container")")));
}

// ---- Koordinator's --------------------------------------------------------------------------------------------------

std::string koordinator(const std::string& spec) {
  return "apiVersion: scheduling.koordinator.sh/v1alpha1\nkind: Reservation\nmetadata: {name: room}\nspec:\n" + spec +
         "  template: {spec: {containers: [{name: main, image: train, resources: {limits: {nvidia.com/gpu: 2}}}]}}\n";
}

TEST(KoordinatorReservation, IsAnotherSpelling) {
  const Decoding decoding = decode_reservation(koordinator(R"(
  owners: [{labelSelector: {matchLabels: {app: train}}, controller: {kind: Job, name: train, namespace: ml}}]
  ttl: 2h
  unschedulable: true
)") + "status: {phase: Available, nodeName: a}\n");
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  ASSERT_THAT(decoding.objects.of<KoordinatorReservation>(), SizeIs(1));
  const Reservation room = as_reservation(decoding.objects.of<KoordinatorReservation>()[0]);
  EXPECT_EQ(room.metadata.namespace_, "");
  EXPECT_EQ(room.template_.metadata.namespace_, "default");
  EXPECT_EQ(room.pods, 1);
  EXPECT_EQ(room.selector->match_labels.at("app"), "train");
  EXPECT_EQ(room.owner->name, "train");
  EXPECT_EQ(room.pods_of_namespace, "ml");
  EXPECT_TRUE(room.is_closed);
  EXPECT_EQ(room.end(Instant{}), Instant{} + Duration::seconds(7200));
  EXPECT_EQ(room.status.phase, ReservationPhase::kHolding);
  ASSERT_THAT(room.status.nodes, SizeIs(1));
  EXPECT_EQ(room.status.nodes[0].name, "a");
}

TEST(KoordinatorReservation, LastsADayUnlessItSaysOtherwise) {
  const std::string owners = "  owners: [{labelSelector: {}}]\n";
  const auto end_of = [&](const std::string& spec) {
    return as_reservation(decode_reservation(koordinator(owners + spec)).objects.of<KoordinatorReservation>().at(0))
        .end(Instant{});
  };
  EXPECT_EQ(end_of(""), Instant{} + Duration::seconds(86'400));
  EXPECT_EQ(end_of("  ttl: 0s\n"), std::nullopt);
  EXPECT_EQ(end_of("  expires: \"1970-01-01T00:00:10Z\"\n"), Instant{} + Duration::seconds(10));
}

TEST(KoordinatorReservation, WhatIsNotDoneIsSaid) {
  EXPECT_THAT(problems_of(koordinator("  owners: [{labelSelector: {}}]\n  allocateOnce: false\n")),
              ElementsAre(HasSubstr("6:17: error: Reservation room: spec.allocateOnce: Forbidden")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{labelSelector: {}}, {labelSelector: {}}]\n")),
              ElementsAre(HasSubstr("spec.owners[1]: Forbidden")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{object: {name: web-0}}]\n")),
              ElementsAre(HasSubstr("spec.owners[0].object: Forbidden")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{controller: {kind: Job, name: a, uid: u}}]\n")),
              ElementsAre(HasSubstr("spec.owners[0].controller.uid: Forbidden")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{labelSelector: {}}]\n  preAllocation: true\n")),
              ElementsAre(HasSubstr("spec.preAllocation: Forbidden")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{labelSelector: {}}]\n  allocatePolicy: Restricted\n")),
              ElementsAre(HasSubstr("spec.allocatePolicy: Unsupported value")));
  EXPECT_THAT(problems_of(koordinator("  owners: [{labelSelector: {}}]\n  taints: [{key: a, effect: NoSchedule}]\n")),
              ElementsAre(HasSubstr("spec.taints: Forbidden")));
}

}  // namespace
}  // namespace loadline::kube
