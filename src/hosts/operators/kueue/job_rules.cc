#include "hosts/operators/kueue/job_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/document_path.h"
#include "hosts/operators/kueue/job_stop.h"
#include "hosts/watching/observe.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using document::Value;

constexpr std::string_view kImmutable = "field is immutable";

/// Go's strconv.Atoi.
struct GoNumber {
  std::int64_t value = 0;
  std::string error;  ///< empty: it is a number
};
GoNumber read_number(std::string_view text) {
  GoNumber read;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read.value);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  if (error == std::errc::result_out_of_range) {
    read.error = fmt::format("strconv.Atoi: parsing \"{}\": value out of range", text);
  } else if (!is_whole) {
    read.error = fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", text);
  }
  return read;
}

/// Go's strconv.ParseBool; nothing: it is none.
std::optional<bool> read_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kYes = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kNo = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kYes, text) != kYes.end()) return true;
  if (std::ranges::find(kNo, text) != kNo.end()) return false;
  return std::nullopt;
}

/// A job with what its rules ask of it.
struct CheckedJob {
  const JobRules& rules;
  const Value& document;
  CheckedField whole;

  CheckedJob(const JobRules& of, const Value& job, kube::FieldErrors& faults)
      : rules(of), document(job), whole(faults, job) {}

  [[nodiscard]] CheckedField label(std::string_view name) const { return whole.at({"metadata", "labels"}).key(name); }
  [[nodiscard]] CheckedField annotation(std::string_view name) const {
    return whole.at({"metadata", "annotations"}).key(name);
  }
  [[nodiscard]] bool has_suspend() const {
    const Value* found = find_path(document, rules.suspend_path);
    return found != nullptr && *found == Value(true);
  }
  [[nodiscard]] bool is_suspended() const {
    return has_suspend() && !(rules.is_batch_job && annotation(kStopping).text() == "true");
  }
  /// The annotation counts before the label.
  [[nodiscard]] CheckedField prebuilt() const {
    const CheckedField named = annotation(kube::kPrebuiltWorkloadName);
    return named.text().empty() ? label(kube::kPrebuiltWorkloadName) : named;
  }
  [[nodiscard]] std::int64_t pods() const {
    const std::int64_t parallelism = whole.at({"spec", "parallelism"}).number(1);
    return std::min(parallelism, whole.at({"spec", "completions"}).number(parallelism));
  }
  [[nodiscard]] bool syncs_completions() const {
    return read_bool(annotation(kube::kJobCompletionsEqualParallelism).text()).value_or(false);
  }
  [[nodiscard]] bool is_elastic() const { return annotation(kube::kElasticJobAnnotation).text() == "true"; }
};

void check_subdomain(const CheckedField& field) {
  if (!field.is_set()) return;
  std::vector<std::string> problems;
  for (const auto& problem : kube::dns_subdomain_problems(field.text())) problems.emplace_back(problem);
  if (!problems.empty()) field.invalid(fmt::format("{}", fmt::join(problems, ",")));
}

void check_prebuilt(const CheckedJob& job) { check_subdomain(job.prebuilt()); }

void check_new_job(const CheckedJob& job, kube::FieldErrors& faults) {
  check_subdomain(job.label(kube::kQueueName));
  check_prebuilt(job);
  const CheckedField most = job.label(kube::kMaxExecTimeLabel);
  if (most.is_set()) {
    const GoNumber seconds = read_number(most.text());
    if (!seconds.error.empty()) {
      most.invalid(seconds.error);
    } else if (seconds.value <= 0) {
      most.invalid(Value(seconds.value), "should be greater than 0");
    }
  }
  if (job.is_elastic() && !job.rules.may_be_elastic) {
    job.annotation(kube::kElasticJobAnnotation)
        .forbidden(fmt::format("elastic job is not supported for \"{}\"", job.rules.gvk));
  }
  for (kube::FieldError& each : kube::admission_gate_refusals(watching::read_metadata(job.document))) {
    faults.push_back(std::move(each));
  }
}

void check_partial_admission(const CheckedJob& job) {
  const CheckedField least = job.annotation(kube::kJobMinParallelism);
  if (!least.is_set()) return;
  const GoNumber number = read_number(least.text());
  if (!number.error.empty()) {
    least.invalid(number.error);
  } else if (number.value >= job.pods() || number.value <= 0) {
    least.invalid(Value(number.value), fmt::format("should be between 0 and {}", job.pods() - 1));
  }
  if (job.is_elastic()) least.invalid("partial admission and elastic job cannot be used together");
}

void check_synced_completions(const CheckedJob& job) {
  const CheckedField sync = job.annotation(kube::kJobCompletionsEqualParallelism);
  if (!sync.is_set()) return;
  const std::optional<bool> is_on = read_bool(sync.text());
  if (!is_on) sync.invalid(fmt::format("strconv.ParseBool: parsing \"{}\": invalid syntax", sync.text()));
  if (!is_on.value_or(false)) return;
  if (job.whole.at({"spec", "completionMode"}).text() != "Indexed") {
    sync.invalid("should not be enabled for NonIndexed jobs");
  }
  const CheckedField completions = job.whole.at({"spec", "completions"});
  if (job.whole.at({"spec", "parallelism"}).number(1) != completions.number(1)) {
    completions.invalid(fmt::format("should be equal to parallelism when {} annotation is true",
                                    kube::kJobCompletionsEqualParallelism));
  }
}

// ---- changes ------------------------------------------------------------------------------------------------------

void check_same_text(const CheckedField& now, std::string_view before) {
  if (now.text() != before) now.invalid(Value(now.text()), kImmutable);
}

bool is_queued(const CheckedJob& job, const JobPlace& place) {
  return place.manages_without_queue || !job.label(kube::kQueueName).text().empty();
}

void check_queue_change(const CheckedJob& before, const CheckedJob& after, const JobPlace& place) {
  const CheckedField queue = after.label(kube::kQueueName);
  const std::string_view old_queue = before.label(kube::kQueueName).text();
  if (!after.is_suspended()) check_same_text(queue, old_queue);
  if (queue.text().empty() && !old_queue.empty() && place.has_default_queue) {
    queue.invalid(Value(""), "queue-name must not be empty in namespace with default queue");
  }
}

void check_priority_change(const CheckedJob& before, const CheckedJob& after) {
  const CheckedField now = after.label(kube::kWorkloadPriorityClassLabel);
  const bool had_one = !before.label(kube::kWorkloadPriorityClassLabel).text().empty();
  const bool has_one = !now.text().empty();
  if (!after.is_suspended() && !had_one && has_one) {
    now.invalid("WorkloadPriorityClass cannot be added to a non-suspended workload");
  } else if (had_one && !has_one) {
    now.invalid(Value(""), "WorkloadPriorityClass cannot be removed from a workload");
  }
}

void check_job_change(const CheckedJob& before, const CheckedJob& after, const JobPlace& place,
                      kube::FieldErrors& faults) {
  check_queue_change(before, after, place);
  if (after.is_suspended() || before.is_elastic()) {
    check_prebuilt(after);
  } else {
    check_same_text(after.prebuilt(), before.prebuilt().text());
  }
  if (!after.is_suspended() || !before.is_suspended()) {
    check_same_text(after.label(kube::kMaxExecTimeLabel), before.label(kube::kMaxExecTimeLabel).text());
  }
  check_priority_change(before, after);
  if (before.is_elastic() != after.is_elastic()) {
    after.annotation(kube::kElasticJobAnnotation).invalid(Value(after.is_elastic()), kImmutable);
  }
  for (kube::FieldError& each : kube::admission_gate_refusals(watching::read_metadata(before.document),
                                                              watching::read_metadata(after.document))) {
    faults.push_back(std::move(each));
  }
}

void check_partial_admission_change(const CheckedJob& before, const CheckedJob& after) {
  const CheckedField parallelism = after.whole.at({"spec", "parallelism"});
  if (before.annotation(kube::kJobMinParallelism).is_set() && !before.has_suspend() &&
      before.whole.at({"spec", "parallelism"}).number(1) != parallelism.number(1)) {
    parallelism.forbidden("cannot change when partial admission is enabled and the job is not suspended");
  }
  if (!before.is_suspended() && !after.is_suspended() && before.syncs_completions() != after.syncs_completions()) {
    after.annotation(kube::kJobCompletionsEqualParallelism)
        .forbidden(fmt::format("{} while the job is not suspended", kImmutable));
  }
}

}  // namespace

kube::FieldErrors faults_of_job(const JobRules& rules, const JobPlace& place, const Value& job) {
  kube::FieldErrors faults;
  const CheckedJob checked(rules, job, faults);
  if (rules.check_queued != nullptr && is_queued(checked, place) && !rules.check_queued(checked.whole)) return faults;
  check_new_job(checked, faults);
  if (rules.is_batch_job) {
    check_partial_admission(checked);
    check_synced_completions(checked);
  }
  return faults;
}

kube::FieldErrors faults_of_job_change(const JobRules& rules, const JobPlace& place, const Value& before,
                                       const Value& after) {
  kube::FieldErrors faults;
  kube::FieldErrors unused;
  const CheckedJob old_job(rules, before, unused);
  const CheckedJob job(rules, after, faults);
  if (rules.check_queued != nullptr && !is_queued(job, place) && !is_queued(old_job, place)) return faults;
  if (!rules.is_batch_job) {
    check_job_change(old_job, job, place, faults);
    for (kube::FieldError& each : faults_of_job(rules, place, after)) faults.push_back(std::move(each));
    return faults;
  }
  check_new_job(job, faults);
  if (job.annotation(kube::kJobMinParallelism).text() != old_job.annotation(kube::kJobMinParallelism).text()) {
    check_partial_admission(job);
  }
  check_synced_completions(job);
  check_job_change(old_job, job, place, faults);
  check_partial_admission_change(old_job, job);
  return faults;
}

std::optional<std::string> aggregate(const kube::FieldErrors& faults) {
  std::vector<std::string> texts;
  for (const kube::FieldError& each : faults) {
    std::string text = each.path.empty() ? each.message : fmt::format("{}: {}", each.path, each.message);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.empty()) return std::nullopt;
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace loadline::operators::kueue
