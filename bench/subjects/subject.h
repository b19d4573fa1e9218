#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/subjects/child.h"
#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Which server is measured. What is durable waits for the disk at each write; what is not, loses all when it ends.
enum class Variant : std::uint8_t { kDisk, kMemory, kPeerDisk, kPeerMemory };

inline constexpr Variant kVariants[] = {Variant::kDisk, Variant::kMemory, Variant::kPeerDisk, Variant::kPeerMemory};

std::string_view name_of(Variant variant);
inline bool is_peer(Variant variant) { return variant == Variant::kPeerDisk || variant == Variant::kPeerMemory; }

struct Programs {
  std::string loadline;
  std::string kubernetes;  ///< etcd, kube-apiserver and their like in one; empty: there is no peer
  std::vector<std::string> up_options = {"--api-only"};
};

/// A server that runs, with nothing in it at first. It ends, and its folder is removed, when this goes away.
class Subject {
 public:
  /// Starts one below `folder`, and waits until it is ready.
  static Result<std::unique_ptr<Subject>> start(Variant variant, const Programs& programs,
                                                const std::filesystem::path& folder);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// From the start of the first process to the first 200 of /readyz.
  [[nodiscard]] double ready_milliseconds() const { return ready_ms_; }

  /// Of all its processes together.
  [[nodiscard]] double resident_megabytes() const;

  /// The processor time that all its processes took so far.
  [[nodiscard]] double cpu_seconds() const;

  /// Starts another program of the real system beside the server, with a kubeconfig for it; NAME.log has what it says.
  Result<void> run_beside(const std::string& name, const std::vector<std::string>& options);

  /// Kills it and starts it anew on what it kept; ready_milliseconds() tells how long that took.
  Result<void> restart();

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] Variant variant() const { return variant_; }

 private:
  Subject(Variant variant, Programs programs, std::filesystem::path folder)
      : variant_(variant), programs_(std::move(programs)), folder_(std::move(folder)) {}

  Result<void> launch();
  Result<void> launch_loadline();
  Result<void> make_peer_secrets();
  Result<void> launch_peer();
  Result<void> run(const std::string& name, const std::vector<std::string>& command);
  Result<void> wait_until_ready();
  Result<void> open_session();
  [[nodiscard]] std::string last_words() const;

  Variant variant_;
  Programs programs_;
  std::filesystem::path folder_;
  std::vector<Child> children_;
  std::uint16_t port_ = 0;
  std::string token_;
  double ready_ms_ = 0;
  std::unique_ptr<Session> session_;
};

}  // namespace loadline::bench
