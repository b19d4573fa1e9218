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

std::string number(const engine::Switch& row) {
  const std::string in = row.parity == row.recommended
                             ? row.text(row.parity) + ": parity, recommended"
                             : row.text(row.parity) + ": parity; " + row.text(row.recommended) + ": recommended";
  return "\n| number | what it does | in |\n| --- | --- | --- |\n| `" + std::to_string(row.numbers.least) + "` to `" +
         std::to_string(row.numbers.most) + "` | " + std::string(row.numbers.means) + " | " + in + " |\n";
}

std::string words(const engine::Switch& row) {
  std::string text = "\n| word | what it does | in |\n| --- | --- | --- |\n";
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    const bool is_parity = row.parity == static_cast<std::int64_t>(i);
    const bool is_recommended = row.recommended == static_cast<std::int64_t>(i);
    const char* in = is_parity && is_recommended ? "parity, recommended"
                     : is_parity                 ? "parity"
                     : is_recommended            ? "recommended"
                                                 : "";
    text += "| `" + std::string(row.words[i].name) + "` | " + std::string(row.words[i].means) + " | " + in + " |\n";
  }
  return text;
}

std::string section(const engine::Switch& row) {
  return "### " + std::string(row.name) + "\n\n" + std::string(row.decides) + ".\n" +
         (row.is_number() ? number(row) : words(row)) + "\nSource: " + std::string(row.source) + ".\n\n";
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
