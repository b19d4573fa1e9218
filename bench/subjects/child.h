#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/result.h"

namespace loadline::bench {

/// A program in the background, whose output goes to a file. Killed and waited for when this goes away, and when this
/// process ends.
class Child {
 public:
  static Result<Child> start(const std::vector<std::string>& command, const std::filesystem::path& log);
  ~Child() { kill(); }
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  Child& operator=(Child&&) = delete;

  /// Kills it at once, as a power cut would, and waits until it is gone.
  void kill();

  /// Waits until it ends by itself; whether all went well.
  bool wait();

  /// What it holds in memory now; nothing if it has ended.
  [[nodiscard]] std::optional<double> resident_megabytes() const;

  /// The processor time that it took so far; nothing if it has ended.
  [[nodiscard]] std::optional<double> cpu_seconds() const;

 private:
  explicit Child(pid_t process) : process_(process) {}

  pid_t process_;
};

/// Raises the number of files that this process, and those that it starts, may have open to what the system allows.
void raise_file_limit();

}  // namespace loadline::bench
