#include "hosts/extension/plugin_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "foundation/document/reader.h"

namespace loadline::extension {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string library(const std::string& name) { return LOADLINE_TEST_PLUGINS "/" + name + ".so"; }

std::string error_of(const std::string& file) {
  const auto loaded = PluginLibrary::load(file);
  return loaded ? "none" : loaded.error().message;
}

struct Fault {
  const char* name;
  const char* message;
};

class FaultyLibraries : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyLibraries, AreRefusedWithTheReason) {
  EXPECT_EQ(error_of(library(GetParam().name)), "plugin " + library(GetParam().name) + ": " + GetParam().message);
}

constexpr Fault kFaults[] = {
    {"missing", "there is no such file"},
    {"no_symbol", "it does not export loadline_plugin_v1, so it is no plugin"},
    {"null_plugin", "loadline_plugin_v1 returned null"},
    {"other_abi", "it is made for version 7 of the plugin interface, and this Loadline knows version 1"},
    {"other_entry_point", "it is made for version 3 of the plugin interface, and this Loadline knows version 1"},
    {"short_struct", "its struct_size is 16, and 64 is the least"},
    {"no_name", "it has no name"},
    {"no_score", "it has no score function"},
    {"odd_normalization", "its normalization is 3, which means nothing"},
    {"bad_name", "it calls itself \"two words\", and a name has letters, digits, '-', '_' and '.' only"},
    {"built_in_name", "it calls itself \"NodeResourcesFit\", which is a built-in plugin's name"},
    {"crashes_when_loaded", "it crashed with signal 6 (Aborted) while it was loaded"},
};
INSTANTIATE_TEST_SUITE_P(Each, FaultyLibraries, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(PluginLibrary, KnowsItsName) {
  const auto loaded = PluginLibrary::load(library("moody"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->name(), "Moody");
  EXPECT_TRUE((*loaded)->losses().empty());
}

TEST(PluginLibrary, ThatIsNoLibraryIsRefused) {
  EXPECT_THAT(error_of(LOADLINE_SOURCE_DIR "/README.md"), HasSubstr("README.md: it cannot be loaded: "));
  EXPECT_THAT(error_of(LOADLINE_SOURCE_DIR "/src"), HasSubstr("src: it is a folder"));
}

TEST(PluginLibrary, ThatHangsWhenLoadedIsGivenUp) {
  const auto loaded = PluginLibrary::load(library("hangs_when_loaded"), {std::chrono::milliseconds(200)});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("it did not answer within 200ms while it was loaded"));
}

TEST(Arguments, AreFlattenedByWhereTheyStand) {
  const document::Reading reading = document::read("{a: {b: [x, 2, {c: true}], d: null}, e: 1.5, '': z}", "f");
  EXPECT_THAT(flattened(reading.documents.at(0)), ElementsAre(Pair("", "z"), Pair("a.b.0", "x"), Pair("a.b.1", "2"),
                                                              Pair("a.b.2.c", "true"), Pair("e", "1.5")));
  EXPECT_THAT(flattened(document::Value("text")), ElementsAre(Pair("", "text")));
}

}  // namespace
}  // namespace loadline::extension
