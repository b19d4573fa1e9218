#include "hosts/controllers/rollout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "foundation/base/contract.h"
#include "hosts/controllers/revision.h"
#include "objects/kube/apps/rollout_validation.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

std::int32_t clamped(std::int64_t number) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(number, Limits::min(), Limits::max()));
}

/// Older first, by name where that says nothing. What is yet to be created is youngest.
bool is_older(const Part& a, const Part& b) {
  const auto key = [](const Part& part) {
    const bool is_new = part.object == nullptr;
    const Instant created = is_new ? Instant{} : part.object->metadata().creation_timestamp.value_or(Instant{});
    return std::tuple(is_new, created, std::string_view(part.name));
  };
  return key(a) < key(b);
}

}  // namespace

std::int32_t scaled_value(const kube::IntOrString& value, std::int32_t total, Rounding rounding) {
  if (value.integer) return *value.integer;
  const std::int64_t percent = std::min<std::int64_t>(kube::number_of(value), std::numeric_limits<std::int32_t>::max());
  return clamped((percent * total + (rounding == Rounding::kUp ? 99 : 0)) / 100);
}

Fenceposts fenceposts(const kube::IntOrString& max_surge, const kube::IntOrString& max_unavailable,
                      std::int32_t replicas) {
  Fenceposts posts{scaled_value(max_surge, replicas, Rounding::kUp),
                   scaled_value(max_unavailable, replicas, Rounding::kDown)};
  if (posts.surge == 0 && posts.unavailable == 0) posts.unavailable = 1;
  return posts;
}

std::int32_t Rollout::max_surge() const {
  if (deployment_.recreate) return 0;
  const kube::IntOrString none{0, ""};
  return fenceposts(deployment_.max_surge.value_or(none), deployment_.max_unavailable.value_or(none),
                    deployment_.replicas)
      .surge;
}

/// A number of pods is an int32: there is none beyond that.
std::int32_t Rollout::with_surge() const { return clamped(std::int64_t{deployment_.replicas} + max_surge()); }

std::int32_t Rollout::max_unavailable() const {
  if (deployment_.recreate || deployment_.replicas == 0) return 0;
  const kube::IntOrString none{0, ""};
  const Fenceposts posts = fenceposts(deployment_.max_surge.value_or(none), deployment_.max_unavailable.value_or(none),
                                      deployment_.replicas);
  return std::min(posts.unavailable, deployment_.replicas);
}

std::int32_t Rollout::total() const {
  std::int64_t sum = newest ? newest->replicas : 0;
  for (const Part& part : old) sum += part.replicas;
  return clamped(sum);
}

std::int32_t Rollout::first_size() const {
  if (deployment_.recreate) return deployment_.replicas;
  const std::int32_t size = newest ? newest->replicas : 0;
  const std::int32_t most = with_surge();
  const std::int32_t now = total();
  if (now >= most) return size;
  return size + std::min(most - now, deployment_.replicas - size);
}

bool Rollout::resize(Part& part, std::int32_t size) {
  if (part.replicas == size) return false;
  part.replicas = size;
  note_replicas(part.annotations, deployment_.replicas, with_surge());
  return true;
}

std::vector<Part*> Rollout::active() {
  std::vector<Part*> parts;
  for (Part& part : old) {
    if (part.replicas > 0) parts.push_back(&part);
  }
  if (newest && newest->replicas > 0) parts.push_back(&*newest);
  return parts;
}

bool Rollout::is_being_scaled() const {
  const auto sized_for_another = [&](const Part& part) {
    const std::int32_t desired = replicas_in(part.annotations, kube::kDesiredReplicas);
    return part.replicas > 0 && desired >= 0 && desired != deployment_.replicas;
  };
  return (newest && sized_for_another(*newest)) || std::any_of(old.begin(), old.end(), sized_for_another);
}

/// The only part with replicas, or the latest if none has any; null if there are more.
Part* Rollout::only_active_or_latest() {
  const auto parts = active();
  if (parts.size() > 1) return nullptr;
  if (parts.size() == 1) return parts.front();
  if (newest) return &*newest;
  return old.empty() ? nullptr : &old.back();
}

bool Rollout::is_saturated() const {
  return newest && newest->replicas == deployment_.replicas &&
         replicas_in(newest->annotations, kube::kDesiredReplicas) == deployment_.replicas &&
         newest->status.available_replicas == deployment_.replicas;
}

void Rollout::scale() {
  if (Part* const part = only_active_or_latest()) {
    part->replicas = deployment_.replicas;
    // Noted also where the size is right already: otherwise this would be scaling for ever.
    note_replicas(part->annotations, deployment_.replicas, with_surge());
  } else if (is_saturated() || (deployment_.recreate && !deployment_.paused)) {
    // Under Recreate, old ones go in any case. Upstream leaves them as they are, and never gets any further.
    scale_down_old();
  } else if (!deployment_.recreate) {
    scale_proportionally();
  }
}

void Rollout::scale_proportionally() {
  std::vector<Part*> parts = active();
  const std::int32_t allowed = deployment_.replicas > 0 ? with_surge() : 0;
  const std::int32_t to_add = allowed - total();
  // The largest first; of equals, the newer grow first, and the older shrink first.
  std::sort(parts.begin(), parts.end(), [&](const Part* a, const Part* b) {
    if (a->replicas != b->replicas) return a->replicas > b->replicas;
    return to_add > 0 ? is_older(*b, *a) : is_older(*a, *b);
  });
  std::int32_t added = 0;
  std::vector<std::int32_t> sizes;
  for (const Part* part : parts) {
    const std::int32_t more = share(*part, to_add, added);
    sizes.push_back(part->replicas + more);
    added += more;
  }
  // What rounding left over is the largest one's.
  if (!sizes.empty()) sizes[0] = std::max(0, sizes[0] + to_add - added);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i]->replicas = sizes[i];
    note_replicas(parts[i]->annotations, deployment_.replicas, with_surge());
  }
}

std::int32_t Rollout::share(const Part& part, std::int32_t to_add, std::int32_t added) const {
  if (part.replicas == 0 || to_add == 0 || to_add == added) return 0;
  std::int32_t fraction = -part.replicas;
  if (deployment_.replicas != 0) {
    std::int32_t before = replicas_in(part.annotations, kube::kMaxReplicas);
    if (before <= 0) before = deployment_.status.replicas;
    if (before == 0) return 0;
    const double size =
        static_cast<double>(part.replicas) * static_cast<double>(with_surge()) / static_cast<double>(before);
    fraction = clamped(static_cast<std::int64_t>(std::floor(size + 0.5))) - part.replicas;
  }
  const std::int32_t left = to_add - added;
  return to_add > 0 ? std::min(fraction, left) : std::max(fraction, left);
}

bool Rollout::roll() {
  REQUIRES(newest.has_value());
  if (newest->replicas > deployment_.replicas) return resize(*newest, deployment_.replicas);
  if (newest->replicas < deployment_.replicas && resize(*newest, first_size())) return true;
  std::int32_t old_pods = 0;
  for (const Part& part : old) {
    // One that is about to shrink counts pods as available that will not be there: wait until it says how many are.
    if (part.replicas > 0 && part.status.available_replicas > part.replicas) return false;
    old_pods += part.replicas;
  }
  if (old_pods == 0) return false;
  // Pods of the newest that are not available yet count as if they were lost.
  const std::int32_t min_available = deployment_.replicas - max_unavailable();
  const std::int32_t most = clamped(std::int64_t{total()} - min_available -
                                    (std::int64_t{newest->replicas} - newest->status.available_replicas));
  if (most <= 0) return false;
  const std::int32_t unhealthy = give_up_unhealthy(most);
  return give_up_old() + unhealthy > 0;
}

/// Replicas of old parts that are not available block a rollout and serve no traffic. Returns how many went.
std::int32_t Rollout::give_up_unhealthy(std::int32_t most) {
  std::int32_t gone = 0;
  for (Part& part : old) {
    const std::int32_t unhealthy = part.replicas - part.status.available_replicas;
    if (part.replicas == 0 || unhealthy == 0) continue;
    const std::int32_t count = std::min(most - gone, unhealthy);
    resize(part, part.replicas - count);
    gone += count;
  }
  return gone;
}

/// As many as there are available ones beyond what must be. How many went.
std::int32_t Rollout::give_up_old() {
  std::int32_t available = newest->status.available_replicas;
  // Parts that had no replicas to begin with do not count, as their pods are on their way out.
  for (const Part& part : old) available += part.wanted() > 0 ? part.status.available_replicas : 0;
  const std::int32_t spare = clamped(std::int64_t{available} - deployment_.replicas + max_unavailable());
  std::int32_t gone = 0;
  for (Part& part : old) {
    if (gone >= spare || part.replicas == 0) continue;
    const std::int32_t count = std::min(part.replicas, spare - gone);
    resize(part, part.replicas - count);
    gone += count;
  }
  return gone;
}

bool Rollout::scale_down_old() {
  bool any = false;
  for (Part& part : old) any = resize(part, 0) || any;
  return any;
}

void Rollout::scale_up_newest() {
  REQUIRES(newest.has_value());
  resize(*newest, deployment_.replicas);
}

}  // namespace loadline::controllers
