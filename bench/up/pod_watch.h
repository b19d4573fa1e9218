#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Watches pods that have a node, and of them only what a watcher of metadata gets, which costs both sides least. When
/// the server ends a watch, as kube-apiserver does with watchers that do not keep up, another begins, and tells of all
/// pods there are anew, as kBound.
class PodWatch {
 public:
  enum class Type : std::uint8_t { kBound, kChanged, kGone };
  struct Event {
    Type type;
    std::string_view name_space;
    std::string_view name;
    bool is_being_deleted;
  };
  using OnEvent = std::function<void(const Event&)>;

  /// From now on, in all namespaces or in one; waits until the server has begun to answer.
  static Result<std::unique_ptr<PodWatch>> open(Session& session, const std::string& name_space, OnEvent on_event);
  PodWatch(const PodWatch&) = delete;
  PodWatch& operator=(const PodWatch&) = delete;

  /// How often another watch had to begin.
  [[nodiscard]] std::size_t renewals() const { return renewals_; }

 private:
  PodWatch(Session& session, net::Request request, OnEvent on_event)
      : session_(session), request_(std::move(request)), on_event_(std::move(on_event)) {}
  Result<void> begin();
  void take(std::string_view piece);
  void read(std::string_view line) const;

  Session& session_;
  net::Request request_;
  OnEvent on_event_;
  std::unique_ptr<net::Client> client_;
  std::string rest_;  // of a line whose end has not come
  std::optional<int> status_;
  std::size_t renewals_ = 0;
  std::unique_ptr<EventLoop::Timer> renewal_;
};

}  // namespace loadline::bench
