#include "hosts/embedded/cluster.h"

#include <algorithm>
#include <future>
#include <utility>

#include "brain/engine/chosen_policy.h"
#include "hosts/control/node_drain.h"
#include "hosts/controllers/registry.h"
#include "hosts/embedded/default_storage.h"
#include "hosts/kubelet/node_status.h"
#include "hosts/kubelet/pod_lifecycle.h"
#include "hosts/operators/gang_workloads/controller.h"
#include "hosts/operators/gang_workloads/webhooks.h"
#include "hosts/operators/registry.h"
#include "objects/kube/loadline/policy.h"
#include "objects/kube/view.h"
#include "server/apiserver/auth/user.h"

namespace loadline::embedded {
namespace {

/// Enough for a few thousand pods on their way from being created to running.
constexpr std::size_t kParsedTextBytes = std::size_t{32} << 20;
constexpr const char* kSetup = "loadline";
/// So often at most it is asked whether all is done, which takes some tenths of a second.
constexpr std::size_t kRounds = 20'000;
/// The messages of one round.
constexpr std::uint64_t kQuestion = 2;
constexpr const char* kMachines = "system:node:virtual";
constexpr const char* kKubelet = "kubelet";

/// Every component in this process is in system:masters: together they are the control plane. Their names tell them
/// apart.
apiserver::User user_of(std::string name) {
  apiserver::User user;
  user.groups = {std::string(apiserver::kAuthenticated), std::string(apiserver::kMasters)};
  user.name = std::move(name);
  return user;
}

/// What the policy says of workloads that are created: the host's, or else the one that is stored.
std::function<operators::CreatedUnder(const apiserver::Lookup&)> created_under(
    const std::optional<engine::Policy>& of_host) {
  return [of_host](const apiserver::Lookup& stored) {
    engine::Policy policy = of_host.value_or(engine::Policy{});
    const auto object = of_host ? std::nullopt : stored.find("policies.loadline.dev", "", kube::kOnlyPolicy);
    if (object) {
      const auto& schema = *kube::kind_of<kube::Policy>().schema;
      policy = engine::read_policy(kube::view<kube::Policy>(*object, schema).object).chosen.policy;
    }
    return operators::CreatedUnder{policy.gang.workloads == gang::GangWorkloads::kWhole,
                                   gang::holds_room_for_later_parts(policy.gang)};
  };
}

}  // namespace

Result<std::unique_ptr<Cluster>> Cluster::open(EventLoop& loop, ClusterOptions options) {
  std::unique_ptr<Cluster> cluster(new Cluster(loop, options.control_loop));
  for (const std::string_view name : operators::scheduler_names(options.disabled_operators)) {
    kube::answer_to(name, options.scheduler);
  }
  cluster->scheduling_ = {std::move(options.scheduler), std::move(options.policy), std::move(options.extensions),
                          std::move(options.configurations),
                          std::ranges::find(options.disabled_operators, "kueue") == options.disabled_operators.end()};
  cluster->when_decided_ = std::move(options.when_decided);
  cluster->recording_ = std::move(options.recording);
  cluster->wire_ = std::move(options.wire);
  if (options.runs_pods) {
    options.plane.parsed_text_bytes = kParsedTextBytes;
    options.plane.webhooks = operators::make_webhooks(options.disabled_operators);
    for (auto& webhook : operators::make_gang_workload_webhooks(created_under(cluster->scheduling_.policy))) {
      options.plane.webhooks.push_back(std::move(webhook));
    }
  }
  options.plane.log_to = options.log;
  Result<std::unique_ptr<apiserver::ControlPlane>> plane = apiserver::ControlPlane::open(loop, options.plane);
  if (!plane) return tl::unexpected(plane.error());
  cluster->plane_ = std::move(*plane);
  if (cluster->mailboxes_ != nullptr) {
    store::Store& store = cluster->plane_->store();
    cluster->mailboxes_->to_server.wait_for(
        {[&store] { return store.is_behind(); },
         [&store](EventLoop::Task go_on) { store.when_caught_up(std::move(go_on)); }});
  }
  cluster->nodes_ = std::move(options.nodes);
  cluster->only_if_empty_ = options.nodes_only_if_empty;
  cluster->provides_storage_ = options.provides_storage && options.runs_pods;
  cluster->setup_ = cluster->client(kSetup);
  cluster->runs_pods_ = options.runs_pods;
  cluster->has_scheduler_ = options.has_scheduler;
  cluster->has_machines_ = options.has_machines;
  cluster->disabled_operators_ = std::move(options.disabled_operators);
  cluster->gates_ = options.gates;
  cluster->lease_period_ = std::move(options.lease_period);
  if (!options.runs_pods) return cluster;
  cluster->add_instruments(std::move(options.log));
  const Result<void> made = cluster->on_control([&] { return cluster->make_control_there(); });
  if (!made) return tl::unexpected(made.error());
  cluster->plane_->set_usage_source(cluster->usage_.get());
  cluster->plane_->set_pending_source(cluster->pending_.get());
  return cluster;
}

Cluster::Cluster(EventLoop& loop, EventLoop* control_loop)
    : loop_(loop),
      control_loop_(control_loop),
      mailboxes_(control_loop == nullptr ? nullptr : std::make_unique<watching::ThreadMailboxes>(loop_, *control_loop)),
      questions_(mailboxes_.get()) {}

std::unique_ptr<kube::Client> Cluster::control_client(std::string user, std::string manager) {
  std::unique_ptr<kube::Client> client = plane_->client(user_of(std::move(user)), std::move(manager));
  if (mailboxes_ != nullptr) client = std::make_unique<watching::CrossThreadClient>(*mailboxes_, std::move(client));
  return wire_ ? wire_(std::move(client)) : std::move(client);
}

void Cluster::post_to_control(EventLoop::Task task) {
  if (mailboxes_ == nullptr) return loop_.post(std::move(task));
  mailboxes_->to_client.post([this, task = std::move(task)] { control_loop_->post(task); });
}

void Cluster::tell_control(EventLoop::Task task) {
  if (mailboxes_ == nullptr) return task();
  mailboxes_->to_client.post(std::move(task));
}

void Cluster::post_from_control(EventLoop::Task task) {
  if (mailboxes_ == nullptr) return task();
  mailboxes_->to_server.post(std::move(task));
}

/// What is measured lives as long as the cluster, however often its controllers begin anew.
void Cluster::add_instruments(std::shared_ptr<observe::Log> log) {
  instruments_ = {std::move(log), std::make_shared<observe::SchedulerMetrics>(),
                  std::make_shared<observe::WorkQueueMetrics>(), std::make_shared<observe::KueueMetrics>()};
  instruments_.scheduler->set_source(
      [this] { return control_ == nullptr ? observe::SchedulerFigures() : control_->figures(); });
  instruments_.kueue->set_source(
      [this] { return control_ == nullptr ? std::vector<observe::ClusterQueueFigures>() : control_->queue_figures(); });
  plane_->add_metrics([this](std::function<void(std::string)> done) {
    questions_.ask(
        [this] { return instruments_.scheduler->text() + instruments_.queues->text() + instruments_.kueue->text(); },
        std::move(done));
  });
  usage_ = std::make_unique<MeasuredUsage>(
      loop_, questions_, [this] { return control_ == nullptr ? nullptr : &std::as_const(*control_).caches(); });
  pending_ = std::make_unique<PendingWorkloads>(questions_, [this] { return control_.get(); });
  plane_->add_readiness("nodes", [this] { return has_nodes_; });
  plane_->add_readiness("informer-sync", [this] { return *has_synced_; });
}

/// On the controllers' thread. That making a client does not touch what belongs to the API server's is a promise of
/// ControlPlane::client().
Result<void> Cluster::make_control_there() {
  control_ = std::make_unique<control::ControlLoop>(control_loop(), [this](std::string user, std::string manager) {
    return control_client(std::move(user), std::move(manager));
  });
  if (mailboxes_ != nullptr) {
    control_->give_way([this](EventLoop::Task task) {
      mailboxes_->to_server.post([this, task = std::move(task)] { mailboxes_->to_client.post(task); });
    });
  }
  control_->set_instruments(instruments_);
  for (std::unique_ptr<controllers::Controller>& controller : controllers::make_controllers(gates_)) {
    control_->add(std::move(controller));
  }
  control_->add(control::make_node_drain());
  for (std::unique_ptr<controllers::Controller>& controller : operators::make_controllers(disabled_operators_)) {
    control_->add(std::move(controller));
  }
  for (std::unique_ptr<controllers::Controller>& controller : operators::make_gang_workload_controllers()) {
    control_->add(std::move(controller));
  }
  if (has_machines_) {
    control_->add(kubelet::make_pod_lifecycle({kubelet::Claim::kAll}), kMachines, kKubelet);
    control_->add(kubelet::make_node_status({.claim = kubelet::Claim::kAll, .changing_lease_period = lease_period_}),
                  kMachines, kKubelet);
  }
  if (!has_scheduler_) return {};
  scheduler::MakeTap make_tap;
  if (recording_ != nullptr) {
    make_tap = [this](EventLoop& loop, kube::Client& client, const scheduler::SchedulingOptions& options) {
      return recording_->tap(loop, client, options);
    };
  }
  if (const Result<void> added = control_->add_scheduler(scheduling_, make_tap); !added) return added;
  if (when_decided_) control_->when_decided(when_decided_);
  return {};
}

void Cluster::stop_control(const std::function<void()>& stopped) {
  has_synced_ = std::make_shared<bool>(false);
  plane_->set_usage_source(nullptr);
  plane_->set_pending_source(nullptr);
  tell_control([this, stopped] {
    control_.reset();
    if (stopped) post_from_control(stopped);
  });
}

Result<void> Cluster::restart_control(std::function<void()> when_synced) {
  stop_control();
  if (!runs_pods_) return {};
  if (mailboxes_ == nullptr) {
    if (const Result<void> made = make_control_there(); !made) return made;
  } else {
    tell_control([this] {
      const Result<void> made = make_control_there();
      if (made || instruments_.log == nullptr) return;
      instruments_.log->write(observe::LogLevel::kError, "scheduler", "It cannot be made",
                              {{"err", made.error().message}});
    });
  }
  plane_->set_usage_source(usage_.get());
  plane_->set_pending_source(pending_.get());
  start_control(std::move(when_synced));
  return {};
}

bool Cluster::end_control(std::chrono::nanoseconds at_most) {
  stop_control();
  if (control_loop_ == nullptr) return true;
  const auto ended = std::make_shared<std::promise<void>>();
  mailboxes_->to_client.post([ended] { ended->set_value(); });
  return ended->get_future().wait_for(at_most) == std::future_status::ready;
}

/// The controllers go before the plane that they ask, and with them all that is under way either way.
Cluster::~Cluster() {
  if (plane_ != nullptr) stop_control();
  if (mailboxes_ == nullptr) return;
  on_control([&] {
    mailboxes_->to_client.drain();
    recording_.reset();
  });
  mailboxes_->to_server.drain();
  on_control([&] { mailboxes_->to_client.drain(); });
  on_control([] {});  // and what that posted
}

std::unique_ptr<kube::Client> Cluster::client(std::string manager) {
  return plane_->client(user_of(kSetup), std::move(manager));
}

void Cluster::when_ready(std::function<void(Result<void>)> done) {
  plane_->when_ready([this, done = std::move(done)](const Result<void>& durable) {
    if (!durable) return done(durable);
    add_nodes([this, done](const Result<void>& created) {
      if (!created) return done(created);
      has_nodes_ = true;
      const auto start = [this, done] { start_control([done] { done({}); }); };
      if (!provides_storage_) return start();
      provide_default_storage(*setup_, [done, start](const Result<void>& provided) {
        if (!provided) return done(provided);
        start();
      });
    });
  });
}

void Cluster::start_control(EventLoop::Task when_synced) {
  const auto synced = [has_synced = has_synced_, when_synced = std::move(when_synced)] {
    *has_synced = true;
    if (when_synced) when_synced();
  };
  if (!runs_pods_) return synced();
  tell_control([this, synced] {
    if (control_ == nullptr) return post_from_control(synced);
    control_->start([this, synced] { post_from_control(synced); });
  });
}

void Cluster::when_idle(const EventLoop::Task& done) { look_whether_idle(kRounds, messages(), done); }

/// Sends a message to the control loop, behind all other messages and all that the loop has to do, and the same way
/// back. If the loop was idle, and no other message went either way meanwhile, neither thread has anything to do.
void Cluster::look_whether_idle(std::size_t rounds, std::uint64_t before, const EventLoop::Task& done) {
  post_to_control([this, rounds, before, done] {
    const bool was_idle = control_ == nullptr || control_->is_idle();
    const auto conclude = [this, rounds, before, done, was_idle, alive = std::weak_ptr<int>(alive_)] {
      if (alive.expired()) return;
      const std::uint64_t now = messages();
      const bool was_quiet = mailboxes_ == nullptr || now == before + kQuestion;
      const bool is_over = was_idle && was_quiet && rounds < kRounds;
      if (is_over || rounds == 0) return done();
      look_whether_idle(rounds - 1, now, done);
    };
    if (mailboxes_ == nullptr) return loop_.post(conclude);
    mailboxes_->to_server.post([this, conclude] { loop_.post(conclude); });
  });
}

/// How many messages were sent so far, both ways together.
std::uint64_t Cluster::messages() const {
  return mailboxes_ == nullptr ? 0 : mailboxes_->to_server.posted() + mailboxes_->to_client.posted();
}

/// If only_if_empty_, a store that has nodes keeps those: a node that a user deleted is not created again.
void Cluster::add_nodes(const std::function<void(Result<void>)>& done) {
  if (!only_if_empty_) return create_nodes(std::exchange(nodes_, {}), done);
  setup_->list({"", "v1", "nodes"}, {.limit = 1}, [this, done](const kube::Answer<kube::ObjectList>& there) {
    if (!there) return done(failure(there.error().message));
    if (!there->items.empty()) nodes_.clear();
    create_nodes(std::exchange(nodes_, {}), done);
  });
}

void Cluster::create_nodes(std::vector<document::Value> nodes, const std::function<void(Result<void>)>& done) {
  if (nodes.empty()) return done({});
  struct Open {
    std::size_t count = 0;
    Result<void> result;
  };
  const auto open = std::make_shared<Open>();
  open->count = nodes.size();
  for (document::Value& node : nodes) {
    setup_->create({"", "v1", "nodes"}, std::move(node), [open, done](const kube::Answer<document::Value>& answer) {
      if (!answer && answer.error().reason != "AlreadyExists") open->result = failure(answer.error().message);
      if (--open->count == 0) done(open->result);
    });
  }
}

}  // namespace loadline::embedded
