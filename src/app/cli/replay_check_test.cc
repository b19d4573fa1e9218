#include "app/cli/replay_check.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "app/cli/version.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/recording/recording.h"

namespace loadline::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A cluster that is recorded in memory.
class ReplayCheckTest : public embedded::testing::ClusterTest {
 protected:
  struct Said {
    int status = 0;
    std::string out;
    std::string err;
  };
  static Said check(const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    std::ostringstream err;
    Console console{in, out, err, {}, {}};
    const int status = check_recording("-", console);
    return {status, out.str(), err.str()};
  }

  std::string record(embedded::ClusterOptions options = {}) {
    std::string text;
    options.recording = std::make_shared<recording::Recording>([&](std::string_view lines) { text += lines; },
                                                               recording::RecordedProgram{version_text(), {}});
    start({embedded::testing::node("n1"), embedded::testing::node("n2")}, std::move(options));
    for (const char* name : {"web", "db"}) {
      apply(
          embedded::testing::kPods,
          fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}}}, spec: {{containers: [{{name: main, image: "
                      "x, resources: {{requests: {{cpu: '5'}}}}}}]}}}}",
                      name));
    }
    loop_.advance(Duration::seconds(5));
    client_.reset();
    cluster_.reset();
    return text;
  }
};

TEST_F(ReplayCheckTest, NothingDiffers) {
  const Said said = check(record());
  EXPECT_EQ(said.status, kDone);
  EXPECT_THAT(said.out, AllOf(HasSubstr(" 2 decisions, "), HasSubstr(" 1 scheduler: no difference\n")));
  EXPECT_EQ(said.err, "");
}

TEST_F(ReplayCheckTest, ADifferenceIsShown) {
  std::string text = record();
  const std::size_t decided = text.find("{\"decided\":\"default/db\"");
  const std::size_t node = text.find("\"node\":\"n", decided) + 9;
  const char right = text[node];
  text[node] = '7';
  const Said said = check(text);
  EXPECT_EQ(said.status, kNotAllPlaced);
  EXPECT_THAT(said.out, AllOf(StartsWith("<stdin>:"), HasSubstr(": pod default/db\n  recorded  {\"decided\":"),
                              HasSubstr("\"node\":\"n7\"}\n  now       {\"decided\""),
                              HasSubstr(std::string("\"node\":\"n") + right + "\"}\n"),
                              HasSubstr("1 scheduler: 1 difference\n")));
  EXPECT_EQ(said.err, "");
}

TEST_F(ReplayCheckTest, OfAnotherVersionADifferenceIsNoSurprise) {
  std::string text = record();
  text.replace(text.find(version_text()), version_text().size(), "loadline 9");
  EXPECT_EQ(check(text).err, "");
  text.replace(text.find("\"decided\":\"default/db\""), 22, "\"decided\":\"default/no\"");
  EXPECT_EQ(check(text).err, "note: the recording was made by loadline 9, and this is " + version_text() + "\n");
}

TEST_F(ReplayCheckTest, WhatIsCutOffIsSaid) {
  const std::string text = record();
  const Said said = check(text.substr(0, text.size() - 10));
  EXPECT_EQ(said.status, kDone);
  EXPECT_EQ(said.err, "<stdin>: warning: the last line is cut off and was left out\n");
  const Said whole_lines = check(text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_EQ(whole_lines.status, kDone);
  EXPECT_EQ(whole_lines.err, "<stdin>: warning: the recording stops before its scheduler ends\n");
}

TEST_F(ReplayCheckTest, OthersDecidedAlong) {
  embedded::ClusterOptions options;
  kube::Extender extender;
  extender.url_prefix = "http://localhost:1";
  extender.managed_resources = {{"example.com/x", true}};
  options.scheduler.profiles[0].extenders = {extender};
  const Said said = check(record(std::move(options)));
  EXPECT_EQ(said.status, kBadInput);
  EXPECT_THAT(said.err, AllOf(StartsWith("<stdin>: error: others than Loadline decided along"),
                              HasSubstr("extender http://localhost:1")));
}

TEST_F(ReplayCheckTest, WhatCannotBeRead) {
  EXPECT_EQ(check("[]\n").status, kBadInput);
  EXPECT_THAT(check("[]\n").err, StartsWith("<stdin>:1:"));
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, {}, {}};
  EXPECT_EQ(check_recording("/no/such/file", console), kBadInput);
  EXPECT_EQ(err.str(), "error: cannot read /no/such/file: No such file or directory\n");
}

/// Whatever passes through a file is what was written.
TEST_F(ReplayCheckTest, AFileHoldsIt) {
  const std::string path = ::testing::TempDir() + "recording.jsonl";
  std::ofstream(path) << "of yesterday, for all to read: " << std::string(1 << 20, 'x');
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  std::string complaint;
  {
    auto write = recording::open_recording_file(path, [&](const std::string& why) { complaint = why; });
    ASSERT_TRUE(write);
    (*write)(record());
  }
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, {}, {}};
  EXPECT_EQ(check_recording(path, console), kDone);
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  const auto nowhere = recording::open_recording_file("/no/such/folder/r.jsonl", [](const std::string&) {});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "cannot write /no/such/folder/r.jsonl: No such file or directory");
}

}  // namespace
}  // namespace loadline::cli
