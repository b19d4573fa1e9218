#include "hosts/watching/event_correlator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/watching/event_series.h"

namespace loadline::watching {
namespace {

using document::text_at;
using document::Value;
using Verb = EventWrite::Verb;

constexpr Instant kSaidAt{1'700'000'000'000'000'000};

Event event(std::string reason, std::string message, std::string uid = "1") {
  return {Value(document::Object{{"kind", Value("Pod"), {}},
                                 {"namespace", Value("team"), {}},
                                 {"name", Value("web"), {}},
                                 {"uid", Value(std::move(uid)), {}}}),
          Event::Type::kNormal, std::move(reason), std::move(message)};
}

Instant after(std::int64_t seconds) { return kSaidAt + Duration::seconds(seconds); }

TEST(EventCorrelator, CreatesWhatIsNew) {
  EventCorrelator correlator;
  const EventWrite write = correlator.correlate(event("Killing", "Stopping container"), "node-controller", kSaidAt);
  EXPECT_EQ(write.verb, Verb::kCreate);
  EXPECT_EQ(write.of.name_space, "team");
  EXPECT_EQ(
      document::write_json(write.document),
      R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"web.17979cfe362a0000","namespace":"team"},)"
      R"("involvedObject":{"kind":"Pod","namespace":"team","name":"web","uid":"1"},"reason":"Killing",)"
      R"("message":"Stopping container","source":{"component":"node-controller"},)"
      R"("firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":"2023-11-14T22:13:20Z","count":1,"type":"Normal",)"
      R"("eventTime":null,"reportingComponent":"node-controller","reportingInstance":""})");
}

TEST(EventCorrelator, SaysWhichNodesKubeletSaidIt) {
  EventCorrelator correlator;
  Event said = event("Killing", "Stopping container");
  said.host = "node-1";
  const EventWrite write = correlator.correlate(said, "kubelet", kSaidAt);
  EXPECT_EQ(document::text_at(write.document, {"source", "host"}), "node-1");
  EXPECT_EQ(document::text_at(write.document, {"reportingInstance"}), "node-1");
  said.host = "node-2";
  EXPECT_EQ(correlator.correlate(said, "kubelet", kSaidAt).verb, Verb::kCreate);
}

TEST(EventCorrelator, CountsTheSameAgainInAPatch) {
  EventCorrelator correlator;
  const EventWrite first = correlator.correlate(event("Killing", "a"), "c", kSaidAt);
  const EventWrite again = correlator.correlate(event("Killing", "a"), "c", after(5));
  EXPECT_EQ(again.verb, Verb::kPatch);
  EXPECT_EQ(again.of.name, text_at(first.document, {"metadata", "name"}));
  EXPECT_EQ(document::write_json(again.patch), R"({"count":2,"lastTimestamp":"2023-11-14T22:13:25Z","message":"a"})");
  EXPECT_EQ(text_at(again.document, {"firstTimestamp"}), "2023-11-14T22:13:20Z");
}

TEST(EventCorrelator, TellsSourcesAndObjectsApart) {
  EventCorrelator correlator;
  correlator.correlate(event("Killing", "a"), "c", kSaidAt);
  EXPECT_EQ(correlator.correlate(event("Killing", "a"), "other", kSaidAt).verb, Verb::kCreate);
  EXPECT_EQ(correlator.correlate(event("Killing", "a", "2"), "c", kSaidAt).verb, Verb::kCreate);
  EXPECT_EQ(correlator.correlate(event("Started", "a"), "c", kSaidAt).verb, Verb::kCreate);
}

TEST(EventCorrelator, CombinesFromTheTenthMessageOfAReason) {
  EventCorrelator correlator;
  for (int i = 0; i < 9; ++i) {
    const EventWrite write = correlator.correlate(event("Created", "pod " + std::to_string(i)), "c", after(i));
    EXPECT_EQ(write.verb, Verb::kCreate) << i;
  }
  const EventWrite tenth = correlator.correlate(event("Created", "pod 9"), "c", after(9));
  EXPECT_EQ(tenth.verb, Verb::kCreate);
  EXPECT_EQ(text_at(tenth.document, {"message"}), "(combined from similar events): pod 9");
  const EventWrite eleventh = correlator.correlate(event("Created", "pod 10"), "c", after(10));
  EXPECT_EQ(eleventh.verb, Verb::kPatch);
  EXPECT_EQ(text_at(eleventh.patch, {"message"}), "(combined from similar events): pod 10");
  const EventWrite much_later = correlator.correlate(event("Created", "pod 11"), "c", after(700));
  EXPECT_EQ(text_at(much_later.document, {"message"}), "pod 11") << "ten minutes of silence begin anew";
}

TEST(EventCorrelator, LetsThroughOneInFiveMinutesAfterABurst) {
  EventCorrelator correlator;
  for (int i = 0; i < 25; ++i) EXPECT_NE(correlator.correlate(event("R", "m"), "c", kSaidAt).verb, Verb::kDrop) << i;
  EXPECT_EQ(correlator.correlate(event("R", "m"), "c", kSaidAt).verb, Verb::kDrop);
  EXPECT_NE(correlator.correlate(event("R", "m", "other"), "c", kSaidAt).verb, Verb::kDrop);
  EXPECT_EQ(correlator.correlate(event("R", "m"), "c", after(299)).verb, Verb::kDrop);
  const EventWrite through = correlator.correlate(event("R", "m"), "c", after(301));
  EXPECT_EQ(through.verb, Verb::kPatch);
  EXPECT_EQ(through.patch.find("count")->integer(), 28) << "what was dropped counts";
  EXPECT_EQ(correlator.correlate(event("R", "m"), "c", after(302)).verb, Verb::kDrop);
}

TEST(EventCorrelator, NamesDifferWhileTheClockStands) {
  EventNames names;
  EXPECT_EQ(EventNames::name("web", names.next(Instant{255})), "web.ff");
  EXPECT_EQ(EventNames::name("web", names.next(Instant{255})), "web.100");
  EXPECT_EQ(EventNames::name("web", names.next(Instant{17})), "web.101");
}

TEST(RecentlyUsed, ForgetsWhatWasUnusedForLongest) {
  RecentlyUsed<int> values(2);
  values.use(1) = 10;
  values.use(2) = 2;
  EXPECT_EQ(values.use(1), 10);
  values.use(3) = 3;
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.use(1), 10);
  EXPECT_EQ(values.use(2), 0);
}

TEST(EventSeries, TheSecondMakesASeriesAndTheRestAreCounted) {
  EventSeries series("default-scheduler", "default-scheduler-host");
  const SchedulingEvent said{event("FailedScheduling", "0/1 nodes are available"), "Scheduling", {}};
  const EventWrite first = series.correlate(said, kSaidAt);
  EXPECT_EQ(first.verb, Verb::kCreate);
  EXPECT_EQ(
      document::write_json(first.document),
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"web.17979cfe362a0000",)"
      R"("namespace":"team"},"eventTime":"2023-11-14T22:13:20.000000Z","reportingController":"default-scheduler",)"
      R"("reportingInstance":"default-scheduler-host","action":"Scheduling","reason":"FailedScheduling",)"
      R"("regarding":{"kind":"Pod","namespace":"team","name":"web","uid":"1"},)"
      R"("note":"0/1 nodes are available","type":"Normal"})");
  const EventWrite second = series.correlate(said, kSaidAt + Duration{1'500'000});
  EXPECT_EQ(second.verb, Verb::kPatch);
  EXPECT_EQ(second.of.name, "web.17979cfe362a0000");
  EXPECT_EQ(document::write_json(second.patch),
            R"({"series":{"count":2,"lastObservedTime":"2023-11-14T22:13:20.001500Z"}})");
  EXPECT_EQ(series.correlate(said, after(2)).verb, Verb::kDrop);
}

TEST(EventSeries, EndsAfterSilenceAndTellsItsNumber) {
  EventSeries series("default-scheduler", "i");
  const SchedulingEvent alone{event("Scheduled", "x", "2"), "Binding", {}};
  const SchedulingEvent said{event("FailedScheduling", "x"), "Scheduling", {}};
  series.correlate(alone, kSaidAt);
  for (int i = 0; i < 3; ++i) series.correlate(said, after(i));
  EXPECT_TRUE(series.tick(after(360)).empty());
  const std::vector<EventWrite> last = series.tick(after(720));
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(document::find_at(last[0].patch, {"series", "count"})->integer(), 3);
  EXPECT_EQ(series.correlate(said, after(721)).verb, Verb::kCreate);
}

TEST(EventSeries, TellsOfLongSeriesEveryHalfHour) {
  EventSeries series("default-scheduler", "i");
  const SchedulingEvent said{event("FailedScheduling", "x"), "Scheduling", {}};
  std::size_t told = 0;
  for (std::int64_t second = 0; second <= 3600; second += 60) {
    series.correlate(said, after(second));
    if (second % 360 == 0) told += series.tick(after(second)).size();
  }
  EXPECT_EQ(told, 2U);
}

}  // namespace
}  // namespace loadline::watching
