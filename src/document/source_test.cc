#include "document/source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "document/gzip.h"

namespace loadline::document {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test of each process: tests run side by side.
class SourceTest : public testing::Test {
 protected:
  SourceTest() {
    root_ = fs::temp_directory_path() / ("loadline_source_" + std::to_string(std::random_device{}()) + "_" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~SourceTest() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }

  std::string gzipped(const std::string& text) const {
    const fs::path file = root_ / ".gzipped";
    gzFile stream = gzopen(file.c_str(), "wb9");
    gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
    gzclose(stream);
    std::stringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    fs::remove(file);
    return bytes.str();
  }

  Sources load(const std::vector<std::string>& arguments, const SourceLimits& limits = {}) {
    return load_sources(arguments, input_, limits);
  }

  /// "name=text" of each source below the test's folder.
  std::string listing(const Sources& sources) const {
    std::string text;
    for (const Source& source : sources.sources) {
      text += fs::path(source.name).lexically_relative(root_).string() + "=" + source.text + " ";
    }
    return text;
  }

  fs::path root_;
  std::istringstream input_;
};

TEST_F(SourceTest, ADirectoryGivesItsManifestsSortedAtAnyDepth) {
  write("b.yaml", "1");
  write("a/z.yml", "2");
  write("a/c.json", "3");
  write("a/d.yaml.gz", gzipped("4"));
  write("readme.md", "no");
  write(".hidden.yaml", "no");
  write(".git/x.yaml", "no");
  const Sources sources = load({root_.string()});
  EXPECT_TRUE(sources.problems.empty());
  EXPECT_EQ(listing(sources), "a/c.json=3 a/d.yaml.gz=4 a/z.yml=2 b.yaml=1 ");
}

TEST_F(SourceTest, ANamedFileMayHaveAnyName) {
  write("pods.txt", "1");
  EXPECT_EQ(listing(load({path("pods.txt")})), "pods.txt=1 ");
}

TEST_F(SourceTest, APatternGivesItsMatchesSorted) {
  write("b1.yaml", "1");
  write("a1.yaml", "2");
  write("a2.txt", "3");
  EXPECT_EQ(listing(load({path("?1.yaml")})), "a1.yaml=2 b1.yaml=1 ");
  EXPECT_EQ(listing(load({path("a*")})), "a1.yaml=2 a2.txt=3 ");
  EXPECT_EQ(load({path("x*")}).problems.at(0).message, "no file matches " + path("x*"));
}

TEST_F(SourceTest, StandardInputIsReadOnce) {
  input_.str("a: 1\n");
  const Sources sources = load({"-", "-"});
  ASSERT_EQ(sources.sources.size(), 1U);
  EXPECT_EQ(sources.sources[0].name, "standard input");
  EXPECT_EQ(sources.sources[0].text, "a: 1\n");
  EXPECT_EQ(sources.problems.at(0).message, "standard input can be read only once");
}

TEST_F(SourceTest, CompressedStandardInputIsDecompressed) {
  input_.str(gzipped("a: 1\n") + gzipped("b: 2\n"));
  EXPECT_EQ(load({"-"}).sources.at(0).text, "a: 1\nb: 2\n");
}

TEST_F(SourceTest, AMissingFileIsReportedWithTheNearestName) {
  write("pods.yaml", "1");
  const Sources sources = load({path("pod.yaml"), path("pods.yaml")});
  ASSERT_EQ(sources.problems.size(), 1U);
  EXPECT_EQ(sources.problems[0].message, "no such file or directory: " + path("pod.yaml"));
  EXPECT_EQ(sources.problems[0].hint, "did you mean " + path("pods.yaml") + "?");
  EXPECT_EQ(listing(sources), "pods.yaml=1 ") << "the rest is still loaded";
}

TEST_F(SourceTest, ADirectoryWithoutManifestsIsReported) {
  write("readme.md", "no");
  EXPECT_EQ(
      load({root_.string()}).problems.at(0).message,
      "error reading [" + root_.string() + "]: recognized file extensions are [.json .yaml .yml], each also with .gz");
}

TEST_F(SourceTest, TextsAreBoundedBeforeAndAfterDecompression) {
  const SourceLimits limits{.max_bytes = 1000};
  write("exact.yaml", std::string(1000, 'x'));
  write("large.yaml", std::string(1001, 'x'));
  write("bomb.yaml.gz", gzipped(std::string(10'000'000, 'x')).substr(0, 900));
  EXPECT_TRUE(load({path("exact.yaml")}, limits).problems.empty());
  EXPECT_EQ(load({path("large.yaml")}, limits).problems.at(0).message, "is larger than 1000 bytes");
  EXPECT_EQ(load({path("bomb.yaml.gz")}, limits).problems.at(0).message, "decompresses to more than 1000 bytes");
}

TEST_F(SourceTest, DamagedCompressionIsReported) {
  const std::string whole = gzipped(std::string(1000, 'x') + "end");
  const Result<std::string> cut = decompress_gzip(std::string_view(whole).substr(0, whole.size() - 4), 1 << 20);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "gzip data ends too early");
  std::string bent = whole;
  bent[bent.size() - 6] = static_cast<char>(bent[bent.size() - 6] ^ 1);
  const Result<std::string> wrong = decompress_gzip(bent, 1 << 20);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "not valid gzip: incorrect data check");
}

}  // namespace
}  // namespace loadline::document
