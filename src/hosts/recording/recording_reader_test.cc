#include "hosts/recording/recording_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "hosts/recording/line.h"

namespace loadline::recording {
namespace {

using ::testing::HasSubstr;

std::string header() { return header_line({"loadline 0.1.0", {}}, {}) + "\n"; }
constexpr const char* kSection = "{\"section\":1,\"at\":\"2026-01-01T00:00:00.000000000Z\"}\n";

/// What is said of the first thing that is wrong; empty: nothing is.
std::string fault_of(const std::string& text) {
  std::istringstream stream(text);
  RecordingReader reader(stream, "r.jsonl");
  if (const auto header = reader.header(); !header) return header.error().front().to_string();
  while (true) {
    const auto line = reader.next();
    if (!line) return line.error().front().to_string();
    if (!*line) return {};
  }
}

TEST(RecordingReader, FirstLines) {
  EXPECT_EQ(fault_of(""), "r.jsonl:1:1: error: an empty file is no recording");
  EXPECT_EQ(fault_of("{"), "r.jsonl:1:1: error: the first line is cut off");
  EXPECT_EQ(fault_of("{}\n"),
            "r.jsonl:1:1: error: no recording (its first line begins with {\"format\":\"loadline-recording/v2\")");
  EXPECT_EQ(
      fault_of("{\"format\":\"loadline-recording/v1\"}\n"),
      "r.jsonl:1:11: error: format: a recording of the version \"loadline-recording/v1\" (this version of Loadline "
      "reads \"loadline-recording/v2\")");
  EXPECT_THAT(fault_of("apiVersion: v1\n"), HasSubstr("r.jsonl:1:1: error: "));
  EXPECT_EQ(fault_of("{\"format\":\"loadline-recording/v2\"}\n"),
            "r.jsonl:1:1: error: version: a text is missing here");
  EXPECT_EQ(fault_of(header()), "");
}

TEST(RecordingReader, HeadersSayWhatTheSchedulerWasAskedFor) {
  scheduler::SchedulingOptions options;
  options.policy = engine::policy_of(kube::PolicyBase::kParity);
  options.policy->gang.backfill_depth = 7;
  options.configuration.profiles[0].args.preemption.min_candidate_nodes_percentage = 0;
  std::istringstream stream(header_line({"loadline 9", {.workload_with_job = true}}, options) + "\n");
  RecordingReader reader(stream, "r.jsonl");
  const auto header = reader.header();
  ASSERT_TRUE(header) << header.error().front().to_string();
  EXPECT_EQ(header->version, "loadline 9");
  EXPECT_EQ(header->policy, options.policy);
  EXPECT_EQ(header->configuration.profiles.at(0).args.preemption.min_candidate_nodes_percentage, 0);
  EXPECT_TRUE(header->foreign.empty());
  EXPECT_EQ(header->scope, options.scope);
}

TEST(RecordingReader, HeadersSayWhetherThereAreQueues) {
  const auto read = [](const std::string& line) {
    std::istringstream stream(line + "\n");
    return RecordingReader(stream, "r.jsonl").header();
  };
  scheduler::SchedulingOptions options;
  EXPECT_TRUE(read(header_line({"loadline 9", {}}, options))->has_kueue);
  options.has_kueue = false;
  std::string line = header_line({"loadline 9", {}}, options);
  EXPECT_FALSE(read(line)->has_kueue);
  EXPECT_TRUE(read(line)->has_rounds);
  const std::size_t begin = line.find("\"kueue\":false");
  std::string faulty = line;
  EXPECT_EQ(read(faulty.replace(begin, 13, "\"kueue\":0")).error().front().message, "true or false is missing here");
  EXPECT_TRUE(read(line.erase(begin - 1, 14))->has_kueue) << "as it was when it was made";
  EXPECT_FALSE(read(line)->has_rounds);
}

TEST(RecordingReader, HeadersSayWhichConfigMapsCount) {
  const auto read = [](const std::string& line) {
    std::istringstream stream(line + "\n");
    return RecordingReader(stream, "r.jsonl").header();
  };
  scheduler::SchedulingOptions options;
  for (const kube::ConfigurationScope& scope :
       {kube::ConfigurationScope{kube::CountedConfigMaps::kOfOneNamespace, "team", true},
        kube::ConfigurationScope{kube::CountedConfigMaps::kAll, "", true},
        kube::ConfigurationScope{kube::CountedConfigMaps::kNone, "", false}}) {
    options.scope = scope;
    EXPECT_EQ(read(header_line({"loadline 9", {}}, options))->scope, scope);
  }
  std::string old = header_line({"loadline 9", {}}, options);
  const std::size_t begin = old.find(",\"configMaps\"");
  old.erase(begin, old.find('}', begin) + 1 - begin);
  EXPECT_EQ(read(old)->scope.config_maps, kube::CountedConfigMaps::kAll) << "as it was when it was made";
  EXPECT_TRUE(read(old)->scope.replaces_default);
  old.insert(begin, ",\"configMaps\":{\"count\":1}");
  EXPECT_THAT(read(old).error().front().to_string(),
              HasSubstr("scheduler.configMaps.count: true or false is missing here"));
}

TEST(RecordingReader, ExtendersAreForeign) {
  scheduler::SchedulingOptions options;
  kube::Extender extender;
  extender.url_prefix = "http://localhost:1";
  options.configuration.profiles[0].extenders = {extender};
  const auto foreign = [&] {
    std::istringstream stream(header_line({"loadline 9", {}}, options) + "\n");
    return RecordingReader(stream, "r.jsonl").header()->foreign;
  };
  EXPECT_THAT(foreign(), ::testing::IsEmpty());  // they are not called
  options.configuration.profiles[0].extenders[0].managed_resources = {{"example.com/x", true}};
  EXPECT_THAT(foreign(), ::testing::ElementsAre("extender http://localhost:1"));
}

struct BadLine {
  std::string line;
  std::string fault;  // behind "r.jsonl:3:"
};

class BadLines : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadLines, AreNamedWithTheirPlace) {
  EXPECT_EQ(fault_of(header() + kSection + GetParam().line + "\n"), "r.jsonl:3:" + GetParam().fault);
}

std::string at(const std::string& members) { return R"({"at":"2026-01-01T00:00:01Z")" + members; }

INSTANTIATE_TEST_SUITE_P(
    All, BadLines,
    ::testing::Values(
        BadLine{"[]", "1: error: no line of a recording (each line is one JSON object)"},
        BadLine{"{} {}", "1: error: no line of a recording (each line is one JSON object)"},
        BadLine{"", "1: error: no line of a recording (each line is one JSON object)"},
        BadLine{"{}", "1: error: the line does not say what it is about"},
        BadLine{at("}"), "1: error: the line does not say what it is about"},
        BadLine{at(R"(,"puts":"pods"})"),
                "37: error: puts: no line of a recording begins like this (did you mean \"put\"?)"},
        BadLine{R"({"put":"pods"})", "8: error: put: the time is missing"},
        BadLine{at(R"(,"decided":"a/b"})"), "40: error: decided: this line has no time"},
        BadLine{at(R"(,"round":1,"workload":"a/b"})"), "38: error: round: this line has no time"},
        BadLine{R"({"round":-1,"workload":"a/b"})", "10: error: round: a count is missing here"},
        BadLine{R"({"round":1})", "1: error: workload: a text is missing here"},
        BadLine{R"({"at":"yesterday","start":true})",
                "7: error: at: no time (write it like \"2026-01-01T00:00:00.000000000Z\")"},
        BadLine{R"({"at":"1969-12-31T23:59:59Z","start":true})", "7: error: at: a time before 1970, or after 2199"},
        BadLine{R"({"at":"9999-12-31T23:59:59Z","start":true})", "7: error: at: a time before 1970, or after 2199"},
        BadLine{at(R"(,"answer":1,"object":7})"), "50: error: object: an object is missing here"},
        BadLine{at(R"(,"put":7,"object":{"metadata":{"name":"a"}}})"), "36: error: put: a text is missing here"},
        BadLine{at(R"(,"put":"pods"})"), "1: error: object: an object is missing here"},
        BadLine{at(R"(,"put":"pods","object":{}})"), "52: error: object.metadata.name: an object has a name"},
        BadLine{at(R"(,"put":"pods","object":{"metadata":{"name":"a"}}})"), "52: error: object.spec: a pod has a spec"},
        BadLine{at(R"(,"put":"pods","put":"pods"})"),
                "43: error: duplicate field \"put\" (set at r.jsonl:3:30 before; remove one of the two)"},
        BadLine{at(R"(,"gone":"pods"})"), "1: error: name: a text is missing here"},
        BadLine{at(R"(,"ran":-1})"), "36: error: ran: a count is missing here"},
        BadLine{at(R"(,"answer":1})"), "1: error: answer: an answer has an object, or a status that says no"},
        BadLine{at(R"(,"answer":1,"status":{}})"), "50: error: status.code: a number is missing here"},
        BadLine{at(R"(,"answer":1,"status":{"code":123456}})"), "58: error: status.code: no status of HTTP"},
        BadLine{at(R"(,"end":true})"), "1: error: lines: a count is missing here"}));

/// Of a file without line feeds no more is read than a line may have.
TEST(RecordingReader, ALineIsBounded) {
  const std::string begin = at(R"(,"wake":true,"x":")");
  EXPECT_EQ(fault_of(header() + kSection + begin + std::string(kLongestLine - begin.size() - 2, 'x') + "\"}\n"), "");
  EXPECT_EQ(fault_of(header() + kSection + std::string(kLongestLine + 1, 'x') + "\n"),
            "r.jsonl:3:1: error: a line of more than 16 MiB (each line of a recording is an input or an output of its "
            "scheduler)");
  std::istringstream stream(std::string(3 * kLongestLine, 'x'));
  RecordingReader reader(stream, "r.jsonl");
  EXPECT_FALSE(reader.header());
  EXPECT_LT(static_cast<std::size_t>(stream.tellg()), kLongestLine + (std::size_t{1} << 20));
}

/// A block of the file may end anywhere in a line.
TEST(RecordingReader, LinesOfAnyLengthAreRead) {
  std::string text = header() + kSection;
  for (std::size_t size = 16'300; size < 16'420; ++size) {
    const std::string begin = at(R"(,"wake":true,"x":")");
    text += begin + std::string(size - begin.size(), 'x') + "\"}\n";
  }
  EXPECT_EQ(fault_of(text), "");
}

TEST(RecordingReader, OutputsHaveTheTimeOfTheInputBefore) {
  std::istringstream stream(header() + kSection + at(",\"wake\":true}\n") + R"({"decided":"a/b","node":"n"})" + "\n" +
                            R"({"request":1,"ver)");
  RecordingReader reader(stream, "r.jsonl");
  ASSERT_TRUE(reader.header());
  EXPECT_EQ((*reader.next())->kind, LineKind::kSection);
  EXPECT_EQ((*reader.next())->kind, LineKind::kWake);
  const auto decided = *reader.next();
  EXPECT_EQ(decided->subject, "a/b");
  EXPECT_EQ(decided->number, 4U);
  EXPECT_EQ(decided->text, R"({"decided":"a/b","node":"n"})");
  EXPECT_EQ(format_at(decided->at), "2026-01-01T00:00:01.000000000Z");
  EXPECT_FALSE(reader.is_cut());
  EXPECT_FALSE(*reader.next());
  EXPECT_TRUE(reader.is_cut());
}

TEST(Line, TimesHaveAllTheirNanoseconds) {
  EXPECT_EQ(format_at(Instant{1'767'225'600'000'000'007}), "2026-01-01T00:00:00.000000007Z");
  EXPECT_EQ(format_at(Instant{-1}), "1969-12-31T23:59:59.999999999Z");
}

}  // namespace
}  // namespace loadline::recording
