#include "hosts/trace/csv_work.h"

#include <gtest/gtest.h>

#include "hosts/trace/testing/works.h"

namespace loadline::trace {
namespace {

TEST(CsvWork, EveryColumnIsRead) {
  const WorksRead read = read_all(
      "name,time,pods,gpus,cpu,memory,example.com/dongle,duration,estimate,deleted,gang,class,tenant,priority,selector,"
      "tolerations\n"
      "train,1h30m,4,8,96,1Ti,1,3600,2h,86400,true,large,team-a,-5,pool=a100;zone=z1,gpu=yes:NoSchedule;spot\n");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 1u);
  const Work& work = read.works.front();
  EXPECT_EQ(work.name, "train");
  EXPECT_EQ(work.arrives, Duration::seconds(5400));
  EXPECT_EQ(work.run_time, Duration::seconds(3600));
  EXPECT_EQ(work.estimate, Duration::seconds(7200));
  EXPECT_EQ(work.deleted, Duration::seconds(86400));
  EXPECT_TRUE(work.is_gang);
  EXPECT_EQ(work.work_class, "large");
  EXPECT_EQ(work.tenant, "team-a");
  ASSERT_EQ(work.pods.size(), 1u);
  EXPECT_EQ(work.pods.front().count, 4u);
  const kube::Pod& pod = *work.pods.front().pod;
  EXPECT_EQ(pod.metadata.namespace_, "team-a");
  EXPECT_EQ(pod.metadata.name, "");
  EXPECT_EQ(request(work, "nvidia.com/gpu"), "8");
  EXPECT_EQ(request(work, "cpu"), "96");
  EXPECT_EQ(request(work, "memory"), "1Ti");
  EXPECT_EQ(request(work, "example.com/dongle"), "1");
  EXPECT_EQ(pod.spec->priority, -5);
  EXPECT_EQ(pod.spec->node_selector, (kube::StringMap{{"pool", "a100"}, {"zone", "z1"}}));
  ASSERT_EQ(pod.spec->tolerations.size(), 2u);
  EXPECT_EQ(pod.spec->tolerations[0].value, "yes");
  EXPECT_EQ(pod.spec->tolerations[0].effect, kube::TaintEffect::kNoSchedule);
  EXPECT_EQ(pod.spec->tolerations[1].op, kube::TolerationOperator::kExists);
  EXPECT_EQ(pod.spec->termination_grace_period_seconds, 30) << "a plan's pods have their defaults";
}

TEST(CsvWork, WhatIsLeftOutHasADefault) {
  const WorksRead read = read_all("time,pods\n0,\n0.25,2\n");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 2u);
  EXPECT_EQ(read.works[0].name, "work-1");
  EXPECT_EQ(read.works[0].tenant, "default");
  EXPECT_EQ(read.works[0].pods.front().count, 1u);
  EXPECT_FALSE(read.works[0].is_gang);
  EXPECT_FALSE(read.works[0].run_time || read.works[0].estimate || read.works[0].deleted);
  EXPECT_EQ(read.works[1].name, "work-2");
  EXPECT_EQ(read.works[1].arrives, Duration{250'000'000});
  EXPECT_TRUE(read.works[1].is_gang) << "several pods of one work start together unless it says otherwise";
}

TEST(CsvWork, DatesCountFromTheFirst) {
  const WorksRead read = read_all(
      "time,deleted\n2026-01-01T00:00:00Z,2026-01-02T00:00:00Z\n2026-01-01T01:00:00+00:30,\n2026-01-01T12:00:00Z,\n");
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.works[0].arrives, Duration{});
  EXPECT_EQ(read.works[0].deleted, Duration::seconds(86400));
  EXPECT_EQ(read.works[1].arrives, Duration::seconds(1800));
  EXPECT_EQ(read.works[2].arrives, Duration::seconds(43200));
}

TEST(CsvWork, PodsOfEqualRowsAreOneAndTheirSpecIsOneAcrossTenants) {
  const WorksRead read = read_all("time,cpu,tenant\n0,4,a\n1,4,a\n2,4000m,a\n3,4,b\n4,5,b\n");
  ASSERT_EQ(read.error, "");
  const auto pod = [&](std::size_t i) { return read.works[i].pods.front().pod; };
  EXPECT_EQ(pod(0), pod(1));
  EXPECT_EQ(pod(0), pod(2)) << "4000m is as much as 4";
  EXPECT_NE(pod(0), pod(3));
  EXPECT_EQ(pod(0)->spec, pod(3)->spec);
  EXPECT_NE(pod(3)->spec, pod(4)->spec);
}

TEST(CsvWork, QuotedFieldsHoldCommasQuotesAndLines) {
  const WorksRead read = read_all("\xef\xbb\xbftime,class,tenant\r\n\r\n0,\"a, \"\"b\"\"\nc\",x\r\n1,\"\",\"y\"\r\n");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 2u);
  EXPECT_EQ(read.works[0].work_class, "a, \"b\"\nc");
  EXPECT_EQ(read.works[0].tenant, "x");
  EXPECT_EQ(read.works[1].work_class, "");
  EXPECT_EQ(read.works[1].tenant, "y");
}

TEST(CsvWork, WhatIsWrongIsSaidWithItsPlace) {
  const Fault faults[] = {
      {"time,gpu\n", R"(trace:1:6: unknown column "gpu" (did you mean gpus?))"},
      {"time,time\n", "trace:1:6: time: this column comes twice"},
      {"name,cpu\n", "trace:1: there is no column time (it says when each work arrives)"},
      {"time,cpu\n0\n", "trace:2: has 1 field, but the header names 2 columns"},
      {"time,name\n5,a\n4,b\n",
       "trace:3:1: time: 4 is before 5, the time of the work before it (sort the trace by time)"},
      {"time\n,\n", "trace:2: has 2 fields, but the header names 1 column"},
      {"time,cpu\n,1\n", "trace:2:1: time: is missing (when it arrives, in seconds, say)"},
      {"time\nsoon\n", R"(trace:2:1: time: "soon" is no span of time; write seconds or 1h30m)"},
      {"time\n-1\n", R"(trace:2:1: time: "-1" is no span of time; write seconds or 1h30m)"},
      {"time\n-1s\n", R"(trace:2:1: time: "-1s" is negative)"},
      {"time\n99999999999\n", R"(trace:2:1: time: "99999999999" is more than a hundred years)"},
      {"time\n2026-01-01T00:00:00Z\n9026-01-01T00:00:00Z\n",
       R"(trace:3:1: time: "9026-01-01T00:00:00Z" is more than a hundred years)"},
      {"time\n0\n2026-01-01T00:00:00Z\n",
       R"(trace:3:1: time: "2026-01-01T00:00:00Z" is a date, where the times before are spans)"},
      {"time\n2026-01-01T00:00:00Z\n5\n", R"(trace:3:1: time: "5" is a span, where the times before are dates)"},
      {"time,deleted\n5,4\n", "trace:2:3: deleted: 4 is before 5, its time of arrival"},
      {"time,name\n0,a\n1,a\n", R"(trace:3:3: name: "a" comes twice)"},
      {"time,pods\n0,0\n", R"(trace:2:3: pods: "0" is no number of pods (write a whole number, 1 to 100000))"},
      {"time,gang\n0,yes\n", R"(trace:2:3: gang: "yes" is neither true nor false)"},
      {"time,cpu\n0,four\n", R"(trace:2:3: cpu: "four" is no quantity (write 4, 500m or 16Gi))"},
      {"time,cpu\n0,-1\n", R"(trace:2:3: cpu: "-1" is negative)"},
      {"time,gpus,nvidia.com/gpu\n0,1,1\n", "trace:2:5: nvidia.com/gpu: nvidia.com/gpu is asked for twice"},
      {"time,priority\n0,99999999999\n",
       R"(trace:2:3: priority: "99999999999" is no priority (write a whole number of 32 bits, or the name of a )"
       "PriorityClass)"},
      {"time,selector\n0,zone\n", R"(trace:2:3: selector: "zone" selects nothing (write key=value;key=value))"},
      {"time,tolerations\n0,a:Never\n",
       R"(trace:2:3: tolerations: "a:Never" names no effect of taints (write key=value:NoSchedule;key:NoExecute;key))"},
      {"time,class\n0,a\"b\n",
       R"(trace:2:4: a quote inside a field without (put the field in quotes, and write quotes in it twice: "a ""b"""))"},
      {"time,class\n0,\"a\nb\n", "trace:2:3: a quote is opened here and never closed"},
      {"time,class\n0,\"a\" b\n",
       "trace:2:6: text behind the quote that ends a field (a quote inside a field is written twice)"},
  };
  for (const auto& [text, error] : faults) EXPECT_EQ(read_all(std::string(text)).error, error) << text;
}

TEST(CsvWork, WhatAnApiServerWouldRefuseIsRefusedWithItsWords) {
  EXPECT_EQ(read_all("time,gpus\n0,1\n1,0.5\n").error, R"(trace:3:3: gpus: Invalid value: "500m": must be an integer)");
  EXPECT_EQ(read_all("time,tenant\n0,Team_A\n").error.substr(0, 50),
            R"(trace:2:3: tenant: "Team_A" is no namespace (a low)");
  EXPECT_EQ(read_all("time,selector\n0,a b=c\n").error.substr(0, 42), R"(trace:2:3: selector: Invalid value: "a b":)");
}

TEST(CsvWork, WorksBeforeAnErrorWereRead) {
  const WorksRead read = read_all("time\n0\n1\nx\n");
  EXPECT_EQ(read.works.size(), 2u);
  EXPECT_NE(read.error, "");
}

TEST(CsvWork, AnEmptyTraceHasNoWorks) {
  for (const std::string text : {"", "\n", "time\n", "time,cpu\n\n"}) {
    const WorksRead read = read_all(text);
    EXPECT_EQ(read.error, "") << text;
    EXPECT_TRUE(read.works.empty()) << text;
  }
}

}  // namespace
}  // namespace loadline::trace
