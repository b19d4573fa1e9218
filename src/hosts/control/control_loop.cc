#include "hosts/control/control_loop.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "hosts/watching/subscriber.h"

namespace loadline::control {
namespace {

constexpr const char* kControllerManager = "kube-controller-manager";
constexpr const char* kScheduler = "kube-scheduler";

/// What the scheduler was doing when it said that. Source: schedule_one.go and executor.go, v1.36.
std::string action_of(const watching::Event& event) {
  if (event.reason == "Scheduled") return "Binding";
  return event.reason == "Preempted" ? "Preempting" : "Scheduling";
}

/// What kube-controller-manager calls the queue of a controller. Source: the controllers' New functions, v1.36.
std::string queue_name(std::string_view controller) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"controllermanager", "disruption"},
      {"endpoint-slice-controller", "endpoint_slice"},
      {"node-controller", "node_lifecycle_controller"},
      {"pv-protection-controller", "pvprotection"},
      {"pvc-protection-controller", "pvcprotection"},
      {"replication-controller", "replicationmanager"},
      {"ttl-after-finished-controller", "ttl_jobs_to_delete"},
      {"volumeattributesclass-protection-controller", "vacprotection"},
  };
  for (const auto& [own, upstream] : kOthers) {
    if (controller == own) return std::string(upstream);
  }
  constexpr std::string_view kSuffix = "-controller";
  return std::string(controller.substr(0, controller.size() - (controller.ends_with(kSuffix) ? kSuffix.size() : 0)));
}

}  // namespace

ControlLoop::ControlLoop(EventLoop& loop, const ClientFactory& client_for)
    : loop_(loop),
      client_for_(client_for),
      reader_(client_for("system:kube-controller-manager", kControllerManager)),
      event_writer_(client_for("system:kube-controller-manager", kControllerManager)),
      informers_(loop, *reader_, [this](const watching::CacheAdvance& news) { on_advance(news); }),
      recorder_(loop, *event_writer_) {}

ControlLoop::~ControlLoop() = default;

watching::Actuator::Say ControlLoop::say_as(std::string source) {
  return [this, source = std::move(source)](const watching::Event& event) { recorder_.record(source, event); };
}

void ControlLoop::add(std::unique_ptr<controllers::Controller> controller) {
  std::string user = "system:serviceaccount:kube-system:" + std::string(controller->name());
  add(std::move(controller), std::move(user), kControllerManager);
}

void ControlLoop::add(std::unique_ptr<controllers::Controller> controller, std::string user, std::string manager) {
  const std::string name(controller->name());
  watching::Actuator::Say say = say_as(std::string(controller->reporter()));
  clients_.push_back(client_for_(std::move(user), std::move(manager)));
  reconcilers_.push_back(
      std::make_unique<Reconciler>(loop_, informers_, std::move(controller), *clients_.back(), std::move(say)));
  reconcilers_.back()->set_instruments(
      instruments_.queues == nullptr ? nullptr : &instruments_.queues->queue(queue_name(name)), instruments_.log.get());
}

Result<void> ControlLoop::add_scheduler(scheduler::SchedulingOptions options, const scheduler::MakeTap& make_tap) {
  clients_.push_back(client_for_("system:kube-scheduler", kScheduler));
  if (make_tap) tap_ = make_tap(loop_, *clients_.back(), options);
  watching::Subscriber::OnNeed on_need;
  if (tap_ != nullptr) on_need = [this](watching::AnyCache& cache) { tap_->reads(cache); };
  // The model hears of changes without keys.
  watching::Subscriber subscriber(informers_, [](const watching::ObjectKey&) {}, std::move(on_need));
  const auto say = [this](const watching::Event& event) {
    if (!event.reporter.empty()) return recorder_.record(event.reporter, event);
    recorder_.record({event, action_of(event), {}});
  };
  Result<std::unique_ptr<scheduler::Scheduling>> scheduling =
      scheduler::Scheduling::make(tap_ == nullptr ? loop_ : tap_->loop(), subscriber,
                                  tap_ == nullptr ? *clients_.back() : tap_->client(), say, std::move(options));
  if (!scheduling) return tl::unexpected(scheduling.error());
  scheduling_ = std::move(*scheduling);
  if (tap_ != nullptr) when_decided({});
  if (tap_ != nullptr) {
    scheduling_->when_round_decided([this](const queue::kueue::Round& round,
                                           const queue::kueue::KueueScheduler& kueue) { tap_->decided(round, kueue); });
  }
  if (instruments_.scheduler != nullptr) {
    watching::Subscriber of_meter(informers_, [](const watching::ObjectKey&) {});
    meter_ = std::make_unique<scheduler::SchedulerMeter>(of_meter, scheduling_->model(), instruments_);
    scheduling_->set_meter(meter_.get());
  }
  if (instruments_.kueue != nullptr && scheduling_->queues() != nullptr) {
    watching::Subscriber of_meter(informers_, [](const watching::ObjectKey&) {});
    queue_meter_ =
        std::make_unique<scheduler::queues::QueueMeter>(of_meter, loop_, *scheduling_->queues(), instruments_.kueue);
  }
  return {};
}

void ControlLoop::when_decided(std::function<void(const decision::PodTurn&)> tell) {
  REQUIRES(scheduling_ != nullptr);
  scheduling_->when_taken([this, tell = std::move(tell)](const decision::PodTurn& turn) {
    if (tap_ != nullptr) tap_->took(turn, scheduling_->model());
    if (tell) tell(turn);
  });
}

void ControlLoop::start(std::function<void()> when_synced) {
  when_synced_ = std::move(when_synced);
  informers_.start();
}

void ControlLoop::on_advance(const watching::CacheAdvance& news) {
  if (!has_synced_ && informers_.have_synced()) on_synced();
  if (!has_synced_) return;
  for (const std::unique_ptr<Reconciler>& reconciler : reconcilers_) reconciler->on_advance(news);
  if (scheduling_ != nullptr) wake_scheduler();
}

void ControlLoop::wake_scheduler() {
  if (tap_ != nullptr) tap_->will_wake();
  scheduling_->wake();
}

void ControlLoop::on_synced() {
  has_synced_ = true;
  for (const std::unique_ptr<Reconciler>& reconciler : reconcilers_) reconciler->start();
  if (scheduling_ != nullptr) {
    if (tap_ != nullptr) tap_->will_start();
    scheduling_->start();
  }
  if (const auto tell = std::exchange(when_synced_, {})) tell();
}

bool ControlLoop::is_idle() const {
  return has_synced_ && recorder_.is_idle() && (scheduling_ == nullptr || scheduling_->is_idle()) &&
         std::all_of(reconcilers_.begin(), reconcilers_.end(),
                     [](const std::unique_ptr<Reconciler>& reconciler) { return reconciler->is_idle(); });
}

}  // namespace loadline::control
