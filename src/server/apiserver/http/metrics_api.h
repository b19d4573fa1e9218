#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// What something used: averaged over a window of time.
struct Usage {
  kube::Quantity cpu;     ///< cores
  kube::Quantity memory;  ///< bytes
};

struct NodeUsage {
  Usage usage;
  Instant at;  ///< the end of the window
  Duration window;
};

struct PodUsage {
  std::vector<std::pair<std::string, Usage>> containers;  ///< by name, in the order of the pod
  Instant at;
  Duration window;
};

struct PodName {
  std::string name_space;
  std::string name;
};

/// The source of what nodes and pods use, perhaps on another thread. It is asked on the loop's thread, and calls `done`
/// there: at once, later, or never, if it is stuck. An answer is as long as the question; nothing: not measured (yet).
class UsageSource {
 public:
  using OnNodes = std::function<void(std::vector<std::optional<NodeUsage>>)>;
  using OnPods = std::function<void(std::vector<std::optional<PodUsage>>)>;

  UsageSource() = default;
  UsageSource(const UsageSource&) = delete;
  UsageSource& operator=(const UsageSource&) = delete;
  virtual ~UsageSource() = default;

  virtual void measure_nodes(std::vector<std::string> names, OnNodes done) const = 0;
  virtual void measure_pods(std::vector<PodName> names, OnPods done) const = 0;
};

/// metrics.k8s.io/v1beta1: what `kubectl top` and autoscalers read. The group is served as long as there is a source of
/// usage; without, discovery does not list it and its paths are none, as in a cluster without metrics-server. Nodes and
/// pods that are not measured are left out of lists, and not found. A source that does not answer within
/// kAnswerPatience is a server that is unavailable, as one behind an aggregated API is; until it answers, it is not
/// asked again. Source: kubernetes-sigs/metrics-server v0.8, pkg/api.
class MetricsApi {
 public:
  static constexpr std::string_view kGroup = "metrics.k8s.io";

  /// Takes the group out of the catalog, which has it published.
  explicit MetricsApi(const ServerContext& context);

  /// From now on `source` is asked, which outlives its last answer; null: there is no source.
  void set_source(const UsageSource* source);
  /// By whose time clients wait; it outlives this. As at first: by the loop's.
  void set_wall(EventLoop& wall) { wall_ = &wall; }

  /// Answers a request about a resource of the group; without a source there is none.
  void handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info);

 private:
  struct Kind;
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;

  static const std::array<Kind, 2>& kinds();
  [[nodiscard]] Answer<std::vector<store::ObjectPtr>> wanted(const Question& question) const;
  void ask(const QuestionPtr& question);
  void ask_source(const QuestionPtr& question, std::vector<store::ObjectPtr> objects);
  void answered(Question& question, document::Array metrics);
  static void give_up(Question& question);
  static void tell(Question& question, document::Array metrics);

  ServerContext context_;
  EventLoop* wall_;
  const UsageSource* source_ = nullptr;
  std::vector<std::shared_ptr<const schema::Resource>> resources_;  // of the group, also while there is no source
  std::size_t open_ = 0;                                            // questions that the source has not answered
  bool is_late_ = false;                                            // one of them was given up
  std::deque<QuestionPtr> waiting_;                                 // for their turn
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);           // the source may answer after its end
};

}  // namespace loadline::apiserver
