#include "simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "hosts/watching/object.h"
#include "objects/kube/client.h"
#include "simulation/settled.h"
#include "simulation/settled_queues.h"

namespace loadline::simulation {
namespace {

constexpr std::uint64_t kFirstNodes = 4;
constexpr std::uint64_t kSteps = 30;
/// Of so many seeds one has queues.
constexpr std::uint64_t kOneWithQueues = 4;
/// So many milliseconds a group has to start; most requests take less.
constexpr int kStartSteps = 2000;
/// Longer than the longest back-off, 1000 s, and than pods tolerate unready nodes.
constexpr Duration kCalm = Duration::seconds(1200);
/// Until the last Jobs of CronJobs have ended.
constexpr Duration kLastRuns = Duration::seconds(900);
/// The longest back-off: a controller that found the quota used up tries again that much later. A rollout in a
/// namespace whose quota is used up takes one such delay for each pod.
constexpr Duration kLongestDelay = Duration::seconds(1001);
constexpr int kMostDelays = 20;

}  // namespace

Simulation::Simulation(std::uint64_t seed, Adjust adjust, Queues queues)
    : random_(seed),
      faults_(loop_, trace_, seed + 1),
      disk_(seed + 3),
      seed_(seed),
      adjust_(std::move(adjust)),
      workload_(observer_, seed + 2) {
  if (queues == Queues::kKueue || (queues == Queues::kBySeed && seed % kOneWithQueues == 0)) {
    queue_observer_.emplace(observer_, trace_);
    queue_users_.emplace(*queue_observer_, seed + 4);
  }
  open();
  workload_.create_defaults();
  if (queue_users_) queue_users_->create_defaults();
  loop_.run_until_idle();
  for (std::uint64_t count = 0; count < kFirstNodes; ++count) workload_.add_node();
}

Simulation::~Simulation() { close(); }

void Simulation::open() {
  embedded::ClusterOptions options;
  // A restarted process must not generate the names again that it generated before.
  options.plane.seed = seed_ + 1 + reboots_ * 1'000'003;
  options.plane.commits_on_loop = true;
  options.plane.log.file_system = disk_.name();
  options.wire = [this](std::unique_ptr<kube::Client> client) {
    return std::make_unique<FaultyClient>(std::move(client), faults_);
  };
  options.when_decided = [this](const decision::PodTurn& turn) { check_whole(turn); };
  if (adjust_) adjust_(options);
  cluster_ = std::move(embedded::Cluster::open(loop_, std::move(options)).value());
  client_ = cluster_->client("people");
  workload_.use(*client_);
  if (queue_users_) queue_users_->use(*client_);
  cluster_->when_ready([this](const Result<void>&) { has_synced_ = true; });
  observer_.follow(*client_);
  loop_.run_until_idle();
}

void Simulation::close() {
  has_synced_ = false;
  observer_.let_go();
  client_.reset();
  cluster_.reset();
}

void Simulation::tell(const std::string& what) {
  trace_.tell([&] { return "PEOPLE: " + what; });
  story_ += fmt::format("  {:9.3f} {}\n", static_cast<double>(loop_.elapsed().nanoseconds) / 1e9, what);
}

void Simulation::run() {
  try {
    for (std::uint64_t steps = 0; steps < kSteps && violations().empty(); ++steps) step();
    if (violations().empty()) settle();
  } catch (const std::runtime_error& endless) {
    observer_.report(endless.what());
  }
}

void Simulation::step() {
  const std::uint64_t what = random_.below(48);
  if (what < 4) {
    tell("controllers, scheduler and machines crash");
    restart();
  } else if (what < 5) {
    reboot();
  } else if (what < 6) {
    cut_power();
  } else if (what < 7) {
    spoil_disk();
  } else if (what < 10) {
    interrupt_start();
  } else {
    act();
  }
  loop_.advance(pause());
  if (queue_observer_) queue_observer_->check_quotas();
  if (has_synced_ && violations().empty()) check_wake_ups(*cluster_->model(), loop_.now(), observer_);
}

/// What users do is drawn apart, so that each lives as it would without the others.
void Simulation::act() {
  tell(workload_.act());
  if (queue_users_) tell(queue_users_->act());
}

void Simulation::expect_outage(bool is_expected) {
  workload_.expect_outage(is_expected);
  if (queue_users_) queue_users_->expect_outage(is_expected);
}

/// Controllers, scheduler and machines end while a group starts, if possible between two of its bindings, and before
/// they are back, what is missing of the group can no longer be placed.
void Simulation::interrupt_start() {
  tell(workload_.add_group(Workload::GroupKind::kLasting));
  for (int steps = 0; steps < kStartSteps && !observer_.sees_partial_start(); ++steps) {
    loop_.advance(Duration{1'000'000});
  }
  if (observer_.sees_partial_start()) observer_.note("starts that were interrupted");
  has_synced_ = false;
  cluster_->stop_control();
  loop_.run_until_idle();
  tell(workload_.obstruct_groups());
  loop_.run_until_idle();
  tell("controllers, scheduler and machines, which had crashed, come back");
  restart();
}

/// What is decided for a group is whole: after a turn that places any of its pods, as many are on nodes as start
/// together, those that are being deleted left out. What becomes of the bindings is another matter, see check_group().
void Simulation::check_whole(const decision::PodTurn& turn) {
  const cluster::Cluster& model = cluster_->model()->cluster();
  const cluster::GroupId id = model.pod(turn.pod).group;
  if (!turn.node.valid() || !id.valid()) return;
  observer_.note("decisions for members of groups");
  const cluster::PodGroup& group = model.group(id);
  const auto placed = std::ranges::count_if(
      group.members, [&](cluster::PodId pod) { return model.pod(pod).node.valid() && !model.pod(pod).terminating; });
  if (placed < group.min_count || static_cast<std::size_t>(placed) != group.placed) {
    observer_.report(fmt::format("{} of {} is placed as one of {} (the ledger says {}), but {} have to start together",
                                 model.pod_text(turn.pod), group.name, placed, group.placed, group.min_count));
  }
}

void Simulation::restart() {
  ++restarts_;
  has_synced_ = false;
  if (!cluster_->restart_control([this] { has_synced_ = true; })) observer_.report("the control loop cannot be made");
}

void Simulation::reboot() {
  tell("the whole process ends and comes back");
  ++reboots_;
  close();
  open();
}

/// The power fails in the middle of one of the next writes. After that nothing works until the process ends, and the
/// next process finds what reached the disk.
void Simulation::cut_power() {
  tell("the power goes");
  ++reboots_;
  expect_outage(true);
  disk_.lose_power_at(disk_.steps() + 1 + random_.below(30));
  for (std::uint64_t deeds = random_.below(4); deeds > 0; --deeds) {
    act();
    loop_.advance(pause());
  }
  close();
  disk_.restart();
  open();
  expect_outage(false);
  tell("it is back");
}

/// Writes fail now and then: the store undoes them, and controllers and users try again.
void Simulation::spoil_disk() {
  tell("the disk fails now and then");
  expect_outage(true);
  disk_.fail_one_in(4 + random_.below(40));
  for (std::uint64_t deeds = 1 + random_.below(3); deeds > 0; --deeds) {
    act();
    loop_.advance(pause());
  }
  disk_.fail_one_in(0);
  loop_.run_until_idle();
  expect_outage(false);
  tell("the disk works");
}

Duration Simulation::pause() {
  const std::uint64_t draw = random_.below(100);
  if (draw < 30) return {};
  const std::uint64_t longest = draw < 70 ? 1'000 : draw < 95 ? 30'000 : 300'000;
  return {static_cast<std::int64_t>(random_.below(longest)) * 1'000'000};
}

void Simulation::settle() {
  tell("faults stop, machines are mended");
  faults_.stop();
  workload_.heal_nodes();
  workload_.provide_profile();
  workload_.resume_rollouts();
  workload_.let_go_of_pods();
  loop_.advance(kCalm);
  Settled settled(loop_, *cluster_, *client_, observer_, workload_);
  settled.check_crons();
  workload_.suspend_crons();
  loop_.advance(kLastRuns);
  come_to_rest();
  tell("it should have settled");
  settled.check();
  if (queue_observer_) SettledQueues(loop_, *cluster_, *client_, observer_).check();
  check_wake_ups(*cluster_->model(), loop_.now(), observer_);
  if (violations().empty()) check_that_nothing_is_left_to_do();
  if (violations().empty()) check_evictions();
}

/// Waits until no pod has come or gone for the longest time that a controller waits before it tries again.
void Simulation::come_to_rest() {
  for (int delays = 0; delays < kMostDelays; ++delays) {
    const std::size_t before = observer_.comings_and_goings();
    loop_.advance(kLongestDelay);
    if (observer_.comings_and_goings() == before) return;
  }
  observer_.report("pods come and go for ever");
}

/// Controllers and a scheduler that start anew with the same API server find nothing to do: they bind no waiting pod,
/// and preempt, create and delete none.
void Simulation::check_that_nothing_is_left_to_do() {
  struct Known {
    std::string key;
    std::string node;
  };
  std::map<std::string, Known> before;  // by uid
  for (const auto& [key, pod] : observer_.pods()) before[pod.metadata().uid] = {key, pod.view.spec->node_name};
  std::map<std::string, std::string> workloads;
  if (queue_observer_) workloads = standings(*queue_observer_);
  restart();
  loop_.advance(Duration::seconds(20));
  if (queue_observer_) check_that_queues_stand_still(workloads);
  for (const auto& [key, pod] : observer_.pods()) {
    const auto old = before.find(pod.metadata().uid);
    const std::string& node = pod.view.spec->node_name;
    if (old == before.end()) {
      observer_.report(key + " is created only after a restart");
    } else {
      if (old->second.node != node) observer_.report(fmt::format("{} is bound to {} only after a restart", key, node));
      const bool was_to_leave = waits_for_replacement(pod.document);
      if (pod.is_being_deleted() && !was_to_leave) observer_.report(key + " is deleted only after a restart");
      before.erase(old);
    }
  }
  for (const auto& [uid, gone] : before) {
    observer_.report(fmt::format("{} on \"{}\" goes away only after a restart", gone.key, gone.node));
  }
}

/// No Workload comes, goes, or says something else.
void Simulation::check_that_queues_stand_still(const std::map<std::string, std::string>& before) {
  const std::map<std::string, std::string> now = standings(*queue_observer_);
  for (const auto& [key, status] : now) {
    const auto known = before.find(key);
    if (known == before.end()) {
      observer_.report(fmt::format("{} is created only after a restart", key));
    } else if (known->second != status) {
      observer_.report(fmt::format("{} changes only after a restart, from {} to {}", key, known->second, status));
    }
  }
  for (const auto& [key, status] : before) {
    if (!now.contains(key)) observer_.report(key + " goes away only after a restart");
  }
}

/// All pods of an application are evicted at once: as many stay healthy as its budget demands.
void Simulation::check_evictions() {
  for (const Workload::Budget& budget : workload_.budgets()) {
    bool is_there = false;  // the power may have gone before it was written down
    client_->get({"policy", "v1", "poddisruptionbudgets", budget.name_space, budget.app},
                 [&](const kube::Answer<document::Value>& answer) { is_there = answer.has_value(); });
    loop_.run_until_idle();
    if (is_there) evict_all(budget);
  }
}

void Simulation::evict_all(const Workload::Budget& budget) {
  std::vector<watching::ObjectKey> pods;
  std::size_t healthy = 0;
  for (const auto& [key, pod] : observer_.pods()) {
    if (app_of(pod) != budget.app) continue;
    pods.push_back(pod.key());
    if (Observer::is_ready(pod)) ++healthy;
  }
  tell(
      fmt::format("evicts all {} pods of {}, of which {} have to stay", pods.size(), budget.app, budget.min_available));
  observer_.guard(budget.app, std::min(healthy, static_cast<std::size_t>(budget.min_available)));
  for (const watching::ObjectKey& pod : pods) workload_.evict(pod.name_space, pod.name);
  loop_.advance(Duration::seconds(1));
  observer_.guard({}, 0);
  loop_.advance(Duration::seconds(100));
}

}  // namespace loadline::simulation
