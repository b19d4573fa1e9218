#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/up/pod_watch.h"
#include "bench/up/requests.h"
#include "foundation/base/result.h"

namespace loadline::bench {

struct ChurnPlan {
  double per_second = 1'000;
  double seconds = 60;
  double lifetime_seconds = 1;  ///< from a pod's binding to the request that deletes it
};

struct ChurnOutcome {
  double created_per_second = 0;      ///< acknowledged within the time
  std::vector<double> scheduling_ms;  ///< of each pod that was bound: from the acknowledgement to the event
  std::size_t created = 0;            ///< in all
  std::size_t unbound = 0;            ///< of those that were created
  std::size_t undeleted = 0;          ///< likewise, still there in the end
};

/// Pods that come at a steady rate, whatever becomes of those before, and go a little after they were bound, with the
/// grace that pods have. A watcher of its own sees when.
class Churn {
 public:
  /// In a namespace that is there. REQUIRES: no other code uses the session's loop meanwhile.
  static Result<ChurnOutcome> run(Session& session, const std::string& name_space, const ChurnPlan& plan);

 private:
  static constexpr std::size_t kCreators = 64;  ///< connections
  static constexpr std::size_t kDeleters = 32;
  struct Life {
    std::optional<Clock::time_point> created;
    std::optional<Clock::time_point> bound;
  };
  Churn(Session& session, std::string name_space, const ChurnPlan& plan)
      : session_(session),
        name_space_(std::move(name_space)),
        plan_(plan),
        creates_(session, kCreators),
        deletes_(session, kDeleters) {}
  Result<void> open();
  void tick();
  void create_next();
  void remove(std::size_t number);
  void on_pod(const PodWatch::Event& event);
  /// The first that broke a connection; null: none did.
  [[nodiscard]] const Error* error() const;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] ChurnOutcome outcome() const;
  Result<std::size_t> count_pods();

  Session& session_;
  std::string name_space_;
  ChurnPlan plan_;
  Requests creates_;
  Requests deletes_;
  std::unique_ptr<PodWatch> watch_;
  Clock::time_point start_;
  std::vector<Life> lives_;
  std::vector<std::size_t> bound_;  // in order
  std::size_t deleted_ = 0;         // of bound_
  std::size_t in_time_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace loadline::bench
