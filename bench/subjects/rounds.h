#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/subjects/sheet.h"
#include "bench/subjects/subject.h"
#include "foundation/base/result.h"

namespace CLI {
class App;
}

namespace loadline::bench {

/// What every program that compares servers is told.
struct RoundArguments {
  std::string output = ".";  ///< the folder for the results
  std::string folder;        ///< where servers keep what is durable; empty: below `output`
  std::string only;          ///< the name of a measure; empty: all
  Programs programs;
  bool no_peer = false;
  bool quick = false;
  std::size_t rounds = 3;
};

/// --loadline, --peer, --no-peer, --rounds, --quick, --measure, --folder, --output.
void add_round_options(CLI::App& app, RoundArguments& arguments);

/// One of the things that are measured, on a server of its own, which it starts.
struct Measure {
  std::string_view name;
  std::function<Result<void>(Variant, Sheet&)> run;
};

/// What is to be said below the figures.
struct RoundNotes {
  std::string_view ours;
  std::string_view peer;
  std::string_view no_peer;  ///< instead, if there was none
};

/// Takes each measure of each server in turn, as often as there are rounds; prints the medians, and writes them to
/// NAME.json. The exit status.
int run_rounds(const RoundArguments& arguments, std::string_view name, const std::vector<Measure>& measures,
               const RoundNotes& notes);

/// Where the arguments say that servers keep what is durable.
std::string folder_of(const RoundArguments& arguments);

}  // namespace loadline::bench
