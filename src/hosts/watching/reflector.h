#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// Where a Reflector puts what it hears.
class Mirror {
 public:
  Mirror() = default;
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;
  virtual ~Mirror() = default;

  /// These objects are all there are at that revision.
  virtual void replace(std::vector<document::Value> objects, std::uint64_t revision) = 0;
  virtual void put(const document::Value& object) = 0;
  virtual void erase(const document::Value& object) = 0;
  /// Nothing else happened up to that revision.
  virtual void reach(std::uint64_t revision) = 0;
};

/// Keeps a mirror like the API server: lists a resource, watches it from there on, and begins anew when the watch has a
/// gap or breaks, at once if history was compacted, otherwise after 0.8 s doubling to 30 s. Source: client-go
/// tools/cache/reflector.go, v0.36, but for its jitter, which would not be deterministic.
class Reflector {
 public:
  /// `client`, `loop` and `mirror` outlive it.
  Reflector(EventLoop& loop, kube::Client& client, kube::ResourceReference resource, Mirror& mirror);
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start() { list(); }
  /// The mirror has been filled once.
  [[nodiscard]] bool has_synced() const { return has_synced_; }

 private:
  void list();
  void on_page(kube::Answer<kube::ObjectList> page);
  void watch(const std::string& resource_version);
  void on_event(const kube::WatchEvent& event);
  void begin_anew(bool at_once);

  EventLoop& loop_;
  kube::Client& client_;
  kube::ResourceReference resource_;
  Mirror& mirror_;
  std::vector<document::Value> listed_;  // of a list under way
  std::string continue_token_;
  std::unique_ptr<kube::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> retry_;
  Duration delay_{};
  bool has_synced_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers under way look at it
};

}  // namespace loadline::watching
