#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/recording/recording_reader.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::recording {

/// When a pod was what, as a recording tells. What is absent did not happen while it was made.
struct PodLife {
  kube::Pod pod;                   ///< as it was first seen without a gate
  std::size_t place = 0;           ///< pods that were seen earlier have a smaller one
  std::optional<Instant> arrived;  ///< it could be scheduled: it was there, and no gate held it
  std::optional<Instant> bound;
  std::optional<Instant> started;  ///< its containers run
  std::optional<Instant> ended;    ///< they have ended by themselves, well or not
  std::optional<Instant> deleted;  ///< before it ended: a client wanted it gone
};

/// Gathers the lives of all pods from a recording's lines, and the nodes of its beginning. Where the recorded clock was
/// set back, time stands still until it has caught up.
class PodLives {
 public:
  void take(const RecordedLine& line);

  /// When the first scheduler began to decide; what was there by then arrived at that time. Nothing: none did.
  [[nodiscard]] const std::optional<Instant>& beginning() const { return beginning_; }
  /// By uid.
  [[nodiscard]] const std::map<std::string, PodLife>& lives() const { return lives_; }
  /// Those that were there at the beginning, by name.
  [[nodiscard]] std::vector<kube::Node> nodes() const;

 private:
  void begin(Instant at);
  void put(const RecordedLine& line);
  void gone(const std::string& uid, Instant at);

  Instant now_;  // never before 1970
  std::optional<Instant> beginning_;
  std::map<std::string, PodLife> lives_;
  std::map<watching::ObjectKey, std::string> there_;  // uids of pods that are there
  std::set<std::string> seen_;                        // uids, by the scheduler that the lines are about
  std::map<std::string, kube::Node> nodes_;
};

}  // namespace loadline::recording
