#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "foundation/base/event_loop.h"
#include "foundation/base/rng.h"
#include "objects/kube/client.h"
#include "simulation/trace.h"

namespace loadline::simulation {

/// What goes wrong between a cluster's programs and its API server, drawn from one seed.
class Faults {
 public:
  Faults(EventLoop& loop, const Trace& trace, std::uint64_t seed) : loop_(loop), trace_(trace), random_(seed) {}
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /// Ends the faults; messages that are late already stay late.
  void stop() { are_on_ = false; }
  [[nodiscard]] bool happens_one_in(std::uint64_t odds);
  /// How late the next message is: mostly not at all, sometimes seconds.
  [[nodiscard]] Duration lateness();
  /// Runs the task after that time; at once if there is none.
  void later(Duration delay, EventLoop::Task task);
  /// Runs the task after that time, never within the call.
  void post(Duration delay, EventLoop::Task task);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  EventLoop& loop_;
  const Trace& trace_;
  Rng random_;
  bool are_on_ = true;
  std::uint64_t count_ = 0;
  std::uint64_t next_timer_ = 0;
  std::map<std::uint64_t, std::unique_ptr<EventLoop::Timer>> timers_;
};

/// A client over a connection with faults: requests and answers are late, are refused (409, 500, 429), or are carried
/// out and the answer is lost (504); watches are late, and end with 410 or 500.
class FaultyClient final : public kube::Client {
 public:
  /// `faults` outlives it.
  FaultyClient(std::unique_ptr<kube::Client> inner, Faults& faults) : inner_(std::move(inner)), faults_(faults) {}

  void get(const kube::ResourceReference& of, OnObject done) override;
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override;
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                   OnEvent on_event) override;
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override;
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override;

 private:
  /// The task, if the client is still there by then.
  EventLoop::Task guarded(EventLoop::Task task);
  template <class T>
  void request(const std::function<std::string()>& what, std::function<void(kube::Answer<T>)> done, bool may_conflict,
               std::function<void(std::function<void(kube::Answer<T>)>)> send);

  std::unique_ptr<kube::Client> inner_;
  Faults& faults_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // delayed tasks check it
};

}  // namespace loadline::simulation
