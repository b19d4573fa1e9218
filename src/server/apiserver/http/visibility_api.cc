#include "server/apiserver/http/visibility_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/apiserver/http/document_answer.h"
#include "server/apiserver/http/in_time.h"
#include "server/apiserver/http/responder.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::int64_t kDefaultLimit = 1000;
constexpr std::int64_t kMostPending = 100'000;

/// A number of the query; `absent` if it is not there.
Answer<std::int64_t> number_in(const Query& query, std::string_view name, std::int64_t absent) {
  const std::string_view text = query.get(name);
  if (text.empty()) return absent;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  const std::string_view why = error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
  return refuse(bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": {}", text, why)));
}

Answer<PendingQuestion> question_of(const RequestInfo& info) {
  const Answer<std::int64_t> offset = number_in(info.query, "offset", 0);
  if (!offset) return refuse(offset.error());
  const Answer<std::int64_t> limit = number_in(info.query, "limit", kDefaultLimit);
  if (!limit) return refuse(limit.error());
  // None is what a client that leaves it out says, too.
  const std::int64_t most = *limit == 0 ? kDefaultLimit : *limit;
  return PendingQuestion{info.name_space, info.name, std::max<std::int64_t>(*offset, 0),
                         std::clamp<std::int64_t>(most, 0, kMostPending)};
}

Value item_of(PendingWorkload workload) {
  return Value(Object{{"metadata", std::move(workload.metadata), {}},
                      {"priority", Value(workload.priority), {}},
                      {"localQueueName", Value(std::move(workload.local_queue)), {}},
                      {"positionInClusterQueue", Value(workload.position_in_cluster_queue), {}},
                      {"positionInLocalQueue", Value(workload.position_in_local_queue), {}}});
}

void tell_pending(net::Exchange& exchange, const RequestInfo& info,
                  std::optional<std::vector<PendingWorkload>> workloads) {
  if (!workloads) {
    const std::string_view called = info.name_space.empty() ? "clusterqueue" : "localqueue";
    return respond_failure(exchange, not_found({std::string(VisibilityApi::kGroup), std::string(called)}, info.name));
  }
  Array items;
  for (PendingWorkload& each : *workloads) items.push_back(item_of(std::move(each)));
  respond_with_document(exchange, info,
                        Value(Object{{"kind", Value("PendingWorkloadsSummary"), {}},
                                     {"apiVersion", Value(fmt::format("{}/{}", info.group, info.version)), {}},
                                     {"metadata", Value(Object()), {}},
                                     {"items", Value(std::move(items)), {}}}));
}

}  // namespace

void VisibilityApi::handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info) {
  const bool is_version = info.version == "v1beta1" || info.version == "v1beta2";
  const bool is_queue = info.name_space.empty() ? info.resource == "clusterqueues" : info.resource == "localqueues";
  const bool is_there = is_version && is_queue && info.subresource == "pendingworkloads" && !info.name.empty();
  if (source_ == nullptr || !is_there) return respond_failure(*exchange, no_such_resource());
  if (info.verb != "get") return respond_failure(*exchange, method_not_allowed());
  const StatusError busy = unavailable("the scheduler is busy, and it knows who waits");
  if (*is_late_) return respond_failure(*exchange, busy);
  Answer<PendingQuestion> question = question_of(info);
  if (!question) return respond_failure(*exchange, question.error());
  const auto is_over = std::make_shared<bool>(false);
  const auto in_time = within(*wall_, kAnswerPatience, [exchange, is_over, busy, is_late = is_late_](bool is_in_time) {
    if (is_in_time || std::exchange(*is_over, true)) return;
    *is_late = true;
    respond_failure(*exchange, busy);
  });
  source_->ask(*std::move(question), [exchange, info, is_over, in_time, is_late = is_late_](auto workloads) {
    *is_late = false;
    in_time();
    if (!std::exchange(*is_over, true)) tell_pending(*exchange, info, std::move(workloads));
  });
}

}  // namespace loadline::apiserver
