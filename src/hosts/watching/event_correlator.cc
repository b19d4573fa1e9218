#include "hosts/watching/event_correlator.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "foundation/document/at.h"

namespace loadline::watching {
namespace {

using document::Object;
using document::text_at;
using document::Value;

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

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

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

EventNames::Stamp EventNames::next(Instant now) { return last_ = std::max(now.nanoseconds, last_ + 1); }

std::string EventNames::name(std::string_view object, Stamp stamp) { return fmt::format("{}.{:x}", object, stamp); }

/// True if the event is one of too many of its reason. Which of the messages makes room for the next is all the same.
bool EventCorrelator::combines(const Event& event, Hash key, Instant now) {
  Similar& similar = similar_.use(key);
  if (now - similar.last > kSimilarWithin) similar.count = 0;
  similar.last = now;
  const std::span known(similar.messages.data(), similar.count);
  const Hash message = hash_of(event.message);
  if (std::ranges::find(known, message) == known.end()) similar.messages[similar.count++] = message;
  if (similar.count < kMaxMessages) return false;
  --similar.count;
  return true;
}

bool EventCorrelator::is_spam(Hash key, Instant now) {
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
  const bool combined = combines(event, hash_of(similar), now);
  std::string_view name_space = text_at(event.regarding, {"namespace"});
  if (name_space.empty()) name_space = "default";

  Written& written = written_.use(hash_of(combined ? similar : similar + '\n' + event.message));
  if (written.count == 0) written = {0, now, names_.next(now)};
  ++written.count;
  if (is_spam(hash_of(object), now)) return {};

  const std::string name = EventNames::name(text_at(event.regarding, {"name"}), written.stamp);
  const Occurrence occurrence{
      name_space,    name,          combined ? "(combined from similar events): " + event.message : event.message,
      written.count, written.first, now};
  const bool is_first = written.count == 1;
  return {is_first ? EventWrite::Verb::kCreate : EventWrite::Verb::kPatch,
          {"", "v1", "events", std::string(name_space), is_first ? std::string() : name},
          event_document(event, source, occurrence),
          is_first ? Value() : again_patch(occurrence)};
}

}  // namespace loadline::watching
