#pragma once

#include <cstdint>
#include <memory>

#include "foundation/base/rng.h"
#include "foundation/base/virtual_loop.h"
#include "linearizability/line.h"
#include "server/apiserver/control_plane.h"
#include "server/net/server.h"
#include "server/store/testing/crash_disk.h"

namespace loadline::linearizability {

/// A whole API server in memory and virtual time, on a disk that fails and loses power, with lines that are slow, break
/// in the middle of a message, and yield a few bytes at a time. It crashes and restarts from its log.
class FaultyServer {
 public:
  explicit FaultyServer(std::uint64_t seed);
  FaultyServer(const FaultyServer&) = delete;
  FaultyServer& operator=(const FaultyServer&) = delete;
  ~FaultyServer();

  [[nodiscard]] VirtualLoop& loop() { return loop_; }

  /// The power goes, now or within the disk's next steps; is_dying() tells when.
  void lose_power() { disk_.lose_power_at(disk_.steps() + random_.below(30)); }
  [[nodiscard]] bool is_dying() const { return !disk_.has_power(); }
  /// Ends the server, without closing connections, and starts it from what its disk kept. All lines are cut.
  void restart();
  /// From now on, writes to the disk fail now and then, until it is called again.
  void spoil_disk(bool is_spoilt) { disk_.fail_one_in(is_spoilt ? 4 + random_.below(20) : 0); }

  /// A new line to it; `is_sound`: it never breaks by itself.
  std::unique_ptr<Line> connect(bool is_sound);

  [[nodiscard]] std::int64_t version() { return plane_->store().revision(); }
  [[nodiscard]] std::uint64_t faults() const { return disk_.faults(); }

 private:
  [[nodiscard]] bool start();
  void end();

  VirtualLoop loop_;
  Rng random_;
  store::CrashDisk disk_;
  std::unique_ptr<apiserver::ControlPlane> plane_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace loadline::linearizability
