#include "hosts/recording/replayed_scheduler.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/base/closest.h"
#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "hosts/watching/informers.h"

namespace loadline::recording {
namespace {

kube::Answer<document::Value> answer_of(const RecordedLine& line) {
  if (line.status.is_null()) return line.object;
  kube::Status status;
  status.code = static_cast<int>(line.status.find("code")->integer());
  status.reason = document::text_at(line.status, {"reason"});
  status.message = document::text_at(line.status, {"message"});
  status.document = document::value_at(line.status, {"document"});
  return tl::unexpected(std::move(status));
}

}  // namespace

void ReplayedScheduler::Reading::needs(watching::AnyCache& cache) {
  replayed_.by_resource_[watching::Informers::name_of(cache.kind().reference())] = &cache;
  replayed_.recorder_->reads(cache);
}

ReplayedScheduler::ReplayedScheduler(Instant at) {
  loop_.set_now(at);
  recorder_ = std::make_unique<SchedulerRecorder>(loop_, client_, outputs_);
}

Result<std::unique_ptr<ReplayedScheduler>> ReplayedScheduler::make(const Header& header, Instant at) {
  std::unique_ptr<ReplayedScheduler> replayed(new ReplayedScheduler(at));
  Reading reading(*replayed);
  // What is said in events has no consequences.
  const auto say = [](const watching::Event&) {};
  Result<std::unique_ptr<scheduler::Scheduling>> scheduling =
      scheduler::Scheduling::make(replayed->recorder_->loop(), reading, replayed->recorder_->client(), say,
                                  {.configuration = header.configuration,
                                   .policy = header.policy,
                                   .scope = header.scope,
                                   .has_kueue = header.has_kueue});
  if (!scheduling) return tl::unexpected(scheduling.error());
  replayed->scheduling_ = std::move(*scheduling);
  replayed->scheduling_->when_taken(
      [raw = replayed.get()](const decision::PodTurn& turn) { raw->recorder_->took(turn, raw->scheduling_->model()); });
  if (!header.has_rounds) return replayed;
  replayed->scheduling_->when_round_decided(
      [raw = replayed.get()](const queue::kueue::Round& round, const queue::kueue::KueueScheduler& kueue) {
        raw->recorder_->decided(round, kueue);
      });
  return replayed;
}

Result<std::vector<std::string>> ReplayedScheduler::tell(const RecordedLine& line) {
  loop_.set_now(line.at);
  outputs_.lines.clear();
  if (const Result<void> taken = take(line); !taken) return tl::unexpected(taken.error());
  return std::move(outputs_.lines);
}

Result<void> ReplayedScheduler::take(const RecordedLine& line) {
  switch (line.kind) {
    case LineKind::kPut:
    case LineKind::kGone: {
      const Result<watching::AnyCache*> cache = cache_of(line.subject);
      if (!cache) return tl::unexpected(cache.error());
      if (line.kind == LineKind::kPut) {
        (*cache)->put(line.object);
      } else {
        (*cache)->erase({std::string(document::text_at(line.value, {"namespace"})),
                         std::string(document::text_at(line.value, {"name"}))});
      }
      return {};
    }
    case LineKind::kStart:
      recorder_->will_start();
      scheduling_->start();
      return {};
    case LineKind::kWake:
      recorder_->will_wake();
      scheduling_->wake();
      return {};
    case LineKind::kRan:
      if (loop_.run(line.ordinal)) return {};
      return failure(fmt::format("there is no task {} now", line.ordinal));
    case LineKind::kAnswer:
      if (client_.answer(line.ordinal, answer_of(line))) return {};
      return failure(fmt::format("there is no request {} now", line.ordinal));
    default:
      REQUIRES(false && "an input");
      return {};
  }
}

Result<watching::AnyCache*> ReplayedScheduler::cache_of(const std::string& resource) const {
  const auto found = by_resource_.find(resource);
  if (found != by_resource_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, cache] : by_resource_) names.push_back(name);
  const std::string_view nearest = closest(resource, names);
  const std::string hint = nearest.empty() ? std::string() : fmt::format(" (did you mean \"{}\"?)", nearest);
  return failure(fmt::format("the scheduler reads no \"{}\"{}", resource, hint));
}

}  // namespace loadline::recording
