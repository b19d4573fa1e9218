#include <algorithm>

#include "objects/kube/batch/batch.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/core/pod_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::int32_t kMaxIndexedParallelism = 100'000;
constexpr std::size_t kMaxCronJobName = 52;

void validate_counts(FieldReport& report, const Path& at, const JobSpec& spec) {
  if (spec.parallelism) report.not_negative(Path(at, "parallelism"), *spec.parallelism);
  if (spec.completions) report.not_negative(Path(at, "completions"), *spec.completions);
  if (spec.active_deadline_seconds)
    report.not_negative(Path(at, "activeDeadlineSeconds"), *spec.active_deadline_seconds);
  if (!spec.indexed) return;
  if (!spec.completions) {
    report.required(Path(at, "completions"), "when completion mode is Indexed",
                    "say how many indexes, for example completions: 4");
  }
  if (spec.parallelism && *spec.parallelism > kMaxIndexedParallelism) {
    report.invalid(Path(at, "parallelism"), *spec.parallelism,
                   "must be less than or equal to 100000 when completion mode is Indexed");
  }
}

void validate_job_spec(FieldReport& report, const Path& at, const JobSpec& spec) {
  validate_counts(report, at, spec);
  const Path pod_template(at, "template");
  validate_pod_template(report, pod_template, spec.template_);
  if (spec.template_.spec->restart_policy == RestartPolicy::kAlways) {
    const Path pod(pod_template, "spec");
    report.required(Path(pod, "restartPolicy"), "valid values: \"OnFailure\", \"Never\"",
                    "add restartPolicy: Never; pods restart Always by default, and a Job's pods must be able to end");
  }
}

/// A job of a manifest has none: an API server generates it. One that is given must select the job's own pods.
void validate_selector(FieldReport& report, const Path& spec, const JobSpec& job) {
  if (!job.selector) return;
  const std::size_t before = report.size();
  validate_label_selector(report, Path(spec, "selector"), job.selector);
  if (report.size() != before || matches(*job.selector, job.template_.metadata.labels)) return;
  const Path pod_template(spec, "template");
  const Path metadata(pod_template, "metadata");
  report.invalid_json(Path(metadata, "labels"), to_json(job.template_.metadata.labels),
                      "`selector` does not match template `labels`");
}

void validate_indexed_hostname(FieldReport& report, const Job& job) {
  if (!job.spec.indexed || job.spec.completions.value_or(0) <= 0) return;
  const std::string hostname = job.metadata.name + "-" + std::to_string(*job.spec.completions - 1);
  if (dns_label_problems(hostname).empty()) return;
  const Path root(nullptr);
  const Path metadata(root, "metadata");
  report.invalid(Path(metadata, "name"), job.metadata.name,
                 "will not able to create pod with invalid DNS label: " + hostname);
}

bool is_zone_part(std::string_view part) {
  constexpr std::size_t kLongest = 14;
  return !part.empty() && part.size() <= kLongest && part != "." && part != ".." && !part.starts_with('-') &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                  c == '_' || c == '+';
         });
}

/// Whether such a zone exists is not checked: no decision depends on it.
void validate_time_zone(FieldReport& report, const Path& at, const std::string& zone) {
  if (zone.empty()) return;
  for (std::string_view rest = zone;;) {
    const std::size_t slash = rest.find('/');
    if (!is_zone_part(rest.substr(0, slash))) {
      report.invalid(at, zone, "unknown time zone " + zone);
      return;
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (lower_case(zone) == "local") {
    report.invalid(at, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
}

void validate_schedule(FieldReport& report, const Path& at, const std::string& schedule) {
  if (schedule.empty()) {
    report.required(at, {}, "for example schedule: \"0 3 * * *\"");
    return;
  }
  const Result<CronSchedule> parsed = CronSchedule::parse(schedule);
  if (!parsed) report.invalid(at, schedule, parsed.error().message);
  if (schedule.find("TZ") != std::string::npos) {
    report.invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

}  // namespace

FieldErrors validate(const Job& job) {
  FieldReport report;
  validate_metadata(report, job.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_job_spec(report, spec, job.spec);
  validate_selector(report, spec, job.spec);
  validate_indexed_hostname(report, job);
  return report.take();
}

FieldErrors validate(const CronJob& cron_job) {
  FieldReport report;
  validate_metadata(report, cron_job.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_schedule(report, Path(spec, "schedule"), cron_job.schedule);
  validate_time_zone(report, Path(spec, "timeZone"), cron_job.time_zone);
  const Path job_template(spec, "jobTemplate");
  const Path job_spec(job_template, "spec");
  validate_job_spec(report, job_spec, cron_job.job_spec);
  if (cron_job.job_spec.selector) {
    report.invalid_json(Path(job_spec, "selector"), to_json(*cron_job.job_spec.selector),
                        "`selector` will be auto-generated");
  }
  if (cron_job.metadata.name.size() > kMaxCronJobName) {
    const Path metadata(root, "metadata");
    report.invalid(Path(metadata, "name"), cron_job.metadata.name, "must be no more than 52 characters");
  }
  return report.take();
}

}  // namespace loadline::kube
