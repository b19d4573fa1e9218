#include "simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "document/at.h"
#include "document/writer.h"

namespace loadline::simulation {
namespace {

constexpr std::uint64_t kFirstNodes = 4;
constexpr std::uint64_t kSteps = 30;
/// Longer than the longest delay after failures, 1000 s, and than unready nodes are tolerated.
constexpr Duration kCalm = Duration::seconds(1800);

std::int64_t integer_at(const document::Value& object, document::Names names, std::int64_t otherwise = 0) {
  const document::Value* value = document::find_at(object, names);
  return value == nullptr ? otherwise : value->integer();
}

bool has_ended(const document::Value& job) {
  const document::Value* conditions = document::find_at(job, {"status", "conditions"});
  if (conditions == nullptr) return false;
  return std::any_of(conditions->array().begin(), conditions->array().end(), [](const document::Value& condition) {
    const std::string_view type = document::text_at(condition, {"type"});
    return (type == "Complete" || type == "Failed") && document::text_at(condition, {"status"}) == "True";
  });
}

std::string app_of(const Observer::Pod& pod) {
  const auto label = pod.metadata().labels.find("app");
  return label == pod.metadata().labels.end() ? std::string() : label->second;
}

}  // namespace

Simulation::Simulation(std::uint64_t seed) : random_(seed), faults_(loop_, seed + 1), seed_(seed) { start(); }

void Simulation::start() {
  embedded::ClusterOptions options;
  options.plane.seed = seed_ + 1;
  options.plane.commits_on_loop = true;
  options.wire = [this](std::unique_ptr<kube::Client> client) {
    return std::make_unique<FaultyClient>(std::move(client), faults_);
  };
  cluster_ = std::move(embedded::Cluster::open(loop_, std::move(options)).value());
  client_ = cluster_->client("people");
  observer_ = std::make_unique<Observer>(*client_);
  workload_ = std::make_unique<Workload>(*client_, *observer_, seed_ + 2);
  cluster_->when_ready([](const Result<void>&) {});
  loop_.run_until_idle();
  for (std::uint64_t count = 0; count < kFirstNodes; ++count) workload_->add_node();
}

void Simulation::tell(const std::string& what) {
  story_ += fmt::format("  {:9.3f} {}\n", static_cast<double>(loop_.elapsed().nanoseconds) / 1e9, what);
}

void Simulation::run() {
  try {
    for (std::uint64_t steps = 0; steps < kSteps && violations().empty(); ++steps) step();
    if (violations().empty()) settle();
  } catch (const std::runtime_error& endless) {
    observer_->report(endless.what());
  }
}

void Simulation::step() {
  if (random_.below(12) == 0) {
    tell("controllers, scheduler and machines crash");
    restart();
  } else {
    tell(workload_->act());
  }
  loop_.advance(pause());
}

void Simulation::restart() {
  ++restarts_;
  if (!cluster_->restart_control([] {})) observer_->report("the control loop cannot be made");
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
  workload_->heal_nodes();
  loop_.advance(kCalm);
  tell("it should have settled");
  check_pods();
  check_applications();
  check_model();
  if (violations().empty()) check_that_nothing_is_left_to_do();
  if (violations().empty()) check_evictions();
}

void Simulation::check_pods() {
  for (const auto& [key, pod] : observer_->pods()) {
    const std::string& node = pod.view.spec->node_name;
    if (!node.empty() && !observer_->nodes().contains(node)) {
      observer_->report(fmt::format("{} is on {}, which is gone", key, node));
    }
    if (pod.is_being_deleted())
      observer_->report(key + " is stuck in Terminating: " + document::write_json(pod.document));
  }
}

void Simulation::check_applications() {
  for (const Application& application : workload_->applications()) {
    client_->get(application.of, [this, &application](const kube::Answer<document::Value>& answer) {
      if (answer) check_application(application, *answer);
    });
  }
  loop_.run_until_idle();
}

/// There is no room for all its pods, or its namespace may have no more.
bool Simulation::waits(const Application& application) const {
  return observer_->is_quota_full(application.of.name_space) ||
         std::any_of(observer_->pods().begin(), observer_->pods().end(), [&](const auto& entry) {
           return app_of(entry.second) == application.of.name && entry.second.view.spec->node_name.empty();
         });
}

void Simulation::check_application(const Application& application, const document::Value& object) {
  const std::string& name = application.of.name;
  if (application.is_job) {
    const document::Value* suspended = document::find_at(object, {"spec", "suspend"});
    const bool rests = suspended != nullptr && suspended->boolean();
    if (!has_ended(object) && !rests && !waits(application))
      observer_->report(name + " has not ended: " + document::write_json(*document::find_at(object, {"status"})));
    return;
  }
  const std::int64_t wanted = integer_at(object, {"spec", "replicas"}, 1);
  const std::int64_t ready = integer_at(object, {"status", "readyReplicas"});
  const auto counted = std::count_if(observer_->pods().begin(), observer_->pods().end(), [&](const auto& entry) {
    return app_of(entry.second) == name && Observer::is_ready(entry.second);
  });
  if (ready != counted) observer_->report(fmt::format("{} says {} are ready, but {} are", name, ready, counted));
  if (integer_at(object, {"status", "observedGeneration"}) != integer_at(object, {"metadata", "generation"})) {
    observer_->report(name + " was not looked at since it changed");
  }
  if (ready != wanted && !waits(application)) {
    observer_->report(fmt::format("{} has {} of {} pods ready", name, ready, wanted));
  }
}

/// The scheduler knows of every pod what the API server says.
void Simulation::check_model() {
  if (cluster_->model() == nullptr) return observer_->report("there is no scheduler");
  control::LivingCluster& model = *cluster_->model();
  std::size_t alive = 0;
  for (const auto& [key, pod] : observer_->pods()) {
    if (pod.view.finished()) continue;
    ++alive;
    const control::TrackedPod* tracked = model.find(pod.key());
    if (tracked == nullptr) {
      observer_->report(key + " is unknown to the scheduler");
      continue;
    }
    const cluster::NodeId node = model.cluster().pod(tracked->id).node;
    const std::string_view placed = node.valid() ? model.cluster().node_name(node) : std::string_view();
    if (placed != pod.view.spec->node_name) {
      observer_->report(
          fmt::format("{} is on '{}', but the scheduler has it on '{}'", key, pod.view.spec->node_name, placed));
    }
    if (pod.view.spec->node_name.empty() && !pod.is_being_deleted() && !tracked->is_waiting) {
      observer_->report(key + " is in nobody's queue");
    }
  }
  if (model.size() != alive) observer_->report(fmt::format("the scheduler knows {} pods of {}", model.size(), alive));
}

/// Whoever begins anew with the same API server finds every decision taken: no pod that waits could be placed, nobody
/// is to be preempted, created or deleted.
void Simulation::check_that_nothing_is_left_to_do() {
  std::map<std::string, std::string> before;
  for (const auto& [key, pod] : observer_->pods()) before[pod.metadata().uid] = pod.view.spec->node_name;
  restart();
  loop_.advance(Duration::seconds(20));
  for (const auto& [key, pod] : observer_->pods()) {
    const auto old = before.find(pod.metadata().uid);
    const std::string& node = pod.view.spec->node_name;
    if (old == before.end()) {
      observer_->report(key + " is created only after a restart");
    } else {
      if (old->second != node) observer_->report(fmt::format("{} is bound to {} only after a restart", key, node));
      if (pod.is_being_deleted()) observer_->report(key + " is deleted only after a restart");
      before.erase(old);
    }
  }
  if (!before.empty()) observer_->report("a pod goes away only after a restart");
}

/// All pods of an application are evicted at once: as many stay healthy as its budget demands.
void Simulation::check_evictions() {
  for (const Workload::Budget& budget : workload_->budgets()) {
    std::vector<controllers::ObjectKey> pods;
    std::size_t healthy = 0;
    for (const auto& [key, pod] : observer_->pods()) {
      if (app_of(pod) != budget.app) continue;
      pods.push_back(pod.key());
      if (Observer::is_ready(pod)) ++healthy;
    }
    tell(fmt::format("evicts all {} pods of {}, of which {} have to stay", pods.size(), budget.app,
                     budget.min_available));
    observer_->guard(budget.app, std::min(healthy, static_cast<std::size_t>(budget.min_available)));
    for (const controllers::ObjectKey& pod : pods) workload_->evict(pod.name_space, pod.name);
    loop_.advance(Duration::seconds(1));
    observer_->guard({}, 0);
    loop_.advance(Duration::seconds(100));
  }
}

}  // namespace loadline::simulation
