#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::operators {

/// The status of a RayJob as a look at it changes it.
/// Source: updateRayJobStatus in rayjob_controller.go, kuberay v1.6.2.
class RayJobStatusDraft {
 public:
  /// Of the job's document.
  explicit RayJobStatusDraft(const document::Value& job);

  [[nodiscard]] std::string text(std::string_view field) const;
  /// An empty text takes the field away.
  void set(std::string_view field, std::string_view text);
  void set(std::string_view field, Instant at);
  void count(std::string_view field, std::int64_t by);
  [[nodiscard]] std::int64_t number(std::string_view field) const;
  /// Null or empty: what a cluster says that has no status yet.
  void set_cluster_status(const document::Value& status);
  /// What Ray says of the job: startTime, endTime.
  [[nodiscard]] document::Value info() const;
  void set_info(std::string_view field, Instant at);
  void forget_info();

  /// Whether it says something else than the job's document about what is worth writing it: the states of the job, of
  /// what is made for it, of its cluster.
  [[nodiscard]] bool is_news() const;
  /// With all that KubeRay always writes.
  [[nodiscard]] document::Value value() const;

 private:
  document::Value before_;
  document::Value now_;
};

}  // namespace loadline::operators
