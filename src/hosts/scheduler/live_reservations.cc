#include "hosts/scheduler/live_reservations.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/decision/why_text.h"
#include "brain/workloads/reservation.h"
#include "foundation/base/contract.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/defaults.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/validation.h"

namespace loadline::scheduler {

using cluster::NodeId;
using cluster::PodId;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using workloads::ReservationTerm;

namespace {

constexpr Duration kRetry = Duration::seconds(1);
/// Pods that room is held for: in all, and for one namespace.
constexpr std::size_t kMostPlaceholders = 20'000;
constexpr std::size_t kMostOfNamespace = 10'000;

kube::Reservation in_own_words(const kube::Reservation& object) { return object; }
kube::Reservation in_own_words(const kube::KoordinatorReservation& object) { return kube::as_reservation(object); }

ObjectKey key_of(const kube::Reservation& reservation) {
  return {reservation.metadata.namespace_, reservation.metadata.name};
}

/// What plan would refuse the object for. An API server knows of it only what a definition can say.
template <class Kind>
std::string mistake_in(Kind object) {
  kube::set_defaults(object);
  const kube::FieldErrors errors = kube::validate(object);
  if (errors.empty()) return {};
  const kube::FieldError& first = errors.front();
  const std::string hint = first.hint.empty() ? "" : " (" + first.hint + ")";
  return fmt::format("{}: {}{}", first.path, first.message, hint);
}

/// The parts of the document that decide how a placeholder looks.
document::Value shape_of(const document::Value& document) {
  const auto part = [&](std::string_view name) {
    const document::Value* value = document::find_at(document, {"spec", name});
    return value == nullptr ? document::Value() : *value;
  };
  return document::Value(document::Array{part("template"), part("nodes")});
}

template <class Kind>
std::vector<Kind> all_of(const watching::Caches& caches) {
  std::vector<Kind> objects;
  for (const auto& [name_space, named] : caches.of<Kind>().namespaces()) {
    for (const auto& [name, object] : named) objects.push_back(object->view);
  }
  return objects;
}

}  // namespace

LiveReservations::LiveReservations(EventLoop& loop, watching::Subscriptions& subscriptions,
                                   watching::Actuator& actuator, LiveClusterModel& model, std::function<void()> wake)
    : loop_(loop), caches_(subscriptions.caches()), actuator_(actuator), model_(model), wake_(std::move(wake)) {
  listen<kube::Reservation>(subscriptions, ReservationSpelling::kOwn);
  listen<kube::KoordinatorReservation>(subscriptions, ReservationSpelling::kKoordinator);
  listen_to_policies(subscriptions);
  subscriptions.on<kube::Node>([this](const Change<kube::Node>& change, Keys&) { on_node(change); });
}

void LiveReservations::set_dispatcher(engine::Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  keeper().when_changed([this](cluster::ReservationId reservation) {
    if (const Entry* entry = entry_of(reservation); entry != nullptr) tell(*entry);
    wake_();
  });
}

template <class Kind>
void LiveReservations::listen(watching::Subscriptions& subscriptions, ReservationSpelling spelling) {
  subscriptions.on<Kind>([this, spelling](const Change<Kind>& change, Keys&) {
    if (change.after == nullptr || change.after->is_being_deleted()) return forget(change.last().key());
    const Kind& object = change.after->view;
    on_reservation({in_own_words(object), spelling, mistake_in(object), shape_of(change.after->document)});
  });
}

/// What admission completes a pod by. A reservation that was refused may be admitted after a change; in a later task,
/// so that a hundred changes cost as one.
void LiveReservations::listen_to_policies(watching::Subscriptions& subscriptions) {
  const auto again = [this](const auto& /*change*/, Keys&) {
    policies_.reset();
    if (std::exchange(are_policies_changed_, true)) return;
    loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) sync_refused();
    });
  };
  subscriptions.on<kube::PriorityClass>(again);
  subscriptions.on<kube::LimitRange>(again);
  subscriptions.on<kube::RuntimeClass>(again);
}

void LiveReservations::start() {
  is_started_ = true;
  for (auto& [key, entry] : entries_) take_up(entry);
  for (auto& [key, entry] : entries_) sync(entry);
}

// ---- objects --------------------------------------------------------------------------------------------------------

void LiveReservations::on_reservation(Told told) {
  const ObjectKey key = key_of(told.object);
  const auto known = entries_.find(key);
  if (known != entries_.end() && known->second.object.metadata.uid != told.object.metadata.uid) forget(key);
  const auto [place, is_new] = entries_.try_emplace(key);
  Entry& entry = place->second;
  entry.object = std::move(told.object);
  entry.spelling = told.spelling;
  entry.written.reset();
  entry.failure.clear();
  if (entry.shape != told.shape || entry.mistake != told.mistake) {
    entry.shape = std::move(told.shape);
    entry.mistake = std::move(told.mistake);
    entry.placeholder.reset();
    if (entry.id.valid()) keeper().drop_placeholders(entry.id);
  }
  if (!is_started_) return;
  if (is_new) take_up(entry);
  sync(entry);
}

void LiveReservations::forget(const ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (const cluster::ReservationId id = found->second.id; id.valid()) {
    sync_refused_later();
    keeper().close(id);
    by_id_.erase(id);
  }
  to_write_.erase(key);
  entries_.erase(found);
}

/// Goes on from where an earlier scheduler was.
void LiveReservations::take_up(Entry& entry) {
  entry.consumed = std::max(entry.object.status.consumed, consumers_of(entry));
  if (workloads::term_of(entry.object, loop_.now()) != ReservationTerm::kNow) return;
  sync(entry);
}

/// Pods with a node that say they have consumed it.
std::int32_t LiveReservations::consumers_of(const Entry& entry) const {
  std::int32_t count = 0;
  for (const auto& [name_space, pods] : caches_.of<kube::Pod>().namespaces()) {
    if (!entry.object.metadata.namespace_.empty() && name_space != entry.object.metadata.namespace_) continue;
    for (const auto& [name, pod] : pods) {
      if (!pod->view.spec->node_name.empty() && entry.object.is_consumed_by(pod->metadata())) ++count;
    }
  }
  return count;
}

/// Makes the model hold what the object asks for now. One that throws, as for want of memory, holds nothing until it
/// is changed.
void LiveReservations::sync(Entry& entry) {
  try {
    settle(entry);
  } catch (const std::exception& error) {
    refuse_for(entry, error.what());
  }
}

void LiveReservations::refuse_for(Entry& entry, std::string_view why) {
  entry.failure = fmt::format("the scheduler failed: {}", why);
  entry.is_refused = true;
  entry.message = entry.failure;
  let_go(entry);
  tell(entry);
}

void LiveReservations::set_aside(PodId placeholder, std::string_view why) {
  if (Entry* entry = entry_of(model_.cluster().pod(placeholder).reservation); entry != nullptr) refuse_for(*entry, why);
}

/// So many placeholders it wants, without a look at what became of them.
std::size_t LiveReservations::wanted_by(const Entry& entry, const std::vector<workloads::DomainRoom>& rooms) const {
  const std::int32_t used = entry.object.refill ? 0 : std::max(consumed_of(entry), 0);
  return engine::ReservationKeeper::wanted(rooms, static_cast<std::size_t>(used));
}

/// Why the room cannot be held beside that of the others; empty: it can.
std::string LiveReservations::no_room_for(const Entry& entry, const std::vector<workloads::DomainRoom>& rooms) const {
  std::size_t all = 0;
  std::size_t of_namespace = 0;
  for (const auto& [key, other] : entries_) {
    if (&other == &entry || !other.id.valid()) continue;
    const std::size_t wanted = wanted_by(other, keeper().at(other.id).rooms);
    all += wanted;
    if (key.name_space == entry.object.metadata.namespace_) of_namespace += wanted;
  }
  const std::size_t wanted = wanted_by(entry, rooms);
  if (all + wanted > kMostPlaceholders) {
    return fmt::format("room for {} pods: with that for {} of other reservations, more than {}", wanted, all,
                       kMostPlaceholders);
  }
  if (of_namespace + wanted > kMostOfNamespace) {
    return fmt::format("room for {} pods: with that for {} of other reservations of the namespace, more than {}",
                       wanted, of_namespace, kMostOfNamespace);
  }
  return {};
}

/// In a later task, so that many that go cost as one.
void LiveReservations::sync_refused_later() {
  if (!is_started_ || std::exchange(is_room_given_up_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    is_room_given_up_ = false;
    sync_refused();
  });
}

void LiveReservations::settle(Entry& entry) {
  set_timer(entry);
  if (workloads::term_of(entry.object, loop_.now()) != ReservationTerm::kNow) {
    let_go(entry);
    return tell(entry);
  }
  Result<std::vector<workloads::DomainRoom>> rooms = rooms_for(entry);
  if (entry.is_refused = !rooms; entry.is_refused) {
    entry.message = rooms.error().message;
    let_go(entry);
    return tell(entry);
  }
  const bool holds_nothing = !entry.id.valid() || keeper().at(entry.id).rooms.empty();
  if (holds_nothing) entry.message.clear();  // it may say why it was refused
  if (!entry.id.valid()) {
    entry.id = keeper().open(entry.object, entry.consumed);
    by_id_[entry.id] = key_of(entry.object);
  }
  keeper().keep(entry.id, entry.object, *std::move(rooms));
  tell(entry);
  wake_();
}

/// What it asks for. Errors: why none of it is held.
Result<std::vector<workloads::DomainRoom>> LiveReservations::rooms_for(Entry& entry) {
  if (!entry.placeholder) {
    Result<kube::Pod> made = make_placeholder(entry);
    if (!made) return tl::unexpected(made.error());
    entry.placeholder = *std::move(made);
  }
  Result<std::vector<workloads::DomainRoom>> rooms =
      workloads::rooms_of(entry.object, *entry.placeholder, model_.cluster());
  if (!rooms) return rooms;
  if (const std::string why = no_room_for(entry, *rooms); !why.empty()) return failure(why);
  return rooms;
}

void LiveReservations::sync_refused() {
  are_policies_changed_ = false;
  if (!is_started_) return;
  for (auto& [key, entry] : entries_) {
    if (entry.is_refused && entry.failure.empty()) sync(entry);
  }
}

void LiveReservations::reconsider() {
  for (auto& [key, entry] : entries_) {
    if (!is_started_ || (!entry.placeholder && !entry.is_refused)) continue;
    const bool has_profile =
        entry.placeholder && dispatcher_->scheduler().profile(entry.placeholder->spec->scheduler_name) != nullptr;
    if (has_profile) continue;
    entry.placeholder.reset();
    sync(entry);
  }
}

void LiveReservations::set_timer(Entry& entry) {
  const Instant now = loop_.now();
  std::optional<Instant> next = entry.object.end(now);
  if (entry.object.from && *entry.object.from > now && (!next || *entry.object.from < *next)) next = entry.object.from;
  entry.timer.reset();
  if (!next || *next <= now) return;
  entry.timer = loop_.after(*next - now, [this, key = key_of(entry.object)] {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    const std::unique_ptr<EventLoop::Timer> done = std::move(found->second.timer);
    sync(found->second);
  });
}

Result<kube::Pod> LiveReservations::make_placeholder(const Entry& entry) const {
  if (!entry.mistake.empty()) return failure(entry.mistake);
  return workloads::placeholder_of(entry.object, [this](kube::Pod& pod) { return complete(pod); });
}

Result<void> LiveReservations::complete(kube::Pod& pod) const {
  if (Result<void> admitted = admit(pod); !admitted) return admitted;
  if (dispatcher_->scheduler().profile(pod.spec->scheduler_name) != nullptr) return {};
  return failure(fmt::format("no profile answers to schedulerName {:?}", pod.spec->scheduler_name));
}

Result<void> LiveReservations::admit(kube::Pod& pod) const {
  if (!policies_) {
    kube::Objects policies;
    policies.of<kube::PriorityClass>() = all_of<kube::PriorityClass>(caches_);
    policies.of<kube::LimitRange>() = all_of<kube::LimitRange>(caches_);
    policies.of<kube::RuntimeClass>() = all_of<kube::RuntimeClass>(caches_);
    policies_.emplace(policies);
  }
  if (const admission::Verdict verdict = policies_->complete(pod)) return failure(verdict->message);
  return {};
}

void LiveReservations::let_go(Entry& entry) {
  if (entry.id.valid()) keeper().let_go(entry.id);
}

/// By pods that are bound.
std::int32_t LiveReservations::consumed_of(const Entry& entry) const {
  return entry.id.valid() ? keeper().at(entry.id).consumed : entry.consumed;
}

LiveReservations::Entry* LiveReservations::entry_of(cluster::ReservationId reservation) {
  const auto key = by_id_.find(reservation);
  return key == by_id_.end() ? nullptr : &entries_.at(key->second);
}

std::string LiveReservations::name_of(PodId placeholder) const {
  const cluster::Cluster& cluster = model_.cluster();
  return "Reservation " + cluster.reservations().at(cluster.pod(placeholder).reservation).text();
}

// ---- turns ----------------------------------------------------------------------------------------------------------

void LiveReservations::decided(const decision::PodTurn& turn) {
  Entry* entry = entry_of(model_.cluster().pod(turn.pod).reservation);
  REQUIRES(entry != nullptr);
  if (!turn.node.valid()) entry->message = decision::text(model_.cluster(), turn.why);
  tell(*entry);
}

kube::StringMap LiveReservations::consumer_annotations(cluster::ReservationId reservation) const {
  return entries_.at(by_id_.at(reservation)).object.consumer_annotations();
}

/// Domains come and go with the labels of nodes. In a later task, so that a hundred nodes that join cost as one.
void LiveReservations::on_node(const Change<kube::Node>& change) {
  if (!is_started_) return;
  const bool is_relabelled = change.before == nullptr || change.after == nullptr ||
                             change.before->metadata().labels != change.after->metadata().labels;
  if (!is_relabelled) return;
  const bool is_of_use =
      std::ranges::any_of(entries_, [](const auto& entry) { return !entry.second.object.per_domain.empty(); });
  if (!is_of_use || std::exchange(are_domains_changed_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) heed_domains();
  });
}

void LiveReservations::heed_domains() {
  are_domains_changed_ = false;
  for (auto& [key, entry] : entries_) {
    if (!entry.object.per_domain.empty()) sync(entry);
  }
}

// ---- status ---------------------------------------------------------------------------------------------------------

/// In a later task, so that a hundred placeholders that find a node make one request.
void LiveReservations::tell(const Entry& entry) {
  if (!is_started_) return;
  to_write_.insert(key_of(entry.object));
  if (std::exchange(is_posted_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) write_all();
  });
}

void LiveReservations::write_all() {
  is_posted_ = false;
  for (const ObjectKey& key : std::exchange(to_write_, {})) {
    if (const auto found = entries_.find(key); found != entries_.end()) write(found->second);
  }
}

void LiveReservations::write(Entry& entry) {
  if (entry.is_writing) return;  // again when that is answered
  const kube::ReservationStatus& before = entry.written ? *entry.written : entry.object.status;
  kube::ReservationStatus status = status_of(facts_of(entry), before, entry.spelling, loop_.now());
  if (is_same_status(status, before)) return;
  watching::Action action = write_status(entry.object.metadata, status, entry.spelling);
  entry.written = std::move(status);
  entry.is_writing = true;
  ++writes_;
  actuator_.perform({{std::move(action)}},
                    [this, key = key_of(entry.object)](const watching::ReconciliationResult& outcome) {
                      --writes_;
                      const auto found = entries_.find(key);
                      if (found == entries_.end()) return;
                      found->second.is_writing = false;
                      if (outcome.failures.empty()) return tell(found->second);
                      found->second.written.reset();
                      if (outcome.failures.front().status.reason == "NotFound") return;
                      retry_ = loop_.after(kRetry, [this] {
                        for (const auto& [each, waiting] : entries_) tell(waiting);
                      });
                    });
}

ReservationFacts LiveReservations::facts_of(const Entry& entry) const {
  ReservationFacts facts;
  facts.consumed = consumed_of(entry);
  const ReservationTerm term = workloads::term_of(entry.object, loop_.now());
  if (term == ReservationTerm::kOver) {
    facts.phase = kube::ReservationPhase::kEnded;
    facts.reason = "Ended";
    return facts;
  }
  if (term == ReservationTerm::kAhead) {
    facts.reason = "NotYet";
    facts.message = "begins at " + format_rfc3339(*entry.object.from);
    return facts;
  }
  const std::map<std::string, std::int32_t> nodes =
      entry.id.valid() ? keeper().nodes_of(entry.id) : std::map<std::string, std::int32_t>();
  count_domains(entry, facts);
  for (const auto& [name, pods] : nodes) facts.nodes.push_back({name, pods});
  if (has_waiting(entry) || entry.is_refused) {
    facts.reason = entry.is_refused ? "Refused" : "Unschedulable";
    facts.message = entry.message;
    const std::string group = workloads::starts_with(entry.object);
    if (facts.message.empty() && !group.empty())
      facts.message = fmt::format("is found when pod group {:?} starts", group);
  } else {
    const bool is_used_up = nodes.empty();
    facts.phase = is_used_up ? kube::ReservationPhase::kConsumed : kube::ReservationPhase::kHolding;
    facts.reason = is_used_up ? "Consumed" : "Held";
  }
  return facts;
}

bool LiveReservations::has_waiting(const Entry& entry) const {
  if (!entry.id.valid()) return false;
  return std::ranges::any_of(model_.cluster().reservations().at(entry.id).placeholders,
                             [this](PodId placeholder) { return !model_.cluster().pod(placeholder).node.valid(); });
}

void LiveReservations::count_domains(const Entry& entry, ReservationFacts& facts) const {
  if (entry.object.per_domain.empty() || !entry.id.valid()) return;
  for (const workloads::DomainRoom& room : keeper().at(entry.id).rooms) {
    kube::ReservedDomain& domain = facts.domains.emplace_back();
    domain.name = room.domain;
    for (const PodId placeholder : keeper().placeholders_in(entry.id, room.domain)) {
      ++(model_.cluster().pod(placeholder).node.valid() ? domain.held : domain.waiting);
    }
  }
}

}  // namespace loadline::scheduler
