#include "hosts/trace/work_writer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hosts/trace/generator.h"
#include "hosts/trace/pod_of_one_container.h"
#include "hosts/trace/testing/works.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::trace {
namespace {

using Write = Result<std::size_t> (*)(WorkSource&, std::ostream&);

void expect_equal(const Work& a, const Work& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.arrives, b.arrives) << a.name;
  EXPECT_EQ(a.run_time, b.run_time) << a.name;
  EXPECT_EQ(a.estimate, b.estimate) << a.name;
  EXPECT_EQ(a.deleted, b.deleted) << a.name;
  EXPECT_EQ(a.is_gang, b.is_gang) << a.name;
  EXPECT_EQ(a.work_class, b.work_class) << a.name;
  EXPECT_EQ(a.tenant, b.tenant) << a.name;
  ASSERT_EQ(a.pods.size(), b.pods.size()) << a.name;
  EXPECT_EQ(a.pods.front().count, b.pods.front().count) << a.name;
  EXPECT_EQ(row_of(*a.pods.front().pod), row_of(*b.pods.front().pod)) << a.name;
  EXPECT_EQ(a.pods.front().pod->metadata.namespace_, b.pods.front().pod->metadata.namespace_) << a.name;
}

std::string written(const std::string& text, Write write) {
  const auto source = read_work(lines_of(text));
  std::ostringstream out;
  const auto count = write(**source, out);
  return count ? out.str() : count.error().message;
}

constexpr const char* kAllColumns =
    "time,name,pods,gpus,cpu,memory,duration,estimate,deleted,gang,class,tenant,priority,selector,tolerations\n"
    "0.125,a,4,8,96,1Ti,1.5,7200,86400,true,\"a, \"\"b\"\"\nc\",t,-5,pool=a;zone=z,gpu=yes:NoSchedule;spot\n"
    "1,b,1,,500m,,,,,false,,default,low,,\n";

TEST(WorkWriter, WhatIsWrittenIsReadBackEqual) {
  const WorksRead before = read_all(kAllColumns);
  ASSERT_EQ(before.error, "");
  for (const Write write : {write_csv, write_json_lines}) {
    const std::string text = written(kAllColumns, write);
    const WorksRead after = read_all(text);
    ASSERT_EQ(after.error, "") << text;
    ASSERT_EQ(after.works.size(), before.works.size());
    for (std::size_t i = 0; i < after.works.size(); ++i) expect_equal(before.works[i], after.works[i]);
    EXPECT_EQ(written(text, write), text) << "writing is stable";
  }
}

TEST(WorkWriter, GeneratedWorksAreReadBackEqual) {
  for (const Write write : {write_csv, write_json_lines}) {
    std::ostringstream out;
    ASSERT_EQ(write(**generate({.jobs = 3'000}), out).value(), 3'000u);
    const auto again = generate({.jobs = 3'000});
    const WorksRead read = read_all(out.str());
    ASSERT_EQ(read.error, "");
    ASSERT_EQ(read.works.size(), 3'000u);
    for (const Work& work : read.works) expect_equal(*(*again)->next().value(), work);
  }
}

TEST(WorkWriter, WhatAFormatCannotSayIsRefusedByTheWorksName) {
  const std::string dongle = "time,name,example.com/dongle\n0,a,1\n";
  EXPECT_EQ(written(dongle, write_csv),
            "work a: there is no column for example.com/dongle; JSON lines have fields for any resource");
  EXPECT_EQ(read_all(written(dongle, write_json_lines)).works.size(), 1u);
  const std::string openb = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\na,1,1,1,1000,T4\n";
  EXPECT_EQ(written(openb, write_csv), "work a: no row says a node affinity");
  EXPECT_EQ(written("time\n0\nx\n", write_csv), R"(trace:3:1: time: "x" is no span of time; write seconds or 1h30m)");
}

TEST(WorkWriter, ManifestsAreJobsWithTheirGangsClassesAndNamespaces) {
  const std::string manifests = written(kAllColumns, write_manifests);
  const kube::Decoding decoding = kube::decode_text(manifests);
  EXPECT_EQ(kube::lines_of(decoding.diagnostics), std::vector<std::string>{}) << manifests;
  const auto& jobs = decoding.objects.of<kube::Job>();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec.parallelism, 4);
  EXPECT_EQ(jobs[0].spec.template_.metadata.annotations.at("loadline.dev/run-time"), "1.5s");
  EXPECT_EQ(jobs[0].spec.template_.metadata.annotations.at("loadline.dev/expected-duration"), "7200s");
  EXPECT_EQ(jobs[0].spec.template_.spec->pod_group_name, "a");
  EXPECT_EQ(jobs[0].spec.template_.spec->priority_class_name, "priority-minus-5");
  EXPECT_EQ(jobs[1].spec.template_.spec->priority_class_name, "low");
  ASSERT_EQ(decoding.objects.of<kube::PodGroup>().size(), 1u);
  EXPECT_EQ(decoding.objects.of<kube::PodGroup>().front().policy.min_count, 4);
  ASSERT_EQ(decoding.objects.of<kube::PriorityClass>().size(), 1u);
  EXPECT_EQ(decoding.objects.of<kube::PriorityClass>().front().value, -5);
  EXPECT_EQ(decoding.objects.of<kube::Namespace>().size(), 1u);
}

}  // namespace
}  // namespace loadline::trace
