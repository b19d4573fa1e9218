#include <array>
#include <optional>
#include <string>
#include <utility>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kEventColumns = {
    TableColumn{"Last Seen", "string", "", "The time since the event last happened."},
    TableColumn{"Type", "string", "", "Normal or Warning."},
    TableColumn{"Reason", "string", "", "Why it happened, in a word."},
    TableColumn{"Object", "string", "", "The object that the event is about."},
    TableColumn{"Subobject", "string", "", "The part of the object that the event is about.", 1},
    TableColumn{"Source", "string", "", "The component that reported the event, and where it runs.", 1},
    TableColumn{"Message", "string", "", "What happened, for people."},
    TableColumn{"First Seen", "string", "", "The time since the event first happened.", 1},
    TableColumn{"Count", "string", "", "How often the event happened.", 1},
    TableColumn{"Name", "string", "name", "The name of the event, unique within its namespace.", 1},
};

/// An event in either group: events.k8s.io renames most fields of core/v1.
class Event {
 public:
  explicit Event(const Value& event) : event_(event) {}

  [[nodiscard]] std::string first_seen(const CellWriter& cells) const {
    const auto first = either_time("firstTimestamp", "deprecatedFirstTimestamp");
    return cells.since(first ? first : time_at(event_, "eventTime"));
  }

  [[nodiscard]] std::string last_seen(const CellWriter& cells) const {
    if (at(event_, "series") != nullptr) return cells.since(time_at(event_, "series", "lastObservedTime"));
    const auto last = either_time("lastTimestamp", "deprecatedLastTimestamp");
    return last ? cells.since(last) : first_seen(cells);
  }

  /// Events that happened once have no count in the newer group.
  [[nodiscard]] std::int64_t count() const {
    if (at(event_, "series") != nullptr) return integer_at(event_, "series", "count");
    const std::int64_t count = integer_at(event_, "count") + integer_at(event_, "deprecatedCount");
    return count == 0 ? 1 : count;
  }

  [[nodiscard]] std::string object() const {
    const std::string kind = lower(either(object_text("kind")));
    const std::string_view name = either(object_text("name"));
    return name.empty() ? kind : kind + "/" + std::string(name);
  }

  [[nodiscard]] std::string_view field_path() const { return either(object_text("fieldPath")); }

  [[nodiscard]] std::string source() const {
    const std::string_view component = either(source_text("component"));
    const std::string_view host = either(source_text("host"));
    std::string text(component.empty() ? text_at(event_, "reportingController") : component);
    // core/v1 says reportingComponent for what the other group says reportingController.
    if (text.empty()) text = text_at(event_, "reportingComponent");
    const std::string_view instance = host.empty() ? text_at(event_, "reportingInstance") : host;
    return instance.empty() ? text : text.append(", ").append(instance);
  }

  [[nodiscard]] std::string_view message() const {
    return trim(either({text_at(event_, "message"), text_at(event_, "note")}));
  }

 private:
  using Both = std::pair<std::string_view, std::string_view>;

  static std::string_view either(const Both& both) { return both.first.empty() ? both.second : both.first; }

  [[nodiscard]] Both object_text(std::string_view field) const {
    return {text_at(event_, "involvedObject", field), text_at(event_, "regarding", field)};
  }
  [[nodiscard]] Both source_text(std::string_view field) const {
    return {text_at(event_, "source", field), text_at(event_, "deprecatedSource", field)};
  }
  [[nodiscard]] std::optional<Instant> either_time(std::string_view name, std::string_view other) const {
    const auto time = time_at(event_, name);
    return time ? time : time_at(event_, other);
  }

  const Value& event_;
};

void write_event(const Value& object, CellWriter& cells) {
  const Event event(object);
  cells.text(event.last_seen(cells));
  cells.text(text_at(object, "type"));
  cells.text(text_at(object, "reason"));
  cells.text(event.object());
  cells.text(event.field_path());
  cells.text(event.source());
  cells.text(event.message());
  cells.text(event.first_seen(cells));
  cells.integer(event.count());
  cells.text(name_of(object));
}

constexpr std::array kEventKinds = {
    KindColumns{"", "Event", kEventColumns, write_event},
    KindColumns{"events.k8s.io", "Event", kEventColumns, write_event},
};

}  // namespace

std::span<const KindColumns> event_columns() { return kEventKinds; }

}  // namespace loadline::api
