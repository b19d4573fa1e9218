#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/store/watch.h"

namespace loadline::store {

/// "ADDED 2 a/x", "MODIFIED 3 a/x", "DELETED 4 a/x".
inline std::string event_line(const Event& event) {
  const char* type = event.type == EventType::kAdded      ? "ADDED"
                     : event.type == EventType::kModified ? "MODIFIED"
                                                          : "DELETED";
  return fmt::format("{} {} {}/{}", type, event.revision, event.object->name_space(), event.object->name());
}

/// Writes down what it is told.
struct RecordingWatcher final : Watcher {
  void on_event(const EventPtr& event) override {
    lines.push_back(event_line(*event));
    if (then) then(event);
  }
  void on_cut(const StoreError& error) override { cut = error; }

  std::vector<std::string> lines;
  std::optional<StoreError> cut;
  std::function<void(const EventPtr&)> then;
};

}  // namespace loadline::store
