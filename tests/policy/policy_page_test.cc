// docs/policy.md against the table of switches.
#include <gtest/gtest.h>

#include <string>

#include "brain/engine/policy.h"
#include "command/command.h"

namespace loadline {
namespace {

constexpr const char* kPage = "docs/policy.md";
constexpr const char* kFrom = "## The switches\n\n";
constexpr const char* kTo = "## Notes\n";

std::string section(const engine::Switch& row) {
  std::string text = "### " + std::string(row.name) + "\n\n" + std::string(row.decides) +
                     ".\n\n| word | what it does | in |\n| --- | --- | --- |\n";
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    const char* in = i == row.parity && i == row.recommended ? "parity, recommended"
                     : i == row.parity                       ? "parity"
                     : i == row.recommended                  ? "recommended"
                                                             : "";
    text += "| `" + std::string(row.words[i].name) + "` | " + std::string(row.words[i].means) + " | " + in + " |\n";
  }
  return text + "\nSource: " + std::string(row.source) + ".\n\n";
}

TEST(PolicyPage, DescribesEverySwitchAsTheTableDoes) {
  std::string expected;
  for (const engine::Switch& row : engine::switches()) expected += section(row);
  const std::string page = command::read(kPage);
  const std::size_t from = page.find(kFrom);
  const std::size_t to = page.find(kTo);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t begin = from + std::string(kFrom).size();
  EXPECT_EQ(page.substr(begin, to - begin), expected)
      << kPage << ": between \"The switches\" and \"Notes\" there has to be:\n\n"
      << expected;
}

}  // namespace
}  // namespace loadline
