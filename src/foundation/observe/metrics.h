#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::observe {

/// What tells requests apart, in kube-apiserver's words.
struct RequestLabels {
  std::string_view verb;  ///< GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, CONNECT…
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view scope;  ///< resource, namespace, cluster; empty for what is no resource
  bool is_dry_run = false;
};

/// How many objects of a resource there are.
struct ObjectCount {
  std::string_view group;
  std::string_view resource;
  std::size_t count = 0;
};

/// The figures of an API server, under kube-apiserver's names where they mean the same. All on one thread.
/// Sources: k8s.io/apiserver/pkg/endpoints/metrics/metrics.go and pkg/storage/etcd3/metrics/metrics.go, v0.36.
class Metrics {
 public:
  /// Requests of the same labels. A reference stays valid as long as the metrics.
  class Requests {
   public:
    virtual ~Requests() = default;
    virtual void begin() = 0;
    /// `status` 0: it was never answered, and counts as nothing but over.
    virtual void end(int status, double seconds) = 0;
  };

  /// Events that went to watchers of one resource.
  struct Events {
    std::uint64_t sent = 0;
  };

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Labels must come from what is served, not from what clients make up: each new set stays for good. O(1), and
  /// without allocation for labels that are known.
  [[nodiscard]] Requests& requests(const RequestLabels& labels);
  [[nodiscard]] Events& events(std::string_view group, std::string_view version, std::string_view resource);

  /// All of it in Prometheus' text format, this process included.
  [[nodiscard]] std::string text(const std::vector<ObjectCount>& objects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::observe
