#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/workloads/gates.h"
#include "foundation/base/ask.h"
#include "foundation/base/contract.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "foundation/observe/instruments.h"
#include "hosts/control/control_loop.h"
#include "hosts/embedded/control_questions.h"
#include "hosts/embedded/measured_usage.h"
#include "hosts/embedded/pending_workloads.h"
#include "hosts/recording/recording.h"
#include "hosts/watching/cross_thread_client.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "server/apiserver/control_plane.h"

namespace loadline::embedded {

struct ClusterOptions {
  apiserver::ControlPlaneOptions plane;
  bool runs_pods = true;                             ///< false: an API server and nothing else
  bool has_scheduler = true;                         ///< false: pods are bound from outside
  bool has_machines = true;                          ///< false: kubelets outside run the pods
  std::vector<std::string> disabled_operators = {};  ///< by name: hosts/operators/registry.h
  workloads::Gates gates;
  kube::SchedulerConfiguration scheduler;
  std::optional<engine::Policy> policy = {};  ///< goes before the Policy in the cluster
  placement::Extensions extensions;           ///< plugins and extenders that its profiles may name
  kube::ConfigurationScope configurations;    ///< what ConfigMaps of the cluster may configure
  /// Tells of every decision of the scheduler, before it is acted upon. May be empty.
  std::function<void(const decision::PodTurn&)> when_decided = {};
  /// Nodes that are to be there. Those that are there already stay as they are.
  std::vector<document::Value> nodes;
  bool nodes_only_if_empty = false;        ///< only in a cluster without any
  std::shared_ptr<observe::Log> log = {};  ///< of all components; null: nothing is logged
  bool provides_storage = false;           ///< a default StorageClass: see default_storage.h; not without pods
  /// How often virtual nodes renew their Leases; may change while the cluster runs. Null: as kubelets do.
  std::shared_ptr<const std::atomic<Duration>> lease_period = {};
  /// Another thread's loop, on which controllers, scheduler and machines work, beside the API server. It runs as long
  /// as there is a cluster, and its time is that of the cluster's loop. Null: all of them take turns on that one.
  EventLoop* control_loop = nullptr;
  /// Is told all that the schedulers are told and decide, on their thread; the cluster is the last to let go of it.
  /// Null: nothing is recorded.
  std::shared_ptr<recording::Recording> recording = {};
  /// For tests: what controllers, scheduler and machines talk through instead of the client that it is given.
  std::function<std::unique_ptr<kube::Client>(std::unique_ptr<kube::Client>)> wire = {};
};

/// A Kubernetes cluster in one process: an API server, the controllers, the scheduler, and virtual machines whose pods
/// run as docs/virtual-nodes.md says. The owner opens the sockets.
///
/// It is used on its loop's thread, and calls back there, also where it has another thread for its controllers: the two
/// know each other by messages only (watching::CrossThreadClient, ControlQuestions). This one waits for the other while
/// it is made and destroyed, and in end_control(); else never.
class Cluster {
 public:
  /// Opens or makes the store. `loop` outlives the cluster; its clock is the cluster's. Errors: the store cannot be
  /// opened; the configuration is inconsistent.
  static Result<std::unique_ptr<Cluster>> open(EventLoop& loop, ClusterOptions options);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  [[nodiscard]] apiserver::ControlPlane& plane() { return *plane_; }
  /// Its user is in system:masters, and may do everything.
  [[nodiscard]] std::unique_ptr<kube::Client> client(std::string manager);

  /// Calls back once the API server is durable and has all nodes, and the controllers know what there is.
  void when_ready(std::function<void(Result<void>)> done);
  /// Ends controllers, scheduler and machines where they are: nothing happens any more but what clients do. Calls
  /// `stopped` (may be empty) once it is so: at once where there is one thread, else after what theirs is doing.
  void stop_control(const std::function<void()>& stopped = {});
  /// Ends controllers, scheduler and machines where they are, if they run, and starts new ones that know nothing, as if
  /// their process had crashed; requests under way may or may not have been carried out. Calls back once they know what
  /// there is. Errors, of one thread: they cannot be made.
  Result<void> restart_control(std::function<void()> when_synced);
  /// Ends them for good, and waits for that, but no longer than `at_most`. False: their thread is still at what it was
  /// doing. Then close_store() may follow, and nothing else: this cannot be destroyed any more.
  [[nodiscard]] bool end_control(std::chrono::nanoseconds at_most);
  /// Commits what is under way, and closes the store, for a process that ends at once.
  void close_store() { plane_->store().close(); }
  /// What the scheduler knows; null without one. REQUIRES: one thread.
  [[nodiscard]] scheduler::LiveClusterModel* model() {
    REQUIRES(control_loop_ == nullptr);
    return control_ == nullptr ? nullptr : control_->model();
  }
  /// What the controllers know; null without any. REQUIRES: one thread.
  [[nodiscard]] const watching::Caches* caches() const {
    REQUIRES(control_loop_ == nullptr);
    return control_ == nullptr ? nullptr : &control_->caches();
  }
  /// Has `question` look at what the controllers know, on their thread, and calls `done` with what it returns; with
  /// nothing if there are none. At once where there is one thread.
  template <class Question, class Done>
  void look(Question question, Done done) {
    using Seen = std::optional<std::invoke_result_t<Question, const watching::Caches&>>;
    const auto see = [this, question = std::move(question)] {
      return control_ == nullptr ? Seen() : Seen(question(std::as_const(*control_).caches()));
    };
    questions_.ask(see, std::move(done));
  }
  /// Nothing is to be done now: whatever comes, comes from outside or in time. REQUIRES: one thread.
  [[nodiscard]] bool is_idle() const {
    REQUIRES(control_loop_ == nullptr);
    return control_ == nullptr || control_->is_idle();
  }
  /// Calls `done`, later, once nothing is to be done now; or after a while, if there is no end to it.
  void when_idle(const EventLoop::Task& done);

  /// What scheduler and controllers are watched with; empty without any.
  [[nodiscard]] const observe::Instruments& instruments() const { return instruments_; }

  /// Ends all watches.
  void stop() { plane_->stop(); }

 private:
  Cluster(EventLoop& loop, EventLoop* control_loop);
  [[nodiscard]] EventLoop& control_loop() const { return control_loop_ == nullptr ? loop_ : *control_loop_; }
  /// On the controllers' thread, while this one waits.
  template <class Step>
  std::invoke_result_t<Step> on_control(Step step) const {
    return control_loop_ == nullptr ? step() : ask(*control_loop_, std::move(step));
  }
  [[nodiscard]] std::unique_ptr<kube::Client> control_client(std::string user, std::string manager);
  void post_to_control(EventLoop::Task task);
  void post_from_control(EventLoop::Task task);
  [[nodiscard]] std::uint64_t messages() const;
  void look_whether_idle(std::size_t rounds, std::uint64_t messages, const EventLoop::Task& done);
  void add_instruments(std::shared_ptr<observe::Log> log);
  Result<void> make_control_there();
  void start_control(EventLoop::Task when_synced);
  /// On the controllers' thread, behind all that it has to do; at once where there is one.
  void tell_control(EventLoop::Task task);
  void add_nodes(const std::function<void(Result<void>)>& done);
  void create_nodes(std::vector<document::Value> nodes, const std::function<void(Result<void>)>& done);

  EventLoop& loop_;
  EventLoop* control_loop_;                               // null: the same
  std::unique_ptr<watching::ThreadMailboxes> mailboxes_;  // null: so is its thread
  ControlQuestions questions_;
  observe::Instruments instruments_;
  bool has_nodes_ = false;
  std::shared_ptr<bool> has_synced_ = std::make_shared<bool>(false);  // what control_ has said; one for each
  scheduler::SchedulingOptions scheduling_;
  std::function<void(const decision::PodTurn&)> when_decided_;
  std::shared_ptr<recording::Recording> recording_;  // null: none
  std::function<std::unique_ptr<kube::Client>(std::unique_ptr<kube::Client>)> wire_;
  std::unique_ptr<apiserver::ControlPlane> plane_;
  std::unique_ptr<kube::Client> setup_;            // creates nodes
  std::unique_ptr<control::ControlLoop> control_;  // of its thread; null: an API server and nothing else
  std::unique_ptr<MeasuredUsage> usage_;           // of what control_ knows
  std::unique_ptr<PendingWorkloads> pending_;      // as control_ knows them
  std::vector<document::Value> nodes_;
  std::shared_ptr<const std::atomic<Duration>> lease_period_;
  bool runs_pods_ = false;
  bool has_scheduler_ = true;
  bool has_machines_ = true;
  std::vector<std::string> disabled_operators_;
  workloads::Gates gates_;
  bool only_if_empty_ = false;
  bool provides_storage_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::embedded
