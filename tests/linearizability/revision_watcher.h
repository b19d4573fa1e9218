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

/// Watches all ConfigMaps from some time on, over lines that break: lists what there is, and goes on where it was each
/// time. Some let the watch itself list what there is (sendInitialEvents).
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

  /// Up to which version it knows everything; 0: it has not seen what there was.
  [[nodiscard]] std::int64_t seen() const { return seen_; }

  /// What there was at first, by name, and when that was.
  [[nodiscard]] const std::map<std::string, Revision>& initial() const { return initial_; }
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  /// What happened after that.
  [[nodiscard]] const std::vector<Revision>& told() const { return told_; }
  /// What no watch may say.
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
  std::string line_;  // what has come of it
  bool is_watching_ = false;
  std::uint64_t turn_ = 0;
};

}  // namespace loadline::linearizability
