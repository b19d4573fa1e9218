#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/event_loop.h"
#include "hosts/embedded/cluster.h"
#include "hosts/timeline/amount_over_time.h"
#include "hosts/timeline/endings.h"
#include "hosts/timeline/queues_over_time.h"
#include "hosts/timeline/timeline.h"
#include "objects/kube/client.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::timeline {

/// What was seen of an object that pods may belong to.
struct SeenObject {
  WorkloadName name;
  std::optional<kube::OwnerReference> controller;
  bool is_workload = false;  ///< shown even if it has no pods
  Duration seen;
  std::optional<Duration> gone;
  std::optional<StatedEnding> ended;
  std::string waits_because;                ///< as its conditions say; empty: it does not wait, or they do not say
  std::optional<std::int64_t> wanted_pods;  ///< at once; nothing: its kind does not say it in one number
};

struct SeenPod {
  PodLife life;                                    ///< all but `workload`
  std::optional<kube::OwnerReference> controller;  ///< nothing: its own workload
  std::optional<Duration> left;                    ///< its deletion began, or it ended
  bool is_deleted = false;                         ///< its deletion began before it ended
  bool restarts_for_ever = false;                  ///< restartPolicy: Always
};

/// Watches a cluster and writes down when what happened: with the loop's time at which it hears of a change, so however
/// far the loop is advanced at a time, times are exact.
class Observer {
 public:
  /// Both outlive this.
  Observer(EventLoop& loop, embedded::Cluster& cluster);

  /// Watches pods, nodes, and all kinds that may own pods, as far as they are served and not watched yet. What there
  /// is already is seen first.
  void watch();

  /// When something changed that counts as news: a pod or a workload came, went, got a node, started or ended, or a pod
  /// that is to end was restarted; but for what CronJobs begin anew.
  [[nodiscard]] Duration last_news() const { return last_news_; }
  /// The same, with what CronJobs begin anew.
  [[nodiscard]] Duration last_change() const { return last_change_; }
  [[nodiscard]] bool has_cron_jobs() const { return has_cron_jobs_; }
  /// Pods that ended well without saying how long they run.
  [[nodiscard]] std::size_t ends_by_default() const { return ends_by_default_; }
  /// A watch that ended is a fault of the program; empty: none did.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  [[nodiscard]] const std::map<std::string, SeenPod, std::less<>>& pods() const { return pods_; }
  [[nodiscard]] const std::map<std::string, SeenObject, std::less<>>& objects() const { return objects_; }
  /// Nodes in the order in which they were seen.
  [[nodiscard]] const std::vector<std::string>& nodes() const { return node_names_; }
  [[nodiscard]] const ResourceLedger& resources() const { return resources_; }
  [[nodiscard]] const AmountOverTime& pending_pods() const { return pending_; }
  [[nodiscard]] const QueuesOverTime& queues() const { return queues_; }

  /// Who is at the top above a controller. Objects that were not seen are at the top themselves.
  [[nodiscard]] WorkloadName top_of(const kube::OwnerReference& controller, const std::string& name_space) const;

 private:
  struct Held {
    bool is_pending = false;
    kube::ResourceList requested;  ///< on nodes; empty: not, or no more
  };

  [[nodiscard]] Duration now() const { return loop_.now() - start_; }
  void watch_one(const kube::ResourceReference& of, std::function<void(const kube::WatchEvent&)> on_event);
  void on_pod(const kube::WatchEvent& event);
  void on_node(const kube::WatchEvent& event);
  void on_object(const kube::WatchEvent& event);
  [[nodiscard]] bool observe_pod(const kube::Pod& pod, SeenPod& seen);
  void hold(const std::string& uid, const SeenPod& seen, const kube::Pod& pod);
  void tell_news(bool is_of_cron_job);
  [[nodiscard]] const std::optional<kube::OwnerReference>* controller_above(const std::string& uid) const;
  [[nodiscard]] bool is_of_cron_job(const std::optional<kube::OwnerReference>& controller,
                                    const std::string& name_space) const;

  EventLoop& loop_;
  embedded::Cluster& cluster_;
  Instant start_;
  std::map<std::string, SeenPod, std::less<>> pods_;        // by uid
  std::map<std::string, Held, std::less<>> held_;           // likewise
  std::map<std::string, SeenObject, std::less<>> objects_;  // likewise
  std::map<std::string, kube::ResourceList, std::less<>> nodes_;
  std::vector<std::string> node_names_;
  ResourceLedger resources_;
  AmountOverTime pending_;
  QueuesOverTime queues_;
  Duration last_news_;
  Duration last_change_;
  bool has_cron_jobs_ = false;
  std::size_t ends_by_default_ = 0;
  std::string fault_;
  std::set<std::string> watched_;  // group and plural
  std::unique_ptr<kube::Client> client_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;  // end before their client
};

}  // namespace loadline::timeline
