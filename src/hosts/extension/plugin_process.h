#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/contract.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "hosts/extension/child_process.h"
#include "hosts/extension/frame.h"

namespace loadline::extension {

/// What a plugin says of itself.
struct PluginIdentity {
  std::string name;
  std::string version;
  std::int32_t normalization = 0;
};

/// A plugin at work in a process of its own. Whatever the plugin does, a call returns in time, with an answer or with
/// what happened; after a crash, a timeout or an answer that makes no sense the process is gone, and so it remains.
class PluginProcess {
 public:
  using Timeout = std::chrono::milliseconds;

  /// Starts a process that loads the library. Errors: why it cannot be used.
  static Result<PluginProcess> start(const std::string& file, Timeout timeout);
  ~PluginProcess();
  PluginProcess(PluginProcess&&) noexcept = default;
  PluginProcess& operator=(PluginProcess&&) = delete;

  [[nodiscard]] const PluginIdentity& identity() const { return identity_; }

  /// Makes the instance. Call once, before score(). Errors: the plugin's own, or what became of the process.
  Result<void> create(const document::Value& arguments);
  /// `request`: a PluginRequest::kScore about so many nodes. Errors: likewise.
  Result<std::vector<std::int64_t>> score(const FrameWriter& request, std::size_t nodes);

  /// False: see how it ended.
  [[nodiscard]] bool alive() const { return child_.has_value(); }
  /// "crashed with signal 11 (Segmentation fault)", "did not answer within 5s". REQUIRES: !alive().
  [[nodiscard]] const std::string& how_it_ended() const {
    REQUIRES(!alive());
    return how_it_ended_;
  }

 private:
  PluginProcess(ChildProcess child, Timeout timeout) : child_(std::move(child)), timeout_(timeout) {}

  Result<std::string> receive(Deadline deadline);
  Result<std::string> ask(const FrameWriter& request);
  tl::unexpected<Error> lose(Channel::Transfer outcome);
  tl::unexpected<Error> lose(std::string how);

  std::optional<ChildProcess> child_;
  Timeout timeout_;
  PluginIdentity identity_;
  std::string how_it_ended_;
};

/// The arguments' scalars by where they stand, sorted: {a: {b: [x, 2]}} is a.b.0 = "x", a.b.1 = "2".
std::vector<std::pair<std::string, std::string>> flattened(const document::Value& arguments);

}  // namespace loadline::extension
