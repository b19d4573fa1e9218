#include "hosts/scheduler/policy_in_force.h"

#include <fmt/format.h>

#include <utility>

#include "brain/engine/chosen_policy.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Event;

namespace {

constexpr const char* kInvalid = "InvalidPolicy";

std::string text_of(const Diagnostics& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}: {}", problem.path, problem.message);
    if (!problem.hint.empty()) text += fmt::format(" ({})", problem.hint);
  }
  return text;
}

}  // namespace

PolicyInForce::PolicyInForce(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator::Say say,
                             std::optional<engine::Policy> host, std::function<void(const engine::Policy&)> put)
    : loop_(loop),
      say_(std::move(say)),
      put_(std::move(put)),
      host_(std::move(host)),
      policy_(host_.value_or(engine::Policy{})) {
  subscriptions.on<kube::Policy>([this](const Change<kube::Policy>& change, watching::Keys&) { on_change(change); });
}

void PolicyInForce::on_change(const Change<kube::Policy>& change) {
  if (change.last().key().name != kube::kOnlyPolicy) {
    if (change.after == nullptr) return;
    return tell(change.after, Event::Type::kWarning, kInvalid,
                fmt::format("does not count: a cluster has one policy, and its name is \"{}\"", kube::kOnlyPolicy));
  }
  object_ = change.after;
  if (has_changed_) return;
  has_changed_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) settle();
  });
}

void PolicyInForce::settle() {
  if (!std::exchange(has_changed_, false)) return;
  const engine::Policy wanted = read();
  if (wanted == policy_) return;
  policy_ = wanted;
  put_(policy_);
}

engine::Policy PolicyInForce::read() {
  if (object_ == nullptr) return host_.value_or(engine::Policy{});
  const ObjectPtr object = object_;
  if (host_) {
    tell(object, Event::Type::kNormal, "PolicyLeftOut", "The cluster was started with --policy, which goes before");
    return *host_;
  }
  const engine::PolicyReading reading = engine::read_policy(object->view);
  if (!reading.problems.empty()) tell(object, Event::Type::kWarning, kInvalid, text_of(reading.problems));
  tell(object, Event::Type::kNormal, "PolicyInForce", "Decisions follow this policy from now on");
  return reading.chosen.policy;
}

void PolicyInForce::tell(const ObjectPtr& object, Event::Type type, const char* reason, std::string text) const {
  say_({watching::reference_to(*object), type, reason, std::move(text)});
}

}  // namespace loadline::scheduler
