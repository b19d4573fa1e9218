#include "bench/up/completion.h"

#include <fmt/format.h>

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kRunLimit{900'000};
constexpr std::chrono::milliseconds kLookAgain{200};

std::string job_spec(std::size_t pods) {
  return fmt::format(
      R"({{"parallelism":{0},"completions":{0},"completionMode":"Indexed","backoffLimit":0,"template":{{"spec":{{"restartPolicy":"Never","containers":[{{"name":"main","image":"registry.example.com/train:1","resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}}}}]}}}}}})",
      pods);
}

std::string job(const std::string& name, std::size_t pods) {
  return fmt::format(R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"{}"}},"spec":{}}})", name,
                     job_spec(pods));
}

std::string job_set(const std::string& name, std::size_t pods) {
  return fmt::format(
      R"({{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{{"name":"{}"}},"spec":{{"replicatedJobs":[{{"name":"w","replicas":1,"template":{{"spec":{}}}}}]}}}})",
      name, job_spec(pods));
}

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

Runner jobs_in(const std::string& name_space) {
  return {"Jobs", fmt::format("/apis/batch/v1/namespaces/{}/jobs", name_space), R"("completionTime":)", job};
}

Runner job_sets_in(const std::string& name_space) {
  return {"JobSets", fmt::format("/apis/jobset.x-k8s.io/v1alpha2/namespaces/{}/jobsets", name_space),
          R"("terminalState":"Completed")", job_set};
}

Result<double> run_to_the_end(Session& session, const Runner& runner, std::size_t count, std::size_t pods) {
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    const auto created = session.expect(
        201, session.request("POST", runner.collection, runner.manifest(fmt::format("run-{}", i), pods)));
    if (!created) return tl::unexpected(created.error());
  }
  // The last is looked at until it has ended, and only then all of them: that costs the server little.
  const net::Request last = session.request("GET", fmt::format("{}/run-{}", runner.collection, count - 1));
  const net::Request all = session.request("GET", runner.collection);
  std::size_t ended = 0;
  while (Clock::now() - start < kRunLimit) {
    const auto seen = session.expect(200, last);
    if (!seen) return tl::unexpected(seen.error());
    if (occurrences(seen->body, runner.done) > 0) {
      const auto listed = session.expect(200, all);
      if (!listed) return tl::unexpected(listed.error());
      ended = occurrences(listed->body, runner.done);
      if (ended >= count) return milliseconds_since(start) / 1000;
    }
    session.run(kLookAgain);
  }
  return failure(fmt::format("{} of {} {} have ended after {} s", ended, count, runner.name, kRunLimit.count() / 1000));
}

}  // namespace loadline::bench
