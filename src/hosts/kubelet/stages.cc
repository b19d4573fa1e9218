#include "hosts/kubelet/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/kubelet/pod_events.h"

namespace loadline::kubelet {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Event;
using watching::Observed;
using watching::Reconciliation;
using Pod = Observed<kube::Pod>;

constexpr Duration kLeastRepetition = Duration{100'000'000};

/// The same for the same version of the same pod.
Rng chance_of(const Pod& pod) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char letter : pod.metadata().uid) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return Rng(hash + pod.revision);
}

Value list_of(const std::string& text) { return text.empty() ? Value(Array()) : Value(Array{Value(text)}); }

/// KWOK's functions that are about pods.
GoTemplate::Functions functions(const Stages::Surroundings& surroundings, Instant now) {
  GoTemplate::Functions functions;
  const auto add = [&](const char* name, auto value) {
    functions[name] = [value = std::move(value)](const std::vector<Value>&) -> Result<Value> { return value(); };
  };
  const auto host = [ip = surroundings.host_ip] { return Value(ip); };
  const auto hosts = [ip = surroundings.host_ip] { return list_of(ip); };
  const auto pod = [ip = surroundings.pod_ip] { return Value(ip()); };
  const auto pods = [ip = surroundings.pod_ip] { return list_of(ip()); };
  add("Now", [now] { return Value(format_rfc3339(now)); });
  add("StartTime", [now] { return Value(format_rfc3339(now)); });
  add("NodeIP", host);
  add("NodeIPWith", host);
  add("NodeIPs", hosts);
  add("NodeIPsWith", hosts);
  add("PodIP", pod);
  add("PodIPWith", pod);
  add("PodIPs", pods);
  add("PodIPsWith", pods);
  add("NodePort", [] { return Value(std::int64_t{10250}); });
  add("Version", [] { return Value("loadline"); });
  return functions;
}

Result<Value> render(const StageStep& step, const Pod& pod, const Stages::Surroundings& surroundings, Instant now) {
  const Result<std::string> text = step.patch.execute(pod.document, functions(surroundings, now));
  if (!text) return tl::unexpected(text.error());
  const document::Reading reading = document::read_yaml(*text, "template");
  if (!reading.problems.empty()) return failure("its result is no YAML: " + reading.problems.front().message);
  if (reading.documents.empty()) return Value();
  if (!reading.documents.front().is_object()) return failure("its result is no object");
  return step.root.empty() ? reading.documents.front() : Value(Object()).with(step.root, reading.documents.front());
}

Value finalizers_patch(const StageStep& step, const Pod& pod) {
  std::vector<std::string> list = step.removes_all ? std::vector<std::string>() : pod.metadata().finalizers;
  for (const std::string& name : step.removed) std::erase(list, name);
  for (const std::string& name : step.added) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
  Array finalizers;
  for (const std::string& name : list) finalizers.emplace_back(name);
  Value value = finalizers.empty() ? Value() : Value(std::move(finalizers));
  const Value metadata(
      Object{{"finalizers", std::move(value), {}},
             {"resourceVersion", Value(document::text_at(pod.document, {"metadata", "resourceVersion"})), {}}});
  return Value(Object{{"metadata", metadata, {}}});
}

}  // namespace

void Stages::on_stage(const watching::Change<watching::Stage>& change) {
  stages_.erase(change.last().metadata().name);
  if (change.after == nullptr) return;
  Result<std::optional<Stage>> stage = Stage::compile(change.after->document);
  if (!stage) {
    complaints_.push_back({watching::reference_to(*change.after), Event::Type::kWarning, "InvalidStage",
                           "This stage is not followed: " + stage.error().message});
  } else if (*stage) {
    stages_.insert_or_assign((*stage)->name(), std::move(**stage));
  }
}

const Stage* Stages::choose(const Pod& pod, const Waiting& waiting) const {
  std::vector<const Stage*> matching;
  std::int64_t total = 0;
  for (const auto& [name, stage] : stages_) {
    if (!stage.matches(pod.document)) continue;
    if (name == waiting.stage) return &stage;
    matching.push_back(&stage);
    total += std::min<std::int64_t>(stage.weight(pod.document), 1'000'000'000);
  }
  if (matching.empty()) return nullptr;
  Rng rng = chance_of(pod);
  if (total == 0) return matching[rng.below(matching.size())];
  auto rest = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(total)));
  for (const Stage* stage : matching) {
    rest -= std::min<std::int64_t>(stage->weight(pod.document), 1'000'000'000);
    if (rest < 0) return stage;
  }
  return matching.back();
}

Reconciliation Stages::advance(const Pod& pod, const Surroundings& surroundings, Instant now, bool has_failed) {
  Reconciliation result;
  Waiting& waiting = waiting_[pod.key()];
  if (waiting.uid != pod.metadata().uid) waiting = {pod.metadata().uid, "", {}, "", 0};
  if (waiting.done_at == pod.revision && !has_failed) return result;
  const Stage* stage = choose(pod, waiting);
  if (stage == nullptr) {
    waiting.stage.clear();
    return result;
  }
  if (waiting.stage != stage->name()) {
    waiting.stage = stage->name();
    Rng rng = chance_of(pod);
    const double chance = static_cast<double>(rng.below(1'000'000)) / 1'000'000;
    Duration delay = stage->delay(pod.document, now, chance);
    if (waiting.done == stage->name()) delay = std::max(delay, kLeastRepetition);
    waiting.due = now + delay;
  }
  if (now < waiting.due) {
    result.wake_after(waiting.due - now);
    return result;
  }
  waiting.done = std::exchange(waiting.stage, {});
  waiting.done_at = pod.revision;
  carry_out(*stage, pod, surroundings, now, result);
  return result;
}

void Stages::carry_out(const Stage& stage, const Pod& pod, const Surroundings& surroundings, Instant now,
                       Reconciliation& result) {
  for (const StageStep& step : stage.steps()) {
    switch (step.kind) {
      case StageStep::Kind::kEvent:
        result.events.push_back(pod_event(pod, step.event_type, step.reason, step.message));
        break;
      case StageStep::Kind::kFinalizers:
        result.then(watching::patch(watching::kind_name<kube::Pod>(), pod.key(), kube::PatchType::kMerge,
                                    finalizers_patch(step, pod)));
        break;
      case StageStep::Kind::kDelete: {
        kube::DeleteOptions options;
        options.grace_period_seconds = 0;
        result.then(watching::remove(watching::kind_name<kube::Pod>(), pod.key(), pod.metadata().uid, options));
        break;
      }
      case StageStep::Kind::kPatch: {
        Result<Value> patch = render(step, pod, surroundings, now);
        if (!patch) {
          result.events.push_back(pod_event(pod, Event::Type::kWarning, "StageFailed",
                                            fmt::format("Stage {}: {}", stage.name(), patch.error().message)));
        } else if (!patch->is_null()) {
          result.then(watching::patch(watching::kind_name<kube::Pod>(), pod.key(), step.patch_type, std::move(*patch),
                                      step.subresource));
        }
        break;
      }
    }
  }
}

}  // namespace loadline::kubelet
