#include "hosts/operators/kuberay/ray_dashboard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "objects/kube/core/service.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::text_at;
using document::Value;

RayAnswer answer_of_people(const kube::ConfigMap& said, const kube::RayJob& job, const Context& context) {
  const auto text = [&](std::string_view key) {
    const auto found = said.data.find(key);
    return found == said.data.end() ? std::string() : found->second;
  };
  RayAnswer answer;
  answer.status = text("status");
  answer.message = text("message");
  const bool is_submitted = workloads::submission_mode(job.spec) == workloads::kHttpMode;  // by KubeRay, at once
  if (answer.status.empty() && is_submitted) answer.status = "PENDING";
  answer.is_there = !answer.status.empty();
  answer.start = job.status.start_time;
  if (RayAnswer::is_end(answer.status)) answer.end = parse_rfc3339(text("endTime")).value_or(context.now);
  return answer;
}

RayAnswer answer_of_job(const kube::Job& submitter) {
  const kube::JobCondition* const end = workloads::finished_condition(submitter);
  RayAnswer answer;
  answer.is_there = end != nullptr || submitter.status.ready.value_or(0) > 0;
  answer.status = end == nullptr ? "RUNNING" : end->type == "Failed" ? "FAILED" : "SUCCEEDED";
  answer.start = submitter.status.start_time;
  if (end != nullptr) answer.end = end->last_transition_time;
  return answer;
}

RayAnswer answer_of_container(const kube::ContainerStatus& submitter) {
  RayAnswer answer;
  if (submitter.state.running) {
    answer = {true, "RUNNING", {}, submitter.state.running->started_at, {}, {}};
  } else if (const auto& end = submitter.state.terminated) {
    answer = {true, end->exit_code == 0 ? "SUCCEEDED" : "FAILED", {}, end->started_at, end->finished_at, {}};
  }
  return answer;
}

/// Of a job that nothing here stands for.
RayAnswer answer_by_time(const kube::RayJob& job, const Value& info, const Context& context) {
  constexpr Duration kRunTime = Duration::seconds(10);
  kubelet::AnnotationReader annotations(job.metadata.annotations);
  RayAnswer answer{true, "RUNNING", {}, parse_rfc3339(text_at(info, {"startTime"})), {}, {}};
  if (!answer.start) answer.start = context.now;
  if (annotations.is(kubelet::kRunTime, "forever")) return answer;
  const Instant end = *answer.start + annotations.duration(kubelet::kRunTime).value_or(kRunTime);
  if (context.now < end) {
    answer.again_after = end - context.now;
    return answer;
  }
  answer.status = annotations.integer(kubelet::kExitCode).value_or(0) == 0 ? "SUCCEEDED" : "FAILED";
  answer.end = end;
  return answer;
}

}  // namespace

bool RayAnswer::is_end(std::string_view status) {
  constexpr std::array<std::string_view, 3> kEnds = {"STOPPED", "SUCCEEDED", "FAILED"};
  return std::ranges::find(kEnds, status) != kEnds.end();
}

RayAnswer ask_ray(const kube::RayJob& job, const Value& info, const RaySubmitter& submitter, const Context& context) {
  const auto said = context.caches.of<kube::ConfigMap>().find(job.metadata.namespace_, kRayDashboard);
  if (said != nullptr) return answer_of_people(said->view, job, context);
  const std::string_view mode = workloads::submission_mode(job.spec);
  if (mode == workloads::kJobMode) return submitter.job == nullptr ? RayAnswer() : answer_of_job(submitter.job->view);
  if (mode == workloads::kSidecarMode) {
    return submitter.container == nullptr ? RayAnswer() : answer_of_container(*submitter.container);
  }
  return answer_by_time(job, info, context);
}

}  // namespace loadline::operators
