#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::seeds {

/// What comes of a block or a command.
enum class State {
  kWorks,
  kTold,     ///< works, and a correction is told
  kRefused,  ///< refused as upstream, with the mend
  kNotYet,   ///< a capability is missing
};

std::string_view words_of(State state);

using Texts = std::vector<std::string>;

/// A block as `loadline plan` sees it. Texts are looked for with their white space made single.
struct PlanTrial {
  std::string
      scenario;        ///< of tests/scenarios/cases: our own input, and the cluster that a printed block is planned in
  Texts with;          ///< files of the scenario, or of the repository, that a printed block is planned with
  Texts shows;         ///< what is printed, or complained of
  Texts once;          ///< kNotYet: what would be printed if it worked
  std::string mended;  ///< kRefused: the scenario with the mend
};

/// A question to a cluster that is asked until its answer has the texts.
struct Question {
  std::string command;
  Texts shows;
};

/// A command, or a block that kubectl applies, as a live cluster of `loadline up` sees it.
struct LiveTrial {
  std::optional<Texts> cluster;  ///< options of an `up` of its own; none: the table's
  Texts before;                  ///< what has to be done first
  std::string command;           ///< in place of the row's; "-": the cluster itself is what was asked for
  Texts shows;
  std::vector<Question> then;
  Texts mended;      ///< kRefused: the commands that work
  Texts once;        ///< kNotYet: what the last answer would have if it worked
  std::string ours;  ///< a block's stand-in where the document is not there
};

struct Row {
  std::size_t line = 0;
  std::size_t document = 0;  ///< of the block, from 1; 0: all of it
  bool is_command = false;
  std::string what;  ///< a command as printed, or the titles of a block's documents
  State state = State::kWorks;
  std::string capability;  ///< kNotYet: which one is missing
  std::string note;
  std::string mend;           ///< kRefused: what to write
  bool asks_nothing = false;  ///< a command that asks nothing of a cluster, so that there is nothing to try
  std::optional<PlanTrial> plan;
  std::optional<LiveTrial> live;
};

struct Table {
  std::string document;  ///< its file
  std::string title;
  Texts cluster;  ///< options of the `up` in which commands are tried, one after another
  std::vector<Row> rows;
};

/// Reads a file of tests/seeds/tables. Throws std::runtime_error, which names the row, at what it does not understand.
Table read_table(const std::filesystem::path& file);

/// Rows that lack what their state needs, as sentences.
Texts unsound_rows(const Table& table);

}  // namespace loadline::seeds
