#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace loadline::hostile {

/// Somebody who has nothing to do with it: in a namespace of their own, creates, reads and deletes a ConfigMap and a
/// pod, again and again, and measures how long each answer takes.
class Neighbour {
 public:
  explicit Neighbour(std::string kubeconfig);
  ~Neighbour() { stop(); }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  void stop();

  // After stop().
  [[nodiscard]] double longest() const { return longest_; }              ///< seconds
  [[nodiscard]] const std::string& slowest() const { return slowest_; }  ///< what was answered after so long
  [[nodiscard]] double median() const;
  [[nodiscard]] std::size_t answers() const { return seconds_.size(); }
  /// What was not answered as it should be.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  void work();

  std::string kubeconfig_;
  std::atomic<bool> stops_ = false;
  std::vector<double> seconds_;
  double longest_ = 0;
  std::string slowest_;
  std::vector<std::string> failures_;
  std::thread thread_;
};

}  // namespace loadline::hostile
