#include "hosts/operators/kuberay/ray_job_status.h"

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"

namespace loadline::operators {
namespace {

using document::Object;
using document::text_at;
using document::Value;

Value as_object(Value value) { return value.is_object() ? std::move(value) : Value(Object{}); }

/// Equal, or none is there; nothing, zero and an empty object are one.
bool is_same(const Value* one, const Value* other) {
  const auto is_empty = [](const Value* value) {
    if (value == nullptr || value->is_null()) return true;
    if (value->is_object()) return value->object().empty();
    if (value->is_string()) return value->string().empty();
    return value->is_integer() && value->integer() == 0;
  };
  if (is_empty(one) || is_empty(other)) return is_empty(one) && is_empty(other);
  return document::same_document(*one, *other);
}

/// Source: InconsistentRayClusterStatus in utils/consistency.go, kuberay v1.6.2.
bool is_same_cluster_status(const Value& one, const Value& other) {
  constexpr std::array<std::string_view, 10> kFields = {"state",
                                                        "reason",
                                                        "readyWorkerReplicas",
                                                        "availableWorkerReplicas",
                                                        "desiredWorkerReplicas",
                                                        "minWorkerReplicas",
                                                        "maxWorkerReplicas",
                                                        "endpoints",
                                                        "head",
                                                        "conditions"};
  return std::ranges::all_of(kFields,
                             [&](std::string_view field) { return is_same(one.find(field), other.find(field)); });
}

Value cluster_status_of(const Value& status) { return as_object(document::value_at(status, {"rayClusterStatus"})); }

}  // namespace

RayJobStatusDraft::RayJobStatusDraft(const Value& job)
    : before_(as_object(document::value_at(job, {"status"}))), now_(before_) {}

std::string RayJobStatusDraft::text(std::string_view field) const { return std::string(text_at(now_, {field})); }

void RayJobStatusDraft::set(std::string_view field, std::string_view text) {
  now_ = text.empty() ? document::without_at(std::move(now_), {field}) : std::move(now_).with(field, Value(text));
}

void RayJobStatusDraft::set(std::string_view field, Instant at) {
  now_ = std::move(now_).with(field, Value(format_rfc3339(at)));
}

std::int64_t RayJobStatusDraft::number(std::string_view field) const {
  const Value* found = now_.find(field);
  return found != nullptr && found->is_integer() ? found->integer() : 0;
}

void RayJobStatusDraft::count(std::string_view field, std::int64_t by) {
  now_ = std::move(now_).with(field, Value(number(field) + by));
}

void RayJobStatusDraft::set_cluster_status(const Value& status) {
  now_ = std::move(now_).with("rayClusterStatus", as_object(status));
}

Value RayJobStatusDraft::info() const { return as_object(document::value_at(now_, {"rayJobInfo"})); }

void RayJobStatusDraft::set_info(std::string_view field, Instant at) {
  now_ = document::with_at(std::move(now_), {"rayJobInfo", field}, Value(format_rfc3339(at)));
}

void RayJobStatusDraft::forget_info() { now_ = std::move(now_).with("rayJobInfo", Value(Object{})); }

bool RayJobStatusDraft::is_news() const {
  return text("jobStatus") != text_at(before_, {"jobStatus"}) ||
         text("jobDeploymentStatus") != text_at(before_, {"jobDeploymentStatus"}) ||
         !is_same_cluster_status(cluster_status_of(before_), cluster_status_of(now_));
}

Value RayJobStatusDraft::value() const {
  Value cluster = cluster_status_of(now_);
  for (const std::string_view amount : {"desiredCPU", "desiredMemory", "desiredGPU", "desiredTPU"}) {
    if (cluster.find(amount) == nullptr) cluster = std::move(cluster).with(amount, Value("0"));
  }
  if (cluster.find("head") == nullptr) cluster = std::move(cluster).with("head", Value(Object{}));
  return Value(now_)
      .with("rayJobInfo", info())
      .with("rayClusterStatus", std::move(cluster))
      .with("failed", Value(number("failed")))
      .with("succeeded", Value(number("succeeded")));
}

}  // namespace loadline::operators
