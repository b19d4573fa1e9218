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
TEST(Repository, HeadersAreReadOnce) { expect_kept(check_pragma_once); }
TEST(Repository, FilesAreShort) { expect_kept(check_length); }
TEST(Repository, NamesNameAnIdea) { expect_kept(check_names); }
TEST(Repository, EachLibraryHasOneOwner) { expect_kept(check_third_parties); }
TEST(Repository, NoStaticObjectHasADestructor) { expect_kept(check_static_objects); }
TEST(Repository, NoHeaderIsDead) { expect_kept(check_dead_headers); }
TEST(Repository, NothingIsLeftForLater) { expect_kept(check_words); }

TEST(Repository, FoldersLinkOnlyWhatTheyMayInclude) {
  const std::filesystem::path source_root = std::filesystem::path(LOADLINE_SOURCE_DIR) / "src";
  for (const auto& entry : std::filesystem::directory_iterator(source_root)) {
    const std::string folder = entry.path().filename().string();
    EXPECT_TRUE(is_known_folder(folder)) << "src/" << folder << " has no line in tests/tidy/layers.cc";
    for (const std::string& linked : linked_folders(read_text(entry.path() / "CMakeLists.txt"))) {
      EXPECT_TRUE(may_include(folder, linked)) << folder << " may not link " << linked;
    }
  }
}

TEST(Layers, ReachEverythingBelowAndNothingAbove) {
  EXPECT_TRUE(may_include("cluster", "cluster"));
  EXPECT_TRUE(may_include("cluster", "base"));
  EXPECT_TRUE(may_include("cli", "admission"));
  EXPECT_FALSE(may_include("base", "document"));
  EXPECT_FALSE(may_include("placement", "admission"));
  EXPECT_FALSE(may_include("cluster", "nowhere"));
  EXPECT_FALSE(may_include("nowhere", "base"));
}

TEST(Layers, AreReadFromWhatAFolderLinks) {
  EXPECT_THAT(linked_folders("loadline_module(cli DEPENDS report\n  conformance LIBRARIES base::x)\nadd(kube)"),
              ElementsAre("report", "conformance"));
  EXPECT_THAT(linked_folders("loadline_module(base)"), IsEmpty());
}

TEST(Rules, FindAnIncludeThatPointsUp) {
  EXPECT_THAT(check_layers({file("src/base/a.h", "#pragma once\n#include \"kube/b.h\"\n"), file("src/kube/b.h", "")}),
              ElementsAre("src/base/a.h:2: base may not include from kube"));
  EXPECT_THAT(check_layers({file("src/kube/a.h", "#include \"base/b.h\"\n"), file("src/base/b.h", "")}), IsEmpty());
}

TEST(Rules, FindAnIncludeThatIsNotWrittenFromSrc) {
  EXPECT_THAT(check_layers({file("src/base/a.cc", "#include \"a.h\"\n"), file("src/base/a.h", "")}),
              ElementsAre("src/base/a.cc:1: \"a.h\" is no file of src (write the path from src/)"));
}

TEST(Rules, FindAFolderWithoutAPlace) {
  EXPECT_THAT(check_layers({file("src/attic/a.h", "")}),
              ElementsAre("src/attic/a.h: folder src/attic has no line in tests/tidy/layers.cc"));
}

TEST(Rules, FindAHeaderWithoutPragmaOnce) {
  EXPECT_THAT(check_pragma_once({file("src/base/a.h", "int a();\n"), file("src/base/b.h", "\n#pragma once\n"),
                                 file("src/base/a.cc", "")}),
              ElementsAre("src/base/a.h: a header without #pragma once"));
}

TEST(Rules, FindAFileThatIsTooLong) {
  const std::string longest(600, '\n');
  EXPECT_THAT(check_length({file("src/base/a.h", longest), file("src/base/b.h", longest + "\n")}),
              ElementsAre("src/base/b.h: 601 lines, and 600 are allowed: look for the second idea in it"));
}

TEST(Rules, FindNamesWithoutAnIdea) {
  EXPECT_THAT(
      check_names({file("src/base/string_utils.h", ""), file("src/common/a.h", ""), file("src/base/MyFile.h", ""),
                   file("src/base/commonality.h", ""), file("src/base/dense_set_test.cc", "")}),
      ElementsAre("src/base/string_utils.h: 'string_utils' names no idea; what does it hold?",
                  "src/common/a.h: 'common' names no idea; what does it hold?",
                  "src/base/MyFile.h: 'MyFile' is not snake_case"));
}

TEST(Rules, FindALibraryWithTwoOwners) {
  const std::string_view yaml = "#include <yaml.h>\n#include <vector>\n#include <fmt/format.h>\n";
  EXPECT_THAT(check_third_parties({file("src/document/a.cc", yaml), file("src/document/b.cc", yaml)}), IsEmpty());
  EXPECT_THAT(check_third_parties({file("src/document/a.cc", yaml), file("src/kube/b.cc", yaml)}),
              ElementsAre("src/document/a.cc:1: <yaml.h> is included from 2 folders; let one of them own the library",
                          "src/kube/b.cc:1: <yaml.h> is included from 2 folders; let one of them own the library"));
}

TEST(Rules, FindStaticObjectsWithDestructors) {
  for (const std::string_view line :
       {"static const std::map<int, int> kTable = {{1, 2}};", "std::string name;", "const std::vector<int> kAll{1, 2};",
        "  static std::unordered_map<std::string, int> cache;", "  static const auto kRules = make_rules();"}) {
    EXPECT_EQ(check_static_objects({file("src/base/a.cc", line)}).size(), 1u) << line;
  }
}

TEST(Rules, LeaveOtherObjectsAndFunctionsAlone) {
  for (const std::string_view line :
       {"  std::string name;", "std::string name(int number) {", "static std::vector<int> all();",
        "constexpr std::string_view kName = \"a\";", "  static constexpr std::array<int, 2> kTwo = {1, 2};",
        "std::optional<Instant> parse(std::string_view text) {", "  static const auto* const kRules = new Rules();",
        "std::string Name::text() const {"}) {
    EXPECT_THAT(check_static_objects({file("src/base/a.cc", line)}), IsEmpty()) << line;
  }
}

TEST(Rules, FindAHeaderThatOnlyItsOwnBodyIncludes) {
  const std::string_view include = "#include \"base/a.h\"\n";
  const SourceFiles alone = {file("src/base/a.cc", include), file("src/base/a.h", ""),
                             file("src/base/a_test.cc", include)};
  EXPECT_THAT(check_dead_headers(alone), ElementsAre("src/base/a.h: nothing but its own body and test includes it"));
  SourceFiles used = alone;
  used.push_back(file("fuzz/a.cc", include));
  EXPECT_THAT(check_dead_headers(used), IsEmpty());
}

TEST(Rules, FindWhatIsLeftForLater) {
  EXPECT_THAT(check_words({file("src/base/a.cc", "// TODO: more\nint TODOS;\n")}),
              ElementsAre("src/base/a.cc:1: TODO: do it now, or write an issue"));
}

TEST(Rules, FindPathsOfOneMachine) {
  EXPECT_THAT(check_words({file("src/base/a.cc", "open(\"/home/me/x\");\nopen(\"../home/me\");\n")}),
              ElementsAre("src/base/a.cc:1: a path into /home/ of one machine"));
}

}  // namespace
}  // namespace loadline::tidy
