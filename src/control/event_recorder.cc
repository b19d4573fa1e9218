#include "control/event_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "document/at.h"

namespace loadline::control {

using document::Object;
using document::Value;

namespace {

constexpr std::size_t kLongestQueue = 10'000;
constexpr std::size_t kAtOnce = 16;

/// Cluster-scoped things have their events in "default".
std::string name_space_of(const Value& regarding) {
  const std::string_view name_space = document::text_at(regarding, {"namespace"});
  return std::string(name_space.empty() ? "default" : name_space);
}

}  // namespace

void EventRecorder::record(const std::string& source, const controllers::Event& event) {
  if (queue_.size() >= kLongestQueue) return;
  const Instant now = loop_.now();
  const std::string time = format_rfc3339(now);
  const std::string name_space = name_space_of(event.regarding);
  // As upstream: the object's name and the time, in which no two events of one process are equal.
  const std::string name = fmt::format("{}.{:x}", document::text_at(event.regarding, {"name"}),
                                       static_cast<std::uint64_t>(now.nanoseconds) + ++made_);
  Value document(Object{
      {"apiVersion", Value("v1"), {}},
      {"kind", Value("Event"), {}},
      {"metadata", Value(Object{{"name", Value(name), {}}, {"namespace", Value(name_space), {}}}), {}},
      {"involvedObject", event.regarding, {}},
      {"reason", Value(event.reason), {}},
      {"message", Value(event.message), {}},
      {"source", Value(Object{{"component", Value(source), {}}}), {}},
      {"firstTimestamp", Value(time), {}},
      {"lastTimestamp", Value(time), {}},
      {"count", Value(std::int64_t{1}), {}},
      {"type", Value(event.type == controllers::Event::Type::kNormal ? "Normal" : "Warning"), {}},
      {"reportingComponent", Value(source), {}},
      {"reportingInstance", Value(""), {}},
  });
  queue_.push_back({{"", "v1", "events", name_space, {}, {}}, std::move(document)});
  post();
}

void EventRecorder::post() {
  if (is_posted_ || queue_.empty() || open_ > 0) return;
  is_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) write();
  });
}

void EventRecorder::write() {
  is_posted_ = false;
  for (std::size_t sent = 0; sent < kAtOnce && !queue_.empty(); ++sent) {
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    ++open_;
    client_.create(next.of, std::move(next.document),
                   [this, alive = std::weak_ptr<int>(alive_)](const kube::Answer<Value>&) {
                     if (alive.expired()) return;
                     --open_;
                     post();
                   });
  }
}

}  // namespace loadline::control
