#include "hosts/watching/event_series.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace loadline::watching {
namespace {

using document::Member;
using document::Object;
using document::text_at;
using document::Value;

constexpr Duration kSilence = Duration::seconds(360);
constexpr Duration kRefresh = Duration::seconds(1800);

/// metav1.MicroTime: "2026-01-01T00:00:00.000001Z".
std::string micro_time(Instant at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::string text = format_rfc3339(at);
  const std::int64_t fraction = ((at.nanoseconds % kSecond) + kSecond) % kSecond;
  text.pop_back();  // the Z
  return fmt::format("{}.{:06}Z", text, fraction / 1000);
}

Member member(std::string_view name, Value value) { return {std::string(name), std::move(value), {}}; }

Value series_of(std::int64_t count, Instant last) {
  return Value(Object{member("count", Value(count)), member("lastObservedTime", Value(micro_time(last)))});
}

}  // namespace

EventSeries::EventSeries(std::string reporting_controller, std::string instance)
    : controller_(std::move(reporting_controller)), instance_(std::move(instance)) {}

EventWrite EventSeries::tell(const Series& series) const {
  Value state = series_of(series.count, series.last);
  return {EventWrite::Verb::kPatch,
          {"events.k8s.io", "v1", "events", series.name_space, series.name},
          series.document.with("series", state),
          Value(Object{member("series", std::move(state))})};
}

EventWrite EventSeries::correlate(const SchedulingEvent& said, Instant now) {
  const Event& event = said.event;
  std::string key = fmt::format("{}\n{}\n{}\n", name_of(event.type), said.action, event.reason);
  document::append_json(key, event.regarding);
  document::append_json(key, said.related);
  const auto [place, is_new] = series_.try_emplace(std::move(key));
  Series& series = place->second;
  series.last = now;
  if (!is_new) {
    ++series.count;
    return series.count == 2 ? tell(series) : EventWrite{};
  }
  series.name_space = text_at(event.regarding, {"namespace"});
  if (series.name_space.empty()) series.name_space = "default";
  series.name = EventNames::name(text_at(event.regarding, {"name"}), names_.next(now));
  Object metadata{member("name", Value(series.name)), member("namespace", Value(series.name_space))};
  Object members{
      member("kind", Value("Event")),
      member("apiVersion", Value("events.k8s.io/v1")),
      member("metadata", Value(std::move(metadata))),
      member("eventTime", Value(micro_time(now))),
      member("reportingController", Value(controller_)),
      member("reportingInstance", Value(instance_)),
      member("action", Value(said.action)),
      member("reason", Value(event.reason)),
      member("regarding", event.regarding),
  };
  if (!said.related.is_null()) members.push_back(member("related", said.related));
  members.push_back(member("note", Value(event.message)));
  members.push_back(member("type", Value(name_of(event.type))));
  series.document = Value(std::move(members));
  return {EventWrite::Verb::kCreate, {"events.k8s.io", "v1", "events", series.name_space}, series.document, {}};
}

std::vector<EventWrite> EventSeries::tick(Instant now) {
  std::vector<EventWrite> writes;
  if (!told_) told_ = now;
  const bool refresh = now - *told_ >= kRefresh;
  if (refresh) told_ = now;
  for (auto at = series_.begin(); at != series_.end();) {
    const bool ended = now - at->second.last > kSilence;
    if (at->second.count > 1 && (ended || refresh)) writes.push_back(tell(at->second));
    at = ended ? series_.erase(at) : std::next(at);
  }
  return writes;
}

}  // namespace loadline::watching
