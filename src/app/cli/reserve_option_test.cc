#include "app/cli/reserve_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace loadline::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

kube::Reservation parsed(const std::string& text) {
  Result<kube::Reservation> reservation = parse_reservation(text, 3);
  EXPECT_TRUE(reservation) << reservation.error().message;
  return reservation ? *reservation : kube::Reservation();
}

std::string error_of(const std::string& text) {
  const Result<kube::Reservation> reservation = parse_reservation(text, 1);
  return reservation ? "" : reservation.error().message;
}

std::string request(const kube::Reservation& reservation, const std::string& resource) {
  const kube::ResourceList& requests = reservation.template_.spec->containers.at(0).resources.requests;
  const auto found = requests.find(resource);
  return found == requests.end() ? "" : found->second.to_string();
}

TEST(ReserveOption, SaysWhatAReservationSays) {
  const kube::Reservation room = parsed(
      "4:name=room,namespace=ml,cpu=16,memory=64Gi,gpu=2,example.com/nic=1,label=app=train,label=team=ml,node=a,node=b,"
      "priority=high,from=2026-01-01T00:00:00Z,until=2026-01-02T00:00:00Z");
  EXPECT_EQ(room.metadata.name, "room");
  EXPECT_EQ(room.metadata.namespace_, "ml");
  EXPECT_EQ(room.pods, 4);
  EXPECT_EQ(request(room, "cpu"), "16");
  EXPECT_EQ(request(room, "memory"), "64Gi");
  EXPECT_EQ(request(room, "nvidia.com/gpu"), "2");
  EXPECT_EQ(request(room, "example.com/nic"), "1");
  EXPECT_EQ(room.template_.metadata.labels, (kube::StringMap{{"app", "train"}, {"team", "ml"}}));
  EXPECT_THAT(room.nodes, ElementsAre("a", "b"));
  EXPECT_EQ(room.template_.spec->priority_class_name, "high");
  EXPECT_EQ(*room.until - *room.from, Duration::seconds(86'400));
}

TEST(ReserveOption, NeedsNoMoreThanANumber) {
  const kube::Reservation room = parsed("2");
  EXPECT_EQ(room.pods, 2);
  EXPECT_EQ(room.metadata.name, "reserved-3");
  EXPECT_EQ(room.metadata.namespace_, "default");
  EXPECT_EQ(parsed("1:priority=-5").template_.spec->priority, -5);
}

TEST(ReserveOption, TellsWhatItCannotRead) {
  EXPECT_EQ(error_of("gpu=2"), "--reserve \"gpu=2\": begin with a number of pods from 1 to 100000");
  EXPECT_THAT(error_of("0:gpu=2"), HasSubstr("begin with a number"));
  EXPECT_THAT(error_of("2:gpus=2"), HasSubstr("\"gpus\" says nothing about room; name, namespace, cpu"));
  EXPECT_THAT(error_of("2:gpu"), HasSubstr("\"gpu\" is no setting: write KEY=VALUE"));
  EXPECT_THAT(error_of("2:gpu=2,"), HasSubstr("\"\" is no setting"));
  EXPECT_THAT(error_of("2:gpu=many"), HasSubstr("\"many\" is no amount of gpu"));
  EXPECT_THAT(error_of("2:gpu=500m"), HasSubstr("must be an integer"));
  EXPECT_THAT(error_of("2:cpu=-1"), HasSubstr("\"-1\" is no amount of cpu"));
  EXPECT_THAT(error_of("2:label=a b=c"), HasSubstr("\"a b=c\" is no label: write label=KEY=VALUE"));
  EXPECT_THAT(error_of("2:name=Room"), HasSubstr("\"Room\" is no name"));
  EXPECT_THAT(error_of("2:until=tomorrow"), HasSubstr("\"tomorrow\" is not a time; write it like 2026"));
  EXPECT_THAT(error_of("2:from=2026-01-02T00:00:00Z,until=2026-01-01T00:00:00Z"), HasSubstr("until must be later"));
}

TEST(ReserveOption, AddsToWhatIsThere) {
  kube::Objects objects;
  EXPECT_TRUE(add_reservations({"1", "2"}, objects));
  ASSERT_THAT(objects.of<kube::Reservation>(), SizeIs(2));
  EXPECT_EQ(objects.of<kube::Reservation>()[1].metadata.name, "reserved-2");
  const Result<void> again = add_reservations({"1"}, objects);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("there is a Reservation default/reserved-1 already"));
}

}  // namespace
}  // namespace loadline::cli
