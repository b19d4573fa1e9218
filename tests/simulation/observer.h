#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/object.h"
#include "objects/kube/client.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"
#include "objects/kube/scheduling/pod_group.h"
#include "simulation/trace.h"

namespace loadline::simulation {

/// "namespace/name".
std::string key_of(const document::Value& object);
/// The same of the group that the pod belongs to; empty: of none.
std::string group_of(const watching::Observed<kube::Pod>& pod);

/// Watches every version of every pod and node, and reports what must never happen:
///  - a pod that changes its node, or lives again after it has ended, or has a node although a gate holds it;
///  - pods on a node that request more than it has, unless the node shrank;
///  - more pods in a namespace than its quota allows, but for those that are being deleted: quota leaves out what
///    should be gone by now;
///  - two Jobs at work of a CronJob that forbids it;
///  - a PodGroup that says that it was scheduled although never as many of its pods had a node as start together, or
///    that takes that back;
///  - pods of such a group that it releases, unless it has lacked others for as long as the scheduler is patient, and
///    they say for whom: the recommended policy has broken groups give way to whoever starts in their room;
///  - while a budget is guarded, fewer healthy pods than it demands;
///  - an API server that comes back with less than it had told;
///  - objects that change without end.
class Observer {
 public:
  /// `trace` outlives it.
  explicit Observer(const Trace& trace);
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Tells `hear` of every version of objects of that kind, too, after it has looked at it. To be called before
  /// follow().
  void listen(const kube::ResourceReference& of, std::function<void(const kube::WatchEvent& event)> hear);
  /// Lists and watches at once. REQUIRES: `client` outlives it, or let_go() comes first.
  void follow(kube::Client& client);
  /// The API server ends: follow() will compare what there is then with what was.
  void let_go();

  /// No more pods than that may be in the namespace.
  void expect_quota(const std::string& name_space, std::size_t pods) { quotas_[name_space] = pods; }
  /// From now on, that many pods with the label app=`app` stay healthy. 0: no more.
  void guard(const std::string& app, std::size_t healthy);

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  void report(std::string violation) { violations_.push_back(std::move(violation)); }
  /// Something was there to be checked: a check that never has anything to look at proves nothing.
  void note(const std::string& what) { ++notes_[what]; }
  [[nodiscard]] const std::map<std::string, std::size_t>& notes() const { return notes_; }
  /// How many pods have come, and how many have gone.
  [[nodiscard]] std::size_t comings_and_goings() const { return comings_and_goings_; }
  /// Of all that was seen, in order.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }

  using Pod = watching::Observed<kube::Pod>;
  using Node = watching::Observed<kube::Node>;
  using Group = watching::Observed<kube::PodGroup>;
  [[nodiscard]] const std::map<std::string, Pod>& pods() const { return pods_; }
  [[nodiscard]] const std::map<std::string, Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::map<std::string, Group>& groups() const { return groups_; }
  /// Whether as many of the group's pods as start together, of a basic group one, had nodes at one time since its
  /// object is there. Those count that have ended, and not those that are being deleted.
  [[nodiscard]] bool has_started(const Group& group) const { return started_.contains(group.metadata().uid); }
  /// Whether that is so now.
  [[nodiscard]] bool is_whole(const Group& group) const;
  [[nodiscard]] static bool says_scheduled(const Group& group);
  /// Some gang has pods on nodes that never were as many as start together.
  [[nodiscard]] bool sees_partial_start() const;
  using Documents = std::map<std::string, document::Value>;
  [[nodiscard]] const Documents& claims() const { return claims_; }
  [[nodiscard]] const Documents& jobs() const { return jobs_; }
  [[nodiscard]] static bool is_ready(const Pod& pod);
  [[nodiscard]] static bool has_ended(const document::Value& job);
  [[nodiscard]] bool is_healthy_node(const std::string& name) const;
  [[nodiscard]] std::size_t live_pods_in(const std::string& name_space) const;
  [[nodiscard]] bool is_quota_full(const std::string& name_space) const;

 private:
  /// A resource that is watched.
  struct Feed {
    kube::ResourceReference of;
    std::function<void(const kube::WatchEvent& event)> take;
    std::map<std::string, document::Value> known;
    std::unique_ptr<kube::Watch> watch;
  };

  void follow(Feed& feed, kube::Client& client);
  void compare(Feed& feed, const kube::ObjectList& list);
  void on_event(Feed& feed, const kube::WatchEvent& event);
  void on_pod(const kube::WatchEvent& event);
  void on_node(const kube::WatchEvent& event);
  void on_job(const kube::WatchEvent& event);
  void on_group(const kube::WatchEvent& event);
  void follow_group(const std::string& key);
  [[nodiscard]] std::int64_t bound_pods(const Group& group) const;
  [[nodiscard]] bool is_lacking(const Group& group) const;
  void check_release(const Pod* before, const Pod& now);
  void check_history(const Pod* before, const Pod& now);
  void check_room(const std::string& node);
  void check_guard();
  void digest(const std::string& text);

  const Trace& trace_;
  std::vector<Feed> feeds_;
  std::uint64_t revision_ = 0;  // of the newest version that was seen
  std::map<std::string, Pod> pods_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Group> groups_;
  std::map<std::string, Group> last_groups_;  // and those that are gone, as they were
  std::set<std::string> started_;             // uids of groups
  std::set<std::string> ever_whole_;          // keys of groups of which as many pods as start together had nodes once
  std::map<std::string, Instant> lacking_;    // keys of groups, since when they have fewer that can run on
  Documents claims_;
  Documents jobs_;
  std::set<std::string> forbidding_;                 // uids of CronJobs that forbid two Jobs at once
  std::map<std::string, kube::ResourceList> rooms_;  // of nodes, as they were last
  std::set<std::string> shrunk_;
  std::map<std::string, std::size_t> quotas_;
  std::string guarded_app_;
  std::size_t guarded_ = 0;
  std::size_t versions_ = 0;
  std::size_t comings_and_goings_ = 0;
  std::vector<std::string> violations_;
  std::map<std::string, std::size_t> notes_;
  std::uint64_t digest_ = 14695981039346656037ULL;
};

}  // namespace loadline::simulation
