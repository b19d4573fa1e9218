#include "bench/subjects/rounds.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "bench/results/comparison.h"
#include "bench/results/row.h"

namespace loadline::bench {
namespace {

int complain(const Error& error) {
  fmt::print(stderr, "bench: {}\n", error.message);
  return 1;
}

std::vector<Variant> variants_of(const RoundArguments& arguments) {
  std::vector<Variant> variants;
  for (const Variant variant : kVariants) {
    if (!is_peer(variant) || (!arguments.no_peer && !arguments.programs.kubernetes.empty()))
      variants.push_back(variant);
  }
  return variants;
}

Result<void> run_round(const RoundArguments& arguments, const std::vector<Measure>& measures,
                       const std::vector<Variant>& variants, Sheet& sheet) {
  for (const Measure& measure : measures) {
    if (!arguments.only.empty() && arguments.only != measure.name) continue;
    for (const Variant variant : variants) {
      fmt::print(stderr, "measuring {} of {}\n", measure.name, name_of(variant));
      if (const Result<void> done = measure.run(variant, sheet); !done) {
        return failure(fmt::format("{} of {}: {}", measure.name, name_of(variant), done.error().message));
      }
    }
  }
  return {};
}

}  // namespace

void add_round_options(CLI::App& app, RoundArguments& arguments) {
  app.add_option("--loadline", arguments.programs.loadline, "The program that is measured")->required();
  app.add_option("--peer", arguments.programs.kubernetes, "The real programs in one, from conformance/kubernetes");
  app.add_flag("--no-peer", arguments.no_peer, "Do not measure the real programs");
  app.add_option("--rounds", arguments.rounds, "So many of everything; medians are reported")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", arguments.quick, "Little of everything: to see that it works");
  app.add_option("--measure", arguments.only, "Only this");
  app.add_option("--folder", arguments.folder, "Where servers keep what is durable: a disk that means it");
  app.add_option("--output", arguments.output, "The folder for the results");
}

std::string folder_of(const RoundArguments& arguments) {
  if (!arguments.folder.empty()) return arguments.folder;
  return (std::filesystem::path(arguments.output) / "servers").string();
}

int run_rounds(const RoundArguments& arguments, std::string_view name, const std::vector<Measure>& measures,
               const RoundNotes& notes) {
  raise_file_limit();
  const std::vector<Variant> variants = variants_of(arguments);
  Sheet sheet;
  for (std::size_t round = 0; round < arguments.rounds; ++round) {
    if (const Result<void> done = run_round(arguments, measures, variants, sheet); !done) return complain(done.error());
  }
  const Comparison comparison = sheet.comparison(variants);
  fmt::print("{}\n{}{}", format_comparison(comparison), notes.ours, variants.size() > 2 ? notes.peer : notes.no_peer);
  const auto written = write_results(arguments.output, std::string(name), to_value(comparison));
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  return 0;
}

}  // namespace loadline::bench
