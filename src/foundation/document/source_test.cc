#include "foundation/document/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "foundation/document/byte_source.h"
#include "foundation/document/gzip.h"
#include "foundation/document/template_action.h"
#include "foundation/document/unrendered.h"

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

  Sources load(const std::vector<std::string>& arguments, const SourceOptions& options = {}) {
    return load_sources(arguments, input_, options);
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
  const SourceOptions limits{.max_bytes = 1000};
  write("exact.yaml", std::string(1000, 'x'));
  write("large.yaml", std::string(1001, 'x'));
  write("bomb.yaml.gz", gzipped(std::string(5'000'000, 'x')).substr(0, 900));
  EXPECT_TRUE(load({path("exact.yaml")}, limits).problems.empty());
  EXPECT_EQ(load({path("large.yaml")}, limits).problems.at(0).message, "is larger than 1000 bytes");
  EXPECT_EQ(load({path("bomb.yaml.gz")}, limits).problems.at(0).message, "decompresses to more than 1000 bytes");
}

/// "warning: x.yaml: what is wrong (hint)", each on a line, with names below the test's folder.
std::string told(const Sources& sources, const fs::path& root) {
  std::string text;
  for (const Diagnostic& problem : sources.problems) text += problem.to_string() + "\n";
  const std::string prefix = root.string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return text;
}

TEST_F(SourceTest, AHelmChartIsToldInOneSentence) {
  write("web/Chart.yaml", "name: web");
  write("web/values.yaml", "a: 1");
  write("web/templates/pod.yaml", "{{ .Values.a }}");
  write("web/charts/db/Chart.yaml", "name: db");
  const Sources sources = load({path("web")});
  EXPECT_EQ(
      told(sources, root_),
      "web: error: is a Helm chart; its manifests must be rendered first (helm template web web | loadline plan -f "
      "-)\n");
  EXPECT_EQ(listing(sources), "");
}

TEST_F(SourceTest, ChartsAmongOtherFoldersAreLeftOutAndToldInOneSentence) {
  write("all/pod.yaml", "1");
  for (const char* name : {"f", "e", "d", "c", "b", "a"}) write(std::string("all/") + name + "/Chart.yaml", "");
  write("all/k/overlay/Kustomization", "");
  write("all/k/overlay/patch.yaml", "2");
  const Sources sources = load({path("all")}, {.pipe_into = "loadline lint -f -"});
  EXPECT_EQ(
      told(sources, root_),
      "all: error: holds Helm charts: all/a, all/b, all/c, all/d, all/e and 1 more; their manifests must be rendered "
      "first (helm template a all/a | loadline lint -f -)\n"
      "all: error: holds a folder for kustomize: all/k/overlay; its manifests must be rendered first (kubectl "
      "kustomize all/k/overlay | loadline lint -f -)\n");
  EXPECT_EQ(listing(sources), "all/pod.yaml=1 ");
}

TEST_F(SourceTest, AFolderForKustomizeIsToldByAnyOfItsNames) {
  for (const char* name : {"kustomization.yaml", "kustomization.yml", "Kustomization"}) {
    const std::string folder = std::string("of-") + name;
    write(folder + "/" + name, "resources: []");
    EXPECT_EQ(told(load({path(folder)}), root_), folder +
                                                     ": error: is a folder for kustomize; its manifests must be "
                                                     "rendered first (kubectl kustomize " +
                                                     folder + " | loadline plan -f -)\n");
  }
}

TEST_F(SourceTest, AFileThatDescribesAChartIsNoManifest) {
  write("web/Chart.yaml", "name: web");
  write("k/kustomization.yml", "resources: []");
  EXPECT_EQ(
      told(load({path("web/Chart.yaml"), path("k/*")}), root_),
      "web/Chart.yaml: error: describes a Helm chart, which must be rendered first (helm template web web | loadline "
      "plan -f -)\n"
      "k/kustomization.yml: error: is for kustomize, which must render its folder first (kubectl kustomize k | "
      "loadline plan -f -)\n");
}

TEST_F(SourceTest, AFifoInAFolderIsPassedOverAndOneThatIsNamedIsRead) {
  write("all/pod.yaml", "1");
  ASSERT_EQ(mkfifo(path("all/pipe.yaml").c_str(), 0600), 0);
  const std::string told_of_it =
      "all/pipe.yaml: warning: is no file but a FIFO, socket or device, and passed over (name it by itself to have it "
      "read)\n";
  const Sources folder = load({path("all")});
  EXPECT_EQ(listing(folder), "all/pod.yaml=1 ");
  EXPECT_EQ(told(folder, root_), told_of_it);
  EXPECT_EQ(told(load({path("all/p*.yaml")}), root_), told_of_it);

  std::thread writer([&] { std::ofstream(path("all/pipe.yaml")) << "2"; });
  const Sources named = load({path("all/pipe.yaml")});
  writer.join();
  EXPECT_EQ(listing(named), "all/pipe.yaml=2 ");
  EXPECT_TRUE(named.sources.at(0).is_stream);
}

/// Lets the superuser, which may read everything, act as another user for a while.
class WithoutPrivileges {
 public:
  WithoutPrivileges() : is_superuser_(geteuid() == 0) {
    if (is_superuser_) is_dropped_ = seteuid(kNobody) == 0;
  }
  ~WithoutPrivileges() {
    if (is_superuser_) is_dropped_ = seteuid(0) != 0;
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool is_superuser_;
  bool is_dropped_ = false;
};

TEST_F(SourceTest, AFolderThatCannotBeListedIsNamedAndTheOthersAreRead) {
  write("all/a/pod.yaml", "1");
  write("all/secret/pod.yaml", "2");
  write("all/z/pod.yaml", "3");
  fs::permissions(path("all/secret"), fs::perms::none);
  Sources sources;
  {
    const WithoutPrivileges ordinary;
    sources = load({path("all")});
  }
  fs::permissions(path("all/secret"), fs::perms::owner_all);
  EXPECT_EQ(told(sources, root_), "all/secret: error: cannot be listed: Permission denied\n");
  EXPECT_EQ(listing(sources), "all/a/pod.yaml=1 all/z/pod.yaml=3 ");
}

TEST_F(SourceTest, WhatIsNoTextIsRefusedAtOnce) {
  EXPECT_EQ(told(load({"/dev/zero"}), root_), "/dev/zero: error: is neither YAML nor JSON: byte 1 is NUL\n");
  write("wide.yaml", std::string("\xFF\xFE"
                                 "a\0:\0",
                                 6));
  EXPECT_EQ(told(load({path("wide.yaml")}), root_), "wide.yaml: error: is UTF-16; save it as UTF-8\n");
  write("packed.yaml", gzipped(std::string("a: b\0", 5)));
  EXPECT_EQ(told(load({path("packed.yaml")}), root_), "packed.yaml: error: is neither YAML nor JSON: byte 5 is NUL\n");
}

TEST_F(SourceTest, EachTextKnowsItsArgument) {
  write("a.yaml", "1");
  write("b/c.yaml", "2");
  const Sources sources = load({path("none"), path("a.yaml"), path("b")});
  ASSERT_EQ(sources.sources.size(), 2U);
  EXPECT_EQ(sources.sources[0].argument, 1U);
  EXPECT_EQ(sources.sources[1].argument, 2U);
  EXPECT_FALSE(sources.sources[0].is_stream);
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

/// A hundred kilobytes that would become as much as there is memory.
TEST_F(SourceTest, ABombOfCompressionIsRefusedAsItUnfolds) {
  constexpr std::size_t kBytes = std::size_t{96} << 20;
  const std::string bomb = compress_gzip(std::string(kBytes, 'x'));
  ASSERT_LT(bomb.size(), 200'000U);
  input_.str(bomb);
  const Sources sources = load({"-"});
  EXPECT_TRUE(sources.sources.empty());
  EXPECT_EQ(sources.problems.at(0).message, kGzipBomb);
  std::istringstream stream(bomb);
  ByteSource bytes(stream);
  std::string block(std::size_t{1} << 20, '\0');
  std::size_t all = 0;
  Result<std::size_t> count = bytes.read(block);
  for (; count && *count > 0; count = bytes.read(block)) all += *count;
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().message, kGzipBomb);
  EXPECT_LT(all, std::size_t{90} << 20);
}

TEST(Gzip, WhatPeopleCompressIsNoBomb) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  EXPECT_FALSE(is_gzip_bomb(1, 64 * kMebibyte));
  EXPECT_FALSE(is_gzip_bomb(20 * kMebibyte, 2000 * kMebibyte));
  EXPECT_TRUE(is_gzip_bomb(2 * kMebibyte, 2000 * kMebibyte));
}

TEST(Unrendered, AFileKnowsTheChartAroundIt) {
  const fs::path root = fs::temp_directory_path() / ("loadline_unrendered_" + std::to_string(std::random_device{}()));
  fs::create_directories(root / "Web_App" / "templates" / "tests");
  std::ofstream(root / "Web_App" / "Chart.yaml") << "name: web";
  const fs::path chart = root / "Web_App";
  EXPECT_EQ(enclosing_chart(chart / "templates" / "tests" / "pod.yaml"), chart);
  EXPECT_EQ(enclosing_chart(root / "pod.yaml"), "");
  EXPECT_EQ(renderer_of(chart), Renderer::kHelm);
  EXPECT_EQ(renderer_of(root), Renderer::kNone);
  EXPECT_EQ(render_command(Renderer::kHelm, chart, "loadline plan -f -"),
            "helm template NAME " + chart.string() + " | loadline plan -f -")
      << "no release can be called Web_App";
  fs::remove_all(root);
}

/// "2:7 {{ .x }}", or nothing.
std::string first_action(std::string_view text) {
  const auto action = find_template_action(text);
  if (!action) return "";
  return std::to_string(action->mark.line) + ":" + std::to_string(action->mark.column) + " " + action->text;
}

TEST(TemplateAction, IsFoundWhereAYamlReaderWouldMeetIt) {
  EXPECT_EQ(first_action("a: b\nc: {{ .Values.x }} # d\n"), "2:4 {{ .Values.x }}");
  EXPECT_EQ(first_action("{{- if .Values.x }}\na: b\n{{- end }}\n"), "1:1 {{- if .Values.x }}");
  EXPECT_EQ(first_action("é: x-{{ .y"), "1:6 {{ .y");
  EXPECT_EQ(first_action("{% if x %}\n"), "1:1 {% if x %}");
  EXPECT_EQ(first_action("a: it's {{ .x }}\n"), "1:9 {{ .x }}") << "an apostrophe opens no quote";
}

TEST(TemplateAction, IsNoneInQuotesCommentsAndBlocks) {
  EXPECT_EQ(first_action("a: '{{ .x }}'\nb: \"\\\"{{ .y }}\"\n"), "");
  EXPECT_EQ(first_action("# {{ .x }}\na: b  # {{ .y }}\n"), "");
  EXPECT_EQ(first_action("a: |\n  {{ .x }}\n\n  {{ .y }}\n"), "");
  EXPECT_EQ(first_action("- a: >-\n    {{ .x }}\n"), "");
  EXPECT_EQ(first_action("- |+2\n  {{ .x }}\n"), "");
  EXPECT_EQ(first_action("{a: {b: c}, d: {}}\n"), "");
}

TEST(TemplateAction, IsOneAfterABlock) {
  EXPECT_EQ(first_action("a: |\n  {{ .x }}\nb: {{ .y }}\n"), "3:4 {{ .y }}");
  EXPECT_EQ(first_action("- a: |\n    text\n  b: {{ .y }}\n"), "3:6 {{ .y }}");
  EXPECT_EQ(first_action("a: |\n{{ .x | indent 2 }}\n"), "2:1 {{ .x | indent 2 }}") << "it stands outside of the block";
}

}  // namespace
}  // namespace loadline::document
