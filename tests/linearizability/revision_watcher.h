#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "linearizability/line.h"
#include "linearizability/linearization.h"

namespace loadline::linearizability {

/// One event of a watch: "MODIFIED o1" at a version.
struct Revision {
  std::int64_t version = 0;
  std::string type;
  std::string name;
  Data data;
  std::string uid;
  std::string created;  ///< metadata.creationTimestamp

  friend bool operator==(const Revision&, const Revision&) = default;
};

/// Watches all ConfigMaps from some time on, over lines that break: lists them, and continues after the last version
/// that it saw each time. Some have the watch itself send the list (sendInitialEvents).
class RevisionWatcher {
 public:
  explicit RevisionWatcher(std::uint64_t seed) : random_(seed) {}
  /// One that begins after that version.
  RevisionWatcher(std::uint64_t seed, std::int64_t after) : random_(seed), seen_(after), begin_(after) {}
  RevisionWatcher(const RevisionWatcher&) = delete;
  RevisionWatcher& operator=(const RevisionWatcher&) = delete;

  /// REQUIRES: is_idle(), line.is_free().
  void act(Line& line);
  [[nodiscard]] bool is_idle() const { return !is_watching_; }
  void give_up() { ++turn_, is_watching_ = false; }

  /// It has seen all changes up to this version; 0: it has not seen a first list.
  [[nodiscard]] std::int64_t seen() const { return seen_; }

  /// The objects of the first list, by name, and the version of that list.
  [[nodiscard]] const std::map<std::string, Revision>& initial() const { return initial_; }
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  /// The events after that.
  [[nodiscard]] const std::vector<Revision>& told() const { return told_; }
  /// Events that no watch may send.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  void list(Line& line);
  void watch(Line& line);
  void on_piece(std::string_view piece);
  void on_event(const document::Value& event);
  void on_bookmark(const document::Value& object, std::int64_t version);

  Rng random_;
  std::int64_t seen_ = 0;
  std::int64_t begin_ = 0;
  std::map<std::string, Revision> initial_;
  std::vector<Revision> told_;
  std::vector<std::string> violations_;
  std::string line_;  // the part of a line that has arrived
  bool is_watching_ = false;
  std::uint64_t turn_ = 0;
};

}  // namespace loadline::linearizability
