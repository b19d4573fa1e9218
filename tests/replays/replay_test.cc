#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command/command.h"

// `loadline replay`, as its users run it.

namespace loadline::replays {
namespace {

using command::Ending;
using ::testing::HasSubstr;

constexpr const char* kTrace = R"(time,name,pods,cpu,gpus,duration,class
0,first,1,8,8,10m,train
60,second,1,8,8,10m,train
2m,both,2,8,8,5m,large
3m,small,1,1,0,1m,
)";

/// A folder of its own for each test.
struct Replays : ::testing::Test {
  Replays()
      : folder(std::filesystem::temp_directory_path() /
               (std::string("loadline-replay-") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    command::write(folder / "jobs.csv", kTrace);
  }
  ~Replays() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }

  std::filesystem::path folder;
};

TEST_F(Replays, TellsWhoWaitedAndHowFullTheMachinesWere) {
  const Ending ending =
      command::run({"replay", path("jobs.csv"), "--nodes", "2:gpu=a100:8,cpu=96,memory=1Ti", "--events",
                    path("events.jsonl"), "--metrics", path("metrics.csv"), "--every", "5m"});
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out,
              HasSubstr("4 works in 2 nodes: 4 ended\n16m from the first arrival to the last end; 5 pods;"));
  EXPECT_THAT(ending.out, HasSubstr("waiting           2m15s      0s    9m    9m    9m\n"));
  // The gang starts when the second job ends, at 660 s, whole.
  EXPECT_THAT(command::read(path("events.jsonl")), HasSubstr(R"({"time":660,"event":"ended","work":"second"}
{"time":660,"event":"placed","work":"both","pod":0,"node":"gpu-a100-1"}
{"time":660,"event":"placed","work":"both","pod":1,"node":"gpu-a100-2"}
{"time":660,"event":"started","work":"both"}
{"time":960,"event":"ended","work":"both"}
)"));
  const std::vector<std::string> metrics = command::lines_of(command::read(path("metrics.csv")));
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_EQ(metrics[2].substr(0, 22), "300,1,2,2,4,3,1,0,0.08");
}

TEST_F(Replays, AWrongEstimateDoesNotIdleMachinesForEver) {
  // The first one was to end after 10 minutes. The pair waits for it, and the third, of which nobody knows how long it
  // runs, for the pair: until the pair's promise, of 9 minutes, has slipped by more than that.
  command::write(path("liar.csv"), R"(time,name,pods,gpus,cpu,duration,estimate,class
0,forever,1,8,4,24h,10m,run
60,pair,2,8,4,1h,1h,gang
120,silent,1,8,4,10m,,unknown
180,known,1,8,4,5m,5m,known
)");
  const Ending ending =
      command::run({"replay", path("liar.csv"), "--nodes", "2:gpu=a100:8", "--events", path("events.jsonl")});
  EXPECT_EQ(ending.status, 0) << ending.err;
  const std::string events = command::read(path("events.jsonl"));
  EXPECT_THAT(events, HasSubstr(R"({"time":180,"event":"started","work":"known"})"));
  EXPECT_THAT(events, HasSubstr(R"({"time":1080,"event":"started","work":"silent"})"));
  EXPECT_THAT(events, HasSubstr(R"({"time":86400,"event":"started","work":"pair"})"));
}

TEST_F(Replays, ExitsWithOneWhereSomethingIsPending) {
  const Ending ending = command::run({"replay", path("jobs.csv"), "--nodes", "1:gpu=a100:8,cpu=96,memory=1Ti"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.out, HasSubstr("3 ended, 1 pending at the end"));
}

TEST_F(Replays, ASweepGivesTheSameBytesWithAnyNumberOfThreads) {
  const auto sweep = [&](const std::string& threads, const std::string& page) {
    return command::run({"replay", path("jobs.csv"), "--nodes", "2:gpu=a100:8,cpu=96,memory=1Ti", "--vary",
                         "nodes=2..4", "--runs", "5", "--noise", "0.5", "--threads", threads, "-o", "json", "--html",
                         path(page)});
  };
  const Ending alone = sweep("1", "one.html");
  const Ending together = sweep("4", "four.html");
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.out, together.out);
  EXPECT_EQ(command::read(path("one.html")), command::read(path("four.html")));
  EXPECT_THAT(alone.out, HasSubstr("\"variant\": \"nodes=3\""));
}

TEST_F(Replays, OnlyRecordingsCanBeChecked) {
  const Ending ending = command::run({"replay", path("jobs.csv"), "--check"});
  EXPECT_EQ(ending.status, 2);
  EXPECT_THAT(ending.err, HasSubstr("jobs.csv is no recording"));
}

TEST_F(Replays, SaysWhatIsWrongWithTheTrace) {
  command::write(path("bad.csv"), "time,name,gpus,duration\n0,a,1,10m\n5,b,x,10m\n");
  const Ending ending = command::run({"replay", path("bad.csv"), "--nodes", "2:gpu=a100:8"});
  EXPECT_EQ(ending.status, 2);
  EXPECT_THAT(ending.err, HasSubstr("bad.csv:3:5: gpus: "));
}

TEST_F(Replays, SaysWhatCannotBe) {
  const auto error_of = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"replay", path("jobs.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ending ending = command::run(arguments);
    EXPECT_EQ(ending.status, 2);
    return ending.err;
  };
  EXPECT_THAT(error_of({}), HasSubstr("there are no nodes; describe some, as in --nodes 100:gpu=a100:8"));
  EXPECT_THAT(error_of({"--nodes", "2", "--vary", "node=3"}), HasSubstr("Did you mean nodes?"));
  EXPECT_THAT(error_of({"--nodes", "2", "--vary", "nodes=9..3"}), HasSubstr("is no range"));
  EXPECT_THAT(error_of({"--nodes", "2", "--vary", "nodes=3,x"}), HasSubstr("\"x\" is no number of nodes"));
  EXPECT_THAT(error_of({"--nodes", "2", "--runs", "3", "--events", path("e")}), HasSubstr("--events is of one replay"));
  EXPECT_THAT(error_of({"--nodes", "2", "--until", "soon"}), HasSubstr("write it like 8h"));
  EXPECT_THAT(error_of({"--nodes", "2", "--every", "0s"}), HasSubstr("at least a second"));
}

}  // namespace
}  // namespace loadline::replays
