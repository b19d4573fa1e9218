#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/watching/action.h"
#include "hosts/watching/event_correlator.h"

namespace loadline::watching {

/// An event of kube-scheduler: what it was doing, and the other object that it concerns.
struct SchedulingEvent {
  Event event;
  std::string action;       ///< "Scheduling", "Binding", "Preempting"
  document::Value related;  ///< an ObjectReference; null: there is none
};

/// Makes events.k8s.io/v1 events, as kube-scheduler writes them: the same about the same object, whatever its note, is
/// a series. The first is created, the second makes it a series by a patch, and those that follow are only counted;
/// their number is told every 30 minutes, and when the series ends: after 6 minutes of silence.
/// Source: client-go tools/events, v0.36.
class EventSeries {
 public:
  /// `reporting_controller`: "default-scheduler"; `instance`: "default-scheduler-my-host".
  EventSeries(std::string reporting_controller, std::string instance);

  EventWrite correlate(const SchedulingEvent& event, Instant now);
  /// What is due by now about series that go on or have ended; to be asked every 6 minutes. Forgets what has ended.
  std::vector<EventWrite> tick(Instant now);

 private:
  struct Series {
    document::Value document;
    std::string name_space;
    std::string name;
    std::int64_t count = 1;
    Instant last;
  };
  [[nodiscard]] EventWrite tell(const Series& series) const;

  std::string controller_;
  std::string instance_;
  EventNames names_;
  std::map<std::string, Series, std::less<>> series_;
  std::optional<Instant> told_;
};

}  // namespace loadline::watching
