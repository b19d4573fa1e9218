#include "app/cli/most_pods.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "hosts/simulator/pod_bound.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/source_index.h"

namespace loadline::cli {
namespace {

std::int64_t bound_of(const PlanFiles& files, Purpose purpose) {
  const std::int64_t unsaid = purpose == Purpose::kTimeline ? kMostPodsOverTime : simulator::kMostPlannedPods;
  return files.most_pods.value_or(unsaid);
}

/// Where the number stands. Of a plan no documents are kept, so that its file is read once more; what cannot be read
/// twice has the place of its object.
SourcePosition place_of_number(const Diagnostic& about, const PlanFiles& files, const PlanInput& input) {
  if (about.at.file == nullptr) return about.at;
  if (!input.documents.empty()) return kube::SourceIndex(input.documents).locate(about.at, about.path);
  std::istringstream nothing;
  const InputFiles again = read_input_files({*about.at.file}, nothing, files.reading("--cluster"));
  return kube::SourceIndex(again.documents).locate(about.at, about.path);
}

/// Runs of a schedule in a span; more than can be made need not be told apart.
std::int64_t runs_within(const std::string& text, Instant start, Instant end) {
  constexpr std::int64_t kEnough = 1'000'000;
  const Result<kube::CronSchedule> schedule = kube::CronSchedule::parse(text);
  if (!schedule) return 0;
  std::int64_t runs = 0;
  for (auto at = schedule->next(start); at && *at <= end && runs < kEnough; at = schedule->next(*at)) ++runs;
  return runs;
}

}  // namespace

void add_most_pods(CLI::App& command, std::optional<std::int64_t>& most_pods) {
  command
      .add_option("--max-pods", most_pods,
                  "Refuse workloads that make more pods than this in all, before any is made. Default: 150000; as time "
                  "passes (--until), 50000")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{std::numeric_limits<std::int32_t>::max()}))
      ->type_name("COUNT");
}

void refuse_too_many_pods(const PlanFiles& files, Purpose purpose, PlanInput& input) {
  workloads::Counting counting;
  counting.counts_suspended_jobs = purpose == Purpose::kTimeline;
  auto wrong = simulator::pods_beyond(bound_of(files, purpose), input.objects, counting);
  if (!wrong) return;
  wrong->at = place_of_number(*wrong, files, input);
  input.makes_too_many_pods = true;
  input.diagnostics.push_back(*std::move(wrong));
}

std::optional<Diagnostic> too_many_pods_over_time(const PlanFiles& files, const kube::Objects& objects, Instant start,
                                                  std::optional<Duration> until) {
  if (!until) return std::nullopt;
  workloads::Counting counting;
  counting.counts_suspended_jobs = true;
  counting.runs = [&](const std::string& schedule) { return runs_within(schedule, start, start + *until); };
  return simulator::pods_beyond(bound_of(files, Purpose::kTimeline), objects, counting);
}

}  // namespace loadline::cli
