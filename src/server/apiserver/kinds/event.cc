#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

constexpr std::size_t kMostLetters = 128;
constexpr std::size_t kMostNoteLetters = 1024;

bool is_set(const Value& event, document::Names names) { return !is_empty(value_at(event, names)); }

void check_text(FieldErrors& errors, const Value& event, std::string_view member) {
  const std::string_view text = document::text_at(event, {member});
  if (text.empty()) errors.push_back(required_field(std::string(member)));
  if (text.size() > kMostLetters) {
    errors.push_back(
        invalid_field(std::string(member), Value(""), fmt::format("can have at most {} characters", kMostLetters)));
  }
}

/// What an event must say that has an eventTime, which is how new ones are told.
void check_new_event(FieldErrors& errors, const Value& event, const std::string& reporter) {
  const std::string_view controller = document::text_at(event, {"reportingComponent"});
  if (controller.empty()) errors.push_back(required_field(reporter));
  for (const std::string& problem : kube::qualified_name_problems(controller)) {
    errors.push_back(invalid_field(reporter, Value(controller), problem));
  }
  check_text(errors, event, "reportingInstance");
  check_text(errors, event, "action");
  check_text(errors, event, "reason");
  if (document::text_at(event, {"message"}).size() > kMostNoteLetters) {
    errors.push_back(
        invalid_field("message", Value(""), fmt::format("can have at most {} characters", kMostNoteLetters)));
  }
}

/// legacyValidateEvent. `reporter` is what that field is called in the version of the request.
FieldErrors event_errors(const Value& event, const std::string& reporter) {
  FieldErrors errors;
  const std::string_view own = namespace_of(event);
  const std::string_view about = document::text_at(event, {"involvedObject", "namespace"});
  const bool is_new = is_set(event, {"eventTime"});
  const bool is_of_cluster = own.empty() || own == "default" || (is_new && own == "kube-system");
  if (about.empty() ? !is_of_cluster : (!is_new && about != own)) {
    errors.push_back(invalid_field("involvedObject.namespace", Value(about), "does not match event.namespace"));
  }
  if (is_new) check_new_event(errors, event, reporter);
  for (const std::string& problem : kube::dns_subdomain_problems(own)) {
    errors.push_back(invalid_field("namespace", Value(own), problem));
  }
  return errors;
}

void check_series(FieldErrors& errors, const Value& event) {
  if (value_at(event, {"series"}).is_null()) return;
  if (integer_at(event, {"series", "count"}).value_or(0) < 2) {
    errors.push_back(invalid_field("series.count", Value(""), "should be at least 2"));
  }
  if (!is_set(event, {"series", "lastObservedTime"})) errors.push_back(required_field("series.lastObservedTime"));
}

/// Through v1 nearly everything is an event.
class LegacyEventStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  FieldErrors validate(const Value& event, StrategyContext& /*context*/) const override {
    return event_errors(event, "reportingComponent");
  }
};

/// Through events.k8s.io an event is new, or keeps what it said.
/// Source: pkg/apis/core/validation/events.go, v1.36.
class EventStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  FieldErrors validate(const Value& event, StrategyContext& context) const override {
    FieldErrors errors = event_errors(event, "reportingController");
    append(errors, metadata_errors(event, context.resource));
    check_series(errors, event);
    if (!is_set(event, {"eventTime"})) errors.push_back(required_field("eventTime"));
    const std::string_view type = document::text_at(event, {"type"});
    const auto refuse = [&](std::string path, std::string_view why) {
      errors.push_back(invalid_field(std::move(path), Value(""), why));
    };
    if (type != "Normal" && type != "Warning") refuse("type", fmt::format("has invalid value: {}", type));
    for (const std::string_view member : {"firstTimestamp", "lastTimestamp", "count", "source"}) {
      if (is_set(event, {member})) refuse(std::string(member), "needs to be unset");
    }
    return errors;
  }

  FieldErrors validate_update(const Value& event, const Value& old, StrategyContext& /*context*/) const override {
    FieldErrors errors = event_errors(event, "reportingController");
    if (!same_at(event, old, {"series"})) check_series(errors, event);
    // Once more for the reason: upstream does, too.
    for (const std::string_view member : {"involvedObject", "reason", "message", "source", "firstTimestamp",
                                          "lastTimestamp", "count", "reason", "type"}) {
      check_immutable(errors, std::string(member), value_at(event, {member}), value_at(old, {member}));
    }
    check_time(errors, event, old);
    for (const std::string_view member : {"action", "related"}) {
      check_immutable(errors, std::string(member), value_at(event, {member}), value_at(old, {member}));
    }
    check_immutable(errors, "reportingController", value_at(event, {"reportingComponent"}),
                    value_at(old, {"reportingComponent"}));
    check_immutable(errors, "reportingInstance", value_at(event, {"reportingInstance"}),
                    value_at(old, {"reportingInstance"}));
    return errors;
  }

 private:
  /// The same moment, to the microsecond, may be written in another way.
  static void check_time(FieldErrors& errors, const Value& event, const Value& old) {
    const std::optional<Instant> now = parse_rfc3339(document::text_at(event, {"eventTime"}));
    const std::optional<Instant> before = parse_rfc3339(document::text_at(old, {"eventTime"}));
    if (now && before && *now == *before) return;
    check_immutable(errors, "eventTime", value_at(event, {"eventTime"}), value_at(old, {"eventTime"}));
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_legacy_event_strategy(Traits traits) {
  return std::make_unique<LegacyEventStrategy>(traits);
}

std::unique_ptr<const Strategy> make_event_strategy(Traits traits) { return std::make_unique<EventStrategy>(traits); }

}  // namespace loadline::apiserver
