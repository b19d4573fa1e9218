#include "hosts/controllers/event_correlator.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"

namespace loadline::controllers {
namespace {

using document::Object;
using document::text_at;
using document::Value;

constexpr std::size_t kMaxMessages = 10;
constexpr Duration kSimilarWithin = Duration::seconds(600);
constexpr Duration kRefill = Duration::seconds(300);
constexpr std::int64_t kEventBurst = 25;

std::string join(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += part;
    key += '\n';  // none of the parts but the last has one
  }
  return key;
}

/// Whom an event is about and from: what both similar events and spam have in common.
std::string key_of_object(const Event& event, std::string_view source) {
  const Value& object = event.regarding;
  return join({source, event.host, text_at(object, {"kind"}), text_at(object, {"namespace"}), text_at(object, {"name"}),
               text_at(object, {"uid"}), text_at(object, {"apiVersion"}), name_of(event.type)});
}

struct Occurrence {
  std::string_view name_space;
  std::string name;
  std::string message;
  std::int64_t count;
  Instant first;
  Instant last;
};

Value event_document(const Event& event, std::string_view source, const Occurrence& at) {
  const auto member = [](std::string_view name, Value value) {
    return document::Member{std::string(name), std::move(value), {}};
  };
  Object metadata{member("name", Value(at.name)), member("namespace", Value(at.name_space))};
  Object said_by{member("component", Value(source))};
  if (!event.host.empty()) said_by.push_back(member("host", Value(event.host)));
  return Value(Object{
      member("kind", Value("Event")),
      member("apiVersion", Value("v1")),
      member("metadata", Value(std::move(metadata))),
      member("involvedObject", event.regarding),
      member("reason", Value(event.reason)),
      member("message", Value(at.message)),
      member("source", Value(std::move(said_by))),
      member("firstTimestamp", Value(format_rfc3339(at.first))),
      member("lastTimestamp", Value(format_rfc3339(at.last))),
      member("count", Value(at.count)),
      member("type", Value(name_of(event.type))),
      member("eventTime", Value()),
      member("reportingComponent", Value(source)),
      member("reportingInstance", Value(event.host)),
  });
}

Value again_patch(const Occurrence& at) {
  return Value(Object{{"count", Value(at.count), {}},
                      {"lastTimestamp", Value(format_rfc3339(at.last)), {}},
                      {"message", Value(at.message), {}}});
}

}  // namespace

std::string EventNames::next(std::string_view object, Instant now) {
  last_ = std::max(now.nanoseconds, last_ + 1);
  return fmt::format("{}.{:x}", object, last_);
}

/// True if the event is one of too many of its reason. Which of the messages makes room for the next is all the same.
bool EventCorrelator::combines(const Event& event, const std::string& key, Instant now) {
  Similar& similar = similar_.use(key);
  if (now - similar.last > kSimilarWithin) similar.messages.clear();
  similar.messages.insert(event.message);
  similar.last = now;
  if (similar.messages.size() < kMaxMessages) return false;
  similar.messages.erase(similar.messages.begin());
  return true;
}

bool EventCorrelator::is_spam(const std::string& key, Instant now) {
  constexpr Duration kFull{kRefill.nanoseconds * kEventBurst};
  Allowance& allowance = allowances_.use(key);
  const Duration passed = allowance.last ? now - *allowance.last : kFull;
  allowance.left = std::min(kFull, Duration{allowance.left.nanoseconds + std::min(passed, kFull).nanoseconds});
  allowance.last = now;
  if (allowance.left < kRefill) return true;
  allowance.left.nanoseconds -= kRefill.nanoseconds;
  return false;
}

EventWrite EventCorrelator::correlate(const Event& event, std::string_view source, Instant now) {
  const std::string object = key_of_object(event, source);
  const std::string similar = object + event.reason;
  const bool combined = combines(event, similar, now);
  std::string_view name_space = text_at(event.regarding, {"namespace"});
  if (name_space.empty()) name_space = "default";

  Written& written = written_.use(combined ? similar : similar + '\n' + event.message);
  if (written.count == 0) written = {0, now, names_.next(text_at(event.regarding, {"name"}), now)};
  ++written.count;
  if (is_spam(object, now)) return {};

  const Occurrence occurrence{
      name_space,    written.name,  combined ? "(combined from similar events): " + event.message : event.message,
      written.count, written.first, now};
  const bool is_first = written.count == 1;
  return {is_first ? EventWrite::Verb::kCreate : EventWrite::Verb::kPatch,
          {"", "v1", "events", std::string(name_space), is_first ? std::string() : written.name},
          event_document(event, source, occurrence),
          is_first ? Value() : again_patch(occurrence)};
}

}  // namespace loadline::controllers
