#include "app/cli/generate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "app/cli/choices.h"
#include "foundation/base/text.h"
#include "foundation/document/gzip.h"
#include "hosts/trace/generator.h"
#include "hosts/trace/work_writer.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kGenerateExamples = R"(Examples:
  Seven weeks of a cluster of 2,048 GPUs that is nearly full, to be replayed:
    loadline generate --jobs 100000 --nodes 256 --load 0.95 -o work.csv.gz
    loadline replay work.csv.gz --nodes 256:gpu=a100:8
  The same jobs for a cluster that is asked for more than it has, by people who know how long their jobs run:
    loadline generate --jobs 100000 --nodes 256 --load 1.1 --exact-estimates -o work.csv
  A hundred Jobs for a cluster that runs:
    loadline generate --jobs 100 --nodes 4 --manifests | kubectl apply -f -

Equal options give the same bytes on every machine. What the jobs are like, and why: docs/traces.md.

Exit status: 0 done; 2 bad usage, or the file cannot be written.)";

struct GenerateArguments {
  trace::GeneratorOptions generator;
  std::string start;
  bool exact_estimates = false;
  bool equal_priorities = false;
  std::string format = "csv";
  bool manifests = false;
  std::string output = "-";
};

/// Passes works on, and adds up what there is of them.
class AddedUp final : public trace::WorkSource {
 public:
  explicit AddedUp(std::unique_ptr<trace::WorkSource> works) : works_(std::move(works)) {}

  Result<std::optional<trace::Work>> next() override {
    auto work = works_->next();
    if (work && *work) last_arrival_ = (*work)->arrives;
    return work;
  }

  [[nodiscard]] Duration last_arrival() const { return last_arrival_; }

 private:
  std::unique_ptr<trace::WorkSource> works_;
  Duration last_arrival_;
};

/// One run of the command, step by step.
class GenerateCommand {
 public:
  GenerateCommand(const GenerateArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    trace::GeneratorOptions options = arguments_.generator;
    if (arguments_.exact_estimates) options.estimates = trace::Estimates::kExact;
    options.has_priorities = !arguments_.equal_priorities;
    if (!arguments_.start.empty()) {
      const auto start = parse_rfc3339(arguments_.start);
      if (!start) return fail(fmt::format("--start: {} is no time; write 2026-01-05T00:00:00Z", arguments_.start));
      options.start = *start;
    }
    auto works = trace::generate(options);
    if (!works) return fail(works.error().message);
    AddedUp added_up(*std::move(works));
    const auto count = write(added_up);
    if (!count) return fail(count.error().message);
    const double days = static_cast<double>(added_up.last_arrival().nanoseconds) / 86'400e9;
    console_.err << fmt::format("generated {} over {:.1f} days\n", counted(*count, "job"), days);
    return kDone;
  }

 private:
  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  Result<std::size_t> write(trace::WorkSource& works) {
    const std::string& file = arguments_.output;
    if (file == "-") {
      const auto count = write_to(console_.out, works);
      console_.out << std::flush;
      return count;
    }
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    if (!out) return failure(fmt::format("{}: {}", file, std::strerror(errno)));
    const auto count = file.ends_with(".gz") ? write_compressed(out, works) : write_to(out, works);
    if (!count) return failure(fmt::format("{}: {}", file, count.error().message));
    out.close();
    if (!out) return failure(fmt::format("{}: cannot be written", file));
    return count;
  }

  Result<std::size_t> write_compressed(std::ostream& out, trace::WorkSource& works) {
    std::ostringstream text;
    const auto count = write_to(text, works);
    if (count) out << document::compress_gzip(std::move(text).str());
    return count;
  }

  Result<std::size_t> write_to(std::ostream& out, trace::WorkSource& works) {
    if (arguments_.manifests) return trace::write_manifests(works, out);
    return arguments_.format == "csv" ? trace::write_csv(works, out) : trace::write_json_lines(works, out);
  }

  const GenerateArguments& arguments_;
  Console& console_;
};

}  // namespace

void add_generate(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("generate", "Make up GPU work: a trace to replay, or manifests of Jobs");
  auto arguments = std::make_shared<GenerateArguments>();
  trace::GeneratorOptions& generator = arguments->generator;
  command->add_option("--jobs", generator.jobs, "How many jobs. Default: 10000");
  command->add_option("--nodes", generator.nodes, "Nodes of the cluster that they are for. Default: 128");
  command->add_option("--gpus-per-node", generator.gpus_per_node, "GPUs of each of its nodes. Default: 8");
  command->add_option("--load", generator.load,
                      "GPU time that the jobs ask for, as a share of what the cluster has while they arrive. Default: "
                      "0.9");
  command->add_option("--max-gpus", generator.max_gpus, "GPUs of the largest job. Default: 256");
  command->add_option("--seed", generator.seed, "The seed: another one makes up other work. Default: 1");
  command->add_option("--start", arguments->start,
                      "When the trace begins, for the rhythm of days and weeks. Default: a Monday, "
                      "2026-01-05T00:00:00Z");
  command->add_flag("--exact-estimates", arguments->exact_estimates,
                    "Estimates are the true run times, not what people give");
  command->add_flag("--equal-priorities", arguments->equal_priorities,
                    "No job goes before another, so none is preempted");
  auto* format =
      command->add_option("--format", arguments->format, "csv or jsonl: the form of the trace. Default: csv");
  format->check(CLI::IsMember(fixed_choices("format", command->get_name())));
  command->add_flag("--manifests", arguments->manifests, "Kubernetes Jobs in place of a trace, all there at once")
      ->excludes(format);
  command->add_option("-o,--output", arguments->output,
                      "The file to write, compressed if its name ends in .gz; -: standard output, the default");
  command->footer(std::string(kGenerateExamples));
  command->callback([arguments, &console, &status] { status = GenerateCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
