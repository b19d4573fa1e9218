#include "seeds/page.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace loadline::seeds {
namespace {

constexpr const char* kHead = R"(# What comes of every line of five documents

Loadline was asked to understand five documents about scheduling for machine learning: lectures, a lab, a book's chapter,
two guides. These tables say of every manifest and every command that they print what Loadline makes of it:

- *works*: it does what the document says.
- *works, and a correction is told*: likewise, and Loadline says what should be written another way.
- *refused as upstream, with the mend*: no cluster would take it; the message, or the last column, says what to write.
- *not yet*: Loadline lacks a capability, which is named; what it does meanwhile stands beside it.

This page is made by a test ([tests/seeds](../tests/seeds/README.md)) that tries each row: manifests with `plan`, commands
with kubectl in a cluster of `up`. A row that is *not yet* fails on the day it works. What the documents' code fences hold
besides, diagrams and the outline of a scoring plugin in Go, is nothing that a cluster is given; scoring plugins are
[C libraries](plugins.md) here.

)";

std::string cell(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '|') made += '\\';
    made += letter == '\n' ? ' ' : letter;
  }
  while (made.ends_with(' ')) made.pop_back();
  return made;
}

std::string state_cell(const Row& row) {
  const std::string words(words_of(row.state));
  return row.capability.empty() ? words : words + ": " + row.capability;
}

std::string note_cell(const Row& row) {
  std::string text = row.note;
  if (!row.mend.empty()) text += " **Mend:** " + row.mend;
  return cell(text);
}

std::string counts(const std::vector<Table>& tables) {
  std::array<std::size_t, 4> count{};
  std::size_t rows = 0;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      ++count[static_cast<std::size_t>(row.state)];
      ++rows;
    }
  }
  std::string text;
  for (const State state : {State::kWorks, State::kTold, State::kRefused, State::kNotYet}) {
    text += text.empty() ? "" : "; ";
    text += fmt::format("{} {}", count[static_cast<std::size_t>(state)], words_of(state));
  }
  return fmt::format("{} lines are in the tables: {}.\n", rows, text);
}

}  // namespace

std::string page_of(const std::vector<Table>& tables) {
  std::string page = kHead + counts(tables);
  for (const Table& table : tables) {
    page += fmt::format(
        "\n## {}\n\n`{}`\n\n| Line | What is printed | What comes of it | How |\n| --: | --- | --- | --- |\n",
        table.title, table.document);
    for (const Row& row : table.rows) {
      const std::string what = row.is_command ? "`" + cell(row.what) + "`" : cell(row.what);
      page += fmt::format("| {} | {} | {} | {} |\n", row.line, what, cell(state_cell(row)), note_cell(row));
    }
  }
  return page;
}

}  // namespace loadline::seeds
