#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tidy/layers.h"
#include "tidy/rules.h"
#include "tidy/source_file.h"

namespace loadline::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const SourceFiles& repository() {
  static const SourceFiles* const sources = new SourceFiles(read_sources(LOADLINE_SOURCE_DIR));
  return *sources;
}

std::string report(const Findings& findings) {
  std::string text;
  for (const std::string& finding : findings) text += "\n  " + finding;
  return text;
}

/// The repository keeps a rule. The message is the list of places that do not.
void expect_kept(Findings (*rule)(const SourceFiles&)) {
  const Findings findings = rule(repository());
  EXPECT_TRUE(findings.empty()) << report(findings);
}

SourceFile file(std::string path, std::string_view text) { return {std::move(path), text}; }

TEST(Repository, IsRead) { EXPECT_GT(repository().size(), 20u); }
TEST(Repository, ArrowsPointDown) { expect_kept(check_layers); }
TEST(Repository, TheBrainCannotAct) { expect_kept(check_brain); }
TEST(Repository, ReasonsAreValues) { expect_kept(check_wording); }
TEST(Repository, HeadersAreReadOnce) { expect_kept(check_pragma_once); }
TEST(Repository, FilesAreShort) { expect_kept(check_length); }
TEST(Repository, NamesNameAnIdea) { expect_kept(check_names); }
TEST(Repository, EachLibraryHasOneOwner) { expect_kept(check_third_parties); }
TEST(Repository, NoStaticObjectHasADestructor) { expect_kept(check_static_objects); }
TEST(Repository, NoHeaderIsDead) { expect_kept(check_dead_headers); }
TEST(Repository, NothingIsLeftForLater) { expect_kept(check_words); }

TEST(Repository, RoomsLinkOnlyWhatTheyMayInclude) {
  const std::filesystem::path source_root = std::filesystem::path(LOADLINE_SOURCE_DIR) / "src";
  for (const auto& wing : std::filesystem::directory_iterator(source_root)) {
    for (const auto& entry : std::filesystem::directory_iterator(wing.path())) {
      if (!entry.is_directory()) continue;
      const std::string room = std::filesystem::relative(entry.path(), source_root).generic_string();
      EXPECT_TRUE(is_known_room(room)) << "src/" << room << " has no line in tests/tidy/layers.cc";
      for (const std::string& linked : linked_rooms(read_text(entry.path() / "CMakeLists.txt"))) {
        EXPECT_TRUE(may_include(room, linked)) << room << " may not link " << linked;
      }
    }
  }
}

TEST(Layers, AreInOrder) { EXPECT_EQ(table_fault(), ""); }

TEST(Layers, ReachEverythingBelowAndNothingAbove) {
  EXPECT_TRUE(may_include("brain/cluster", "brain/cluster"));
  EXPECT_TRUE(may_include("brain/cluster", "foundation/base"));
  EXPECT_TRUE(may_include("app/cli", "brain/admission"));
  EXPECT_FALSE(may_include("foundation/base", "foundation/document"));
  EXPECT_FALSE(may_include("brain/placement", "brain/admission"));
  EXPECT_FALSE(may_include("brain/cluster", "brain/nowhere"));
  EXPECT_FALSE(may_include("brain/nowhere", "foundation/base"));
}

TEST(Layers, AreReadFromWhatARoomLinks) {
  EXPECT_THAT(linked_rooms("loadline_module(cli DEPENDS report\n  embedded LIBRARIES base::x)\nadd(kube)"),
              ElementsAre("app/report", "hosts/embedded"));
  EXPECT_THAT(linked_rooms("loadline_module(base)"), IsEmpty());
}

TEST(Rules, FindAnIncludeThatPointsUp) {
  EXPECT_THAT(check_layers({file("src/foundation/base/a.h", "#pragma once\n#include \"objects/kube/b.h\"\n"),
                            file("src/objects/kube/b.h", "")}),
              ElementsAre("src/foundation/base/a.h:2: foundation/base may not include from objects/kube"));
  EXPECT_THAT(check_layers({file("src/objects/kube/a.h", "#include \"foundation/base/b.h\"\n"),
                            file("src/foundation/base/b.h", "")}),
              IsEmpty());
}

TEST(Rules, LetTestsLookUpWithinTheirWing) {
  const std::string_view include = "#include \"brain/engine/b.h\"\n";
  const SourceFile engine = file("src/brain/engine/b.h", "");
  EXPECT_THAT(check_layers({file("src/brain/placement/a_test.cc", include), engine}), IsEmpty());
  EXPECT_THAT(check_layers({file("src/brain/placement/testing/a.h", include), engine}), IsEmpty());
  EXPECT_EQ(check_layers({file("src/brain/placement/a.cc", include), engine}).size(), 1u);
  EXPECT_EQ(check_layers({file("src/objects/kube/a_test.cc", include), engine}).size(), 1u);
}

TEST(Rules, FindAnIncludeThatIsNotWrittenFromSrc) {
  EXPECT_THAT(
      check_layers({file("src/foundation/base/a.cc", "#include \"a.h\"\n"), file("src/foundation/base/a.h", "")}),
      ElementsAre("src/foundation/base/a.cc:1: \"a.h\" is no file of src (write the path from src/)"));
}

TEST(Rules, FindARoomWithoutAPlace) {
  EXPECT_THAT(check_layers({file("src/attic/a.h", "")}),
              ElementsAre("src/attic/a.h: its room \"\" has no line in tests/tidy/layers.cc"));
}

TEST(Rules, FindABrainThatCouldAct) {
  EXPECT_THAT(
      check_brain({file("src/brain/cluster/a.cc", "#include <map>\n#include <thread>\n"),
                   file("src/brain/cluster/b.h", "#include \"foundation/base/event_loop.h\"\n"),
                   file("src/brain/cluster/c.h", "#include <sys/stat.h>\n#include \"foundation/base/time.h\"\n"),
                   file("src/brain/cluster/d_test.cc", "#include <thread>\n"),
                   file("src/hosts/control/e.cc", "#include <thread>\n")}),
      ElementsAre("src/brain/cluster/a.cc:2: the brain decides and does not act: thread",
                  "src/brain/cluster/b.h:1: the brain decides and does not act: foundation/base/event_loop.h",
                  "src/brain/cluster/c.h:1: the brain decides and does not act: sys/stat.h"));
}

TEST(Rules, FindWordsOfReasonsWhereUnitsAreDecided) {
  EXPECT_THAT(check_wording({file("src/brain/engine/a.cc", "#include <map>\n#include <fmt/format.h>\n"),
                             file("src/brain/gang/b_text.cc", "#include <fmt/format.h>\n"),
                             file("src/brain/engine/policy.cc", "#include <fmt/format.h>\n"),
                             file("src/brain/gang/c_test.cc", "#include <fmt/format.h>\n"),
                             file("src/brain/placement/d.cc", "#include <fmt/format.h>\n")}),
              ElementsAre("src/brain/engine/a.cc:2: words of reasons are made in a *_text.cc: fmt/format.h"));
}

TEST(Rules, FindAHeaderWithoutPragmaOnce) {
  EXPECT_THAT(
      check_pragma_once({file("src/foundation/base/a.h", "int a();\n"),
                         file("src/foundation/base/b.h", "\n#pragma once\n"), file("src/foundation/base/a.cc", "")}),
      ElementsAre("src/foundation/base/a.h: a header without #pragma once"));
}

TEST(Rules, FindAFileThatIsTooLong) {
  const std::string longest(600, '\n');
  EXPECT_THAT(check_length({file("src/foundation/base/a.h", longest), file("src/foundation/base/b.h", longest + "\n")}),
              ElementsAre("src/foundation/base/b.h: 601 lines, and 600 are allowed: look for the second idea in it"));
}

TEST(Rules, FindNamesWithoutAnIdea) {
  EXPECT_THAT(check_names({file("src/foundation/base/string_utils.h", ""), file("src/common/a.h", ""),
                           file("src/foundation/base/MyFile.h", ""), file("src/foundation/base/commonality.h", ""),
                           file("src/foundation/base/dense_set_test.cc", "")}),
              ElementsAre("src/foundation/base/string_utils.h: 'string_utils' names no idea; what does it hold?",
                          "src/common/a.h: 'common' names no idea; what does it hold?",
                          "src/foundation/base/MyFile.h: 'MyFile' is not snake_case"));
}

TEST(Rules, FindALibraryWithTwoOwners) {
  const std::string_view yaml = "#include <yaml.h>\n#include <vector>\n#include <fmt/format.h>\n";
  EXPECT_THAT(
      check_third_parties({file("src/foundation/document/a.cc", yaml), file("src/foundation/document/b.cc", yaml)}),
      IsEmpty());
  EXPECT_THAT(
      check_third_parties({file("src/foundation/document/a.cc", yaml), file("src/objects/kube/b.cc", yaml)}),
      ElementsAre("src/foundation/document/a.cc:1: <yaml.h> is included from 2 rooms; let one of them own the library",
                  "src/objects/kube/b.cc:1: <yaml.h> is included from 2 rooms; let one of them own the library"));
}

TEST(Rules, FindStaticObjectsWithDestructors) {
  for (const std::string_view line :
       {"static const std::map<int, int> kTable = {{1, 2}};", "std::string name;", "const std::vector<int> kAll{1, 2};",
        "  static std::unordered_map<std::string, int> cache;", "  static const auto kRules = make_rules();"}) {
    EXPECT_EQ(check_static_objects({file("src/foundation/base/a.cc", line)}).size(), 1u) << line;
  }
}

TEST(Rules, LeaveOtherObjectsAndFunctionsAlone) {
  for (const std::string_view line :
       {"  std::string name;", "std::string name(int number) {", "static std::vector<int> all();",
        "constexpr std::string_view kName = \"a\";", "  static constexpr std::array<int, 2> kTwo = {1, 2};",
        "std::optional<Instant> parse(std::string_view text) {", "  static const auto* const kRules = new Rules();",
        "std::string Name::text() const {"}) {
    EXPECT_THAT(check_static_objects({file("src/foundation/base/a.cc", line)}), IsEmpty()) << line;
  }
}

TEST(Rules, FindAHeaderThatOnlyItsOwnBodyIncludes) {
  const std::string_view include = "#include \"foundation/base/a.h\"\n";
  const SourceFiles alone = {file("src/foundation/base/a.cc", include), file("src/foundation/base/a.h", ""),
                             file("src/foundation/base/a_test.cc", include)};
  EXPECT_THAT(check_dead_headers(alone),
              ElementsAre("src/foundation/base/a.h: nothing but its own body and test includes it"));
  SourceFiles used = alone;
  used.push_back(file("fuzz/a.cc", include));
  EXPECT_THAT(check_dead_headers(used), IsEmpty());
}

TEST(Rules, FindWhatIsLeftForLater) {
  EXPECT_THAT(check_words({file("src/foundation/base/a.cc", "// TODO: more\nint TODOS;\n")}),
              ElementsAre("src/foundation/base/a.cc:1: TODO: do it now, or write an issue"));
}

TEST(Rules, FindPathsOfOneMachine) {
  EXPECT_THAT(check_words({file("src/foundation/base/a.cc", "open(\"/home/me/x\");\nopen(\"../home/me\");\n")}),
              ElementsAre("src/foundation/base/a.cc:1: a path into /home/ of one machine"));
}

}  // namespace
}  // namespace loadline::tidy
