#include "hosts/trace/open_work.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "foundation/document/gzip.h"
#include "hosts/trace/testing/works.h"

namespace loadline::trace {
namespace {

constexpr std::string_view kOpenb =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p,500,1024,1,460,A|B,LS,Running,3,7,4\n";

TEST(OpenWork, TheFirstLineTellsTheFormat) {
  EXPECT_EQ(read_all(std::string(kOpenb)).works.front().work_class, "LS");
  EXPECT_EQ(read_all("class,time\nx,1\n").works.front().work_class, "x");
  EXPECT_EQ(read_all(R"({"time": 1, "class": "y", "pod": {"cpu": 1}})").works.front().work_class, "y");
  EXPECT_EQ(read_all("job_id,submit\n1,2\n").error,
            "trace:1:1: is no trace that is known (openb's CSV, a CSV whose header names time, or JSON lines; see "
            "docs/traces.md)");
}

TEST(OpenWork, TheExampleOfTheDocumentationIsRead) {
  std::ifstream file("docs/traces.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find("time,name,");
  ASSERT_NE(begin, std::string::npos);
  const WorksRead read = read_all(text.substr(begin, text.find("```", begin) - begin));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.works.size(), 3u);
}

TEST(OpenWork, AMisspelledHeaderOfOursIsStillOurs) {
  EXPECT_EQ(read_all("tme,cpu\n0,1\n").error, R"(trace:1:1: unknown column "tme" (did you mean time?))");
}

TEST(OpenWork, GzipIsReadAsItStreamsSeveralMembersToo) {
  std::string rows = "time,cpu\n";
  for (int i = 0; i < 100'000; ++i) rows += std::to_string(i) + ",1\n";
  const std::string packed = document::compress_gzip(rows.substr(0, 1000)) + document::compress_gzip(rows.substr(1000));
  const WorksRead read = read_all(packed);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 100'000u);
  EXPECT_EQ(read.works.back().arrives, Duration::seconds(99'999));

  EXPECT_EQ(read_all(packed.substr(0, packed.size() - 9)).error, "trace: gzip data ends too early");
  std::string corrupt = document::compress_gzip(rows);
  for (std::size_t i = 50; i < 90; ++i) corrupt[i] = '\xff';
  EXPECT_EQ(read_all(corrupt).error.substr(0, 21), "trace: not valid gzip");
}

TEST(OpenWork, ADashIsStandardInput) {
  std::istringstream standard_input("time\nx\n");
  OpenWorkOptions options;
  options.standard_input = &standard_input;
  const auto source = open_work("-", options);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->next().error().message,
            R"(standard input:2:1: time: "x" is no span of time; write seconds or 1h30m)");
}

TEST(OpenWork, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(open_work("no/such/file").error().message, "no/such/file: No such file or directory");
  EXPECT_EQ(open_work(".").error().message, ".: is a folder, not a trace");
}

TEST(OpenWork, AFileWithoutLinesIsRefusedBeforeItFillsMemory) {
  EXPECT_EQ(read_all(std::string((std::size_t{17} << 20U), 'x')).error,
            "trace:1: a line of more than 16 MiB (a trace has a work on each line)");
}

}  // namespace
}  // namespace loadline::trace
