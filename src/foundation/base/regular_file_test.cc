#include "foundation/base/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace loadline {
namespace {

class RegularFileTest : public ::testing::Test {
 protected:
  RegularFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "loadline-regular-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RegularFileTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  static std::string refusal(const std::string& path, std::uint64_t most_bytes = 100) {
    const Result<std::string> read = read_regular_file(path, most_bytes);
    return read ? "read" : read.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(RegularFileTest, AFileUpToTheBoundIsReadWhole) {
  EXPECT_EQ(*read_regular_file(write("empty", ""), 0), "");
  EXPECT_EQ(*read_regular_file(write("a", std::string("1\0003", 3)), 3), std::string("1\0003", 3));
  const std::string file = write("b", "1234");
  EXPECT_EQ(refusal(file, 3), "read " + file + ": is larger than 3 bytes");
  std::filesystem::create_symlink(file, folder_ / "link");
  EXPECT_EQ(*read_regular_file((folder_ / "link").string(), 4), "1234") << "as Secrets are mounted";
}

TEST_F(RegularFileTest, NothingElseIsReadAndNobodyIsWaitedFor) {
  EXPECT_EQ(refusal("/dev/zero"), "open /dev/zero: is no regular file");
  EXPECT_EQ(refusal(folder_.string()), "open " + folder_.string() + ": is no regular file");
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(refusal(fifo), "open " + fifo + ": is no regular file") << "no writer will ever come";
  EXPECT_EQ(refusal("/no/such"), "open /no/such: No such file or directory");
  EXPECT_EQ(refusal("/proc/self/maps", 10), "read /proc/self/maps: is larger than 10 bytes")
      << "a file without a size of its own";
}

}  // namespace
}  // namespace loadline
