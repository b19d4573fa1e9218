#include "hosts/controllers/stateful_set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/stateful_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/claim_retention.h"
#include "hosts/controllers/controller_revision.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/rollout.h"
#include "hosts/controllers/stateful_pods.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/encoder.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Value;
using PodObject = Observed<kube::Pod>;
using workloads::ordinal_in;
using workloads::stateful_claim_name;
using workloads::stateful_pod_name;

constexpr std::string_view kRevisionHash = "controller.kubernetes.io/hash";

/// The pod of an ordinal that should be there.
struct Slot {
  std::int64_t ordinal = 0;
  const PodObject* pod = nullptr;  ///< null: it has to be created
  std::string revision;            ///< of the pod, or the one it will have
};

/// One look at one StatefulSet.
class StatefulLook {
 public:
  StatefulLook(const Observed<kube::StatefulSet>& object, const Context& context)
      : object_(object),
        set_(object.view),
        context_(context),
        in_order_(!object.view.parallel),
        wanted_(workloads::wanted_ordinals(object.view)) {}

  Reconciliation run() {
    if (!set_.selector) return {};
    if (take_dependents() || make_history()) return std::move(result_);
    arrange();
    count();
    if (!object_.is_being_deleted()) act();
    return finish();
  }

 private:
  // ---- what there is ------------------------------------------------------------------------------------------------
  /// True if pods or revisions have to be adopted or let go first.
  bool take_dependents() {
    auto pods =
        claim(context_.caches.of<kube::Pod>(), kind_name<kube::StatefulSet>(), set_.metadata, *set_.selector,
              [&](const PodObject& pod) { return ordinal_in(pod.metadata().name, set_.metadata.name).has_value(); });
    auto revisions =
        claim(context_.caches.of<ControllerRevision>(), kind_name<kube::StatefulSet>(), set_.metadata, *set_.selector);
    pods_ = std::move(pods.owned);
    revisions_ = std::move(revisions.owned);
    sort_revisions(revisions_);
    std::move(revisions.actions.begin(), revisions.actions.end(), std::back_inserter(pods.actions));
    const bool any = !pods.actions.empty();
    result_.then(std::move(pods.actions));
    return any;
  }

  /// Finds the current and the newest revision. True if the history has to be changed first.
  bool make_history() {
    const Value data = revision_data(object_.document);
    const auto found = std::find_if(revisions_.rbegin(), revisions_.rend(),
                                    [&](const RevisionObject* revision) { return has_data(*revision, data); });
    collisions_ = set_.status.collision_count.value_or(0);
    update_ = current_ = found == revisions_.rend() ? find_same_revision(data) : *found;
    if (update_ == nullptr) {
      create_revision(data);
      return true;
    }
    if (found != revisions_.rend() && found != revisions_.rbegin() && !has_data(*revisions_.back(), data)) {
      result_.then(update(kind_name<ControllerRevision>(), update_->key(),
                          update_->document.with("revision", Value(revision_number(*revisions_.back()) + 1))));
      return true;
    }
    for (const RevisionObject* revision : revisions_) {
      if (revision->metadata().name == set_.status.current_revision) current_ = revision;
    }
    return false;
  }

  /// One of the name and the data that a new one would have is as good, whoever has it: a set of the same name,
  /// perhaps, that is gone. It goes with that, and is made then. Source: CreateControllerRevision in
  /// pkg/controller/history, v1.36.
  [[nodiscard]] const RevisionObject* find_same_revision(const Value& data) const {
    const std::string name = revision_name(set_.metadata.name, revision_hash(data, collisions_));
    const auto found = context_.caches.of<ControllerRevision>().find(set_.metadata.namespace_, name);
    return found != nullptr && has_data(*found, data) ? found.get() : nullptr;
  }

  void create_revision(const Value& data) {
    RevisionDraft draft{kind_name<kube::StatefulSet>(), "", kRevisionHash, "", 1, data};
    if (!revisions_.empty()) draft.number = revision_number(*revisions_.back()) + 1;
    draft.hash = revision_hash(data, collisions_);
    draft.name = revision_name(set_.metadata.name, draft.hash);
    const auto& known = context_.caches.of<ControllerRevision>();
    while (known.find(set_.metadata.namespace_, draft.name) != nullptr) {
      draft.name = revision_name(set_.metadata.name, revision_hash(data, ++collisions_));
    }
    if (collisions_ != set_.status.collision_count.value_or(0)) {
      kube::StatefulSetStatus status = set_.status;
      status.collision_count = collisions_;
      result_.then(update_with(status));
    }
    result_.then(create(kind_name<ControllerRevision>(), set_.metadata.namespace_,
                        revision_document(draft, object_.document, set_.metadata)));
  }

  /// Pods that are there and should be, by ordinal, and those that should not, the highest first.
  void arrange() {
    for (const PodObject* pod : pods_) {
      const std::int64_t ordinal = *ordinal_in(pod->metadata().name, set_.metadata.name);
      const Slot slot{ordinal, pod, std::string(revision_of_pod(pod->view))};
      if (wanted_.contain(ordinal)) {
        slots_[ordinal] = slot;
      } else {
        condemned_.push_back(slot);
      }
    }
    std::sort(condemned_.begin(), condemned_.end(), [](const Slot& a, const Slot& b) { return a.ordinal > b.ordinal; });
    first_unavailable_ = find_first_unavailable();
  }

  /// Whether a pod of that ordinal stays at the current revision.
  [[nodiscard]] bool is_kept_back(std::int64_t ordinal) const {
    if (!rolls()) return false;
    return ordinal < std::int64_t{set_.ordinals_start} + set_.partition.value_or(set_.status.current_replicas);
  }
  [[nodiscard]] bool rolls() const { return set_.update_strategy != "OnDelete"; }

  [[nodiscard]] bool is_available_now(const kube::Pod& pod) const {
    return is_available(pod, set_.min_ready_seconds, context_.now);
  }
  [[nodiscard]] bool is_unavailable(const Slot& slot) const {
    return slot.pod == nullptr || slot.pod->is_being_deleted() || !is_available_now(slot.pod->view);
  }
  [[nodiscard]] bool is_any_wanted_unavailable() const {
    return has_gaps() || std::ranges::any_of(slots_, [&](const auto& slot) { return is_unavailable(slot.second); });
  }
  [[nodiscard]] bool has_gaps() const { return static_cast<std::int64_t>(slots_.size()) < wanted_.end - wanted_.first; }
  /// Of those that should not be there; null, too, if one that should be is unavailable: that comes before them.
  [[nodiscard]] const Slot* find_first_unavailable() const {
    if (is_any_wanted_unavailable()) return nullptr;
    for (auto slot = condemned_.rbegin(); slot != condemned_.rend(); ++slot) {
      if (is_unavailable(*slot)) return &*slot;
    }
    return nullptr;
  }

  void count() {
    status_.observed_generation = set_.metadata.generation;
    status_.current_revision = current_->metadata().name;
    status_.update_revision = update_->metadata().name;
    status_.collision_count = collisions_;
    status_.conditions = set_.status.conditions;
    for (const PodObject* pod : pods_) count_pod(pod->view);
  }

  void count_pod(const kube::Pod& pod) {
    ++status_.replicas;
    if (is_running_and_ready(pod)) {
      ++status_.ready_replicas;
      if (is_available_now(pod)) ++status_.available_replicas;
      if (const auto left = available_after(pod, set_.min_ready_seconds, context_.now)) result_.wake_after(*left);
    }
    if (pod.metadata.deletion_timestamp) return;
    const std::string_view revision = revision_of_pod(pod);
    if (revision == status_.current_revision) ++status_.current_replicas;
    if (revision == status_.update_revision) ++status_.updated_replicas;
  }

  static bool is_running_and_ready(const kube::Pod& pod) {
    return pod.status.phase == kube::PodPhase::kRunning && is_ready(pod);
  }

  // ---- what to do ---------------------------------------------------------------------------------------------------
  void act() {
    if (!process_all()) return;
    for (const Slot& slot : condemned_) keep_claims(slot, true);
    for (const Slot& slot : condemned_) {
      if (condemn(slot) && in_order_) return;
    }
    if (rolls()) roll();
  }

  /// Goes through the ordinals in order; of those without a pod it sees to a batch. False: one has to be waited for.
  bool process_all() {
    auto there = slots_.begin();
    std::size_t gaps = 0;
    for (std::int64_t ordinal = wanted_.first; ordinal < wanted_.end; ++ordinal) {
      if (there != slots_.end() && there->first == ordinal) {
        if (process((there++)->second) && in_order_) return false;
      } else if (gaps < kBurst) {
        ++gaps;
        if (process(missing_slot(ordinal)) && in_order_) return false;
      } else if (there == slots_.end()) {
        return true;
      } else {
        ordinal = there->first - 1;
      }
    }
    return true;
  }
  [[nodiscard]] Slot missing_slot(std::int64_t ordinal) const {
    return {ordinal, nullptr, (is_kept_back(ordinal) ? current_ : update_)->metadata().name};
  }

  /// True if it has to be waited for.
  bool process(const Slot& slot) {
    if (slot.pod == nullptr) return make_pod(slot);
    const kube::Pod& pod = slot.pod->view;
    if (pod.finished()) {
      // The next one comes when this one is gone.
      if (!slot.pod->is_being_deleted()) delete_pod(slot);
      return true;
    }
    if (pod.status.phase == kube::PodPhase::kPending) {
      if (!make_claims(slot)) return true;
      keep_claims(slot, false);
    }
    if (in_order_ && (slot.pod->is_being_deleted() || !is_running_and_ready(pod) || !is_available_now(pod)))
      return true;
    if (pod.status.phase != kube::PodPhase::kPending) keep_claims(slot, false);
    restore_identity(slot);
    return false;
  }

  bool make_pod(const Slot& slot) {
    if (has_stale_claim(slot) || !make_claims(slot)) return true;
    const RevisionObject& revision = slot.revision == update_->metadata().name ? *update_ : *current_;
    const Value* data = revision.document.find("data");
    const Value base = data == nullptr ? object_.document : with_revision(object_.document, *data);
    Action action =
        create(kind_name<kube::Pod>(), set_.metadata.namespace_, stateful_pod(base, set_, slot.ordinal, slot.revision));
    say_of_pod(action, "Create", stateful_pod_name(set_, slot.ordinal));
    creations_.push_back(std::move(action));
    return true;
  }

  /// A claim that the garbage collector is about to delete with the pod that was scaled away.
  [[nodiscard]] bool has_stale_claim(const Slot& slot) const {
    if (set_.claims_when_scaled != "Delete") return false;
    return std::any_of(
        set_.volume_claim_templates.begin(), set_.volume_claim_templates.end(), [&](const auto& pattern) {
          const auto claim = find_claim(stateful_claim_name(set_, pattern.metadata.name, slot.ordinal));
          return claim != nullptr && belongs_to_former_pod(claim->view, stateful_pod_name(set_, slot.ordinal), "");
        });
  }

  [[nodiscard]] ObjectPtr<kube::PersistentVolumeClaim> find_claim(const std::string& name) const {
    return context_.caches.of<kube::PersistentVolumeClaim>().find(set_.metadata.namespace_, name);
  }

  /// Creates the claims that are missing; false if one is being deleted, so that its pod has to wait.
  bool make_claims(const Slot& slot) {
    if (set_.volume_claim_templates.empty()) return true;
    const std::string pod = stateful_pod_name(set_, slot.ordinal);
    for (StatefulClaim& claim : stateful_claims(object_.document, set_, slot.ordinal)) {
      const auto found = find_claim(claim.name);
      if (found == nullptr) {
        claims_.push_back(create_claim(std::move(claim), pod));
      } else if (found->is_being_deleted()) {
        result_.events.push_back(event(Event::Type::kWarning, "FailedCreate",
                                       "Create Pod " + pod + " in StatefulSet " + set_.metadata.name +
                                           " failed error: pvc " + claim.name + " is being deleted"));
        return false;
      }
    }
    return true;
  }

  Action create_claim(StatefulClaim claim, const std::string& pod) const {
    Action action =
        create(kind_name<kube::PersistentVolumeClaim>(), set_.metadata.namespace_, std::move(claim.document));
    const std::string where = "Pod " + pod + " in StatefulSet " + set_.metadata.name;
    action.said_when_done =
        event(Event::Type::kNormal, "SuccessfulCreate", "Create Claim " + claim.name + ' ' + where + " success");
    action.said_if_failed = event(Event::Type::kWarning, "FailedCreate",
                                  "Create Claim " + claim.name + " for " + where + " failed error: ");
    return action;
  }

  /// The claims of a pod that is there belong to whom they should.
  void keep_claims(const Slot& slot, bool is_scaled_away) {
    for (const auto& pattern : set_.volume_claim_templates) {
      const auto found = find_claim(stateful_claim_name(set_, pattern.metadata.name, slot.ordinal));
      if (found == nullptr) continue;
      if (auto changed = with_retention(*found, set_, slot.pod->metadata(), is_scaled_away)) {
        claims_.push_back(update(kind_name<kube::PersistentVolumeClaim>(), found->key(), std::move(*changed)));
      }
    }
  }

  /// Restores the label by which services find the pod, if another writer took it away.
  void restore_identity(const Slot& slot) {
    const auto& labels = slot.pod->metadata().labels;
    const auto found = labels.find(kube::kStatefulSetPodName);
    if (found != labels.end() && found->second == slot.pod->metadata().name) return;
    const Value changed =
        document::with_at(Value(), {"metadata", "labels", kube::kStatefulSetPodName}, Value(slot.pod->metadata().name));
    Action action = patch(kind_name<kube::Pod>(), slot.pod->key(), kube::PatchType::kMerge, changed);
    say_of_pod(action, "Update", slot.pod->metadata().name);
    others_.push_back(std::move(action));
  }

  /// True if it has to be waited for.
  bool condemn(const Slot& slot) {
    if (slot.pod->is_being_deleted()) return true;
    const bool is_healthy = is_running_and_ready(slot.pod->view) && is_available_now(slot.pod->view);
    if (in_order_ && !is_healthy && &slot != first_unavailable_) return true;
    delete_pod(slot);
    return true;
  }

  /// From the last ordinal down to the partition. One without a pod is unavailable.
  void roll() {
    if (set_.max_unavailable) {
      roll_many(std::max(1, scaled_value(*set_.max_unavailable, set_.replicas, Rounding::kDown)));
      return;
    }
    std::int64_t ordinal = wanted_.end - 1;
    for (auto slot = slots_.rbegin(); slot != slots_.rend() && ordinal >= first_to_roll(); ++slot, --ordinal) {
      if (slot->first != ordinal) return;
      if (is_outdated(slot->second)) {
        roll_pod(slot->second);
        return;
      }
      if (is_unavailable(slot->second)) return;
    }
  }

  void roll_many(std::int64_t most) {
    const std::int64_t gaps = wanted_.end - wanted_.first - static_cast<std::int64_t>(slots_.size());
    std::int64_t left =
        most - gaps - std::ranges::count_if(slots_, [&](const auto& slot) { return is_unavailable(slot.second); });
    for (auto slot = slots_.rbegin(); slot != slots_.rend() && slot->first >= first_to_roll() && left > 0; ++slot) {
      if (!is_outdated(slot->second)) continue;
      roll_pod(slot->second);
      --left;
    }
  }

  /// The partition counts pods, from the first on.
  [[nodiscard]] std::int64_t first_to_roll() const { return wanted_.first + std::max(0, set_.partition.value_or(0)); }
  [[nodiscard]] bool is_outdated(const Slot& slot) const {
    return slot.pod != nullptr && !slot.pod->is_being_deleted() && slot.revision != update_->metadata().name;
  }
  void roll_pod(const Slot& slot) {
    delete_pod(slot);
    if (slot.revision == status_.current_revision) --status_.current_replicas;
  }

  void delete_pod(const Slot& slot) {
    if (!deleted_.insert(slot.pod).second) return;
    Action action = remove(kind_name<kube::Pod>(), slot.pod->key(), slot.pod->metadata().uid);
    say_of_pod(action, "Delete", slot.pod->metadata().name);
    others_.push_back(std::move(action));
  }

  /// The oldest revisions that no pod has, beyond the limit.
  [[nodiscard]] std::vector<Action> clean_up() const {
    const std::int32_t limit = set_.revision_history_limit.value_or(10);
    std::set<std::string_view> live = {current_->metadata().name, update_->metadata().name};
    for (const PodObject* pod : pods_) live.insert(revision_of_pod(pod->view));
    std::vector<Action> actions;
    for (const RevisionObject* revision : revisions_) {
      if (live.contains(revision->metadata().name)) continue;
      actions.push_back(remove(kind_name<ControllerRevision>(), revision->key(), revision->metadata().uid));
    }
    const auto surplus = static_cast<std::int64_t>(actions.size()) - std::max(0, limit);
    actions.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, limit < 0 ? 0 : surplus)));
    return actions;
  }

  // ---- actions ------------------------------------------------------------------------------------------------------
  [[nodiscard]] Event event(Event::Type type, std::string reason, std::string message) const {
    return {reference_to(object_), type, std::move(reason), std::move(message)};
  }
  void say_of_pod(Action& action, const std::string& verb, const std::string& pod) const {
    const std::string what = verb + " Pod " + pod + " in StatefulSet " + set_.metadata.name;
    action.said_when_done = event(Event::Type::kNormal, "Successful" + verb, what + " successful");
    action.said_if_failed = event(Event::Type::kWarning, "Failed" + verb, what + " failed error: ");
  }

  Action update_with(const kube::StatefulSetStatus& status) const {
    return update_status(kind_name<kube::StatefulSet>(), object_.key(),
                         object_.document.with("status", kube::encode_object(kube::kStatefulSetStatusSchema, &status)));
  }

  Reconciliation finish() {
    if (rolls() && status_.updated_replicas == set_.replicas && status_.ready_replicas == set_.replicas &&
        status_.replicas == set_.replicas) {
      status_.current_replicas = status_.updated_replicas;
      status_.current_revision = status_.update_revision;
    }
    if (!(status_ == set_.status)) result_.then(update_with(status_));
    result_.then(std::move(claims_));
    for (auto& step : slow_start(std::move(creations_))) result_.then(std::move(step));
    result_.then(std::move(others_));
    result_.then(clean_up());
    return std::move(result_);
  }

  const Observed<kube::StatefulSet>& object_;
  const kube::StatefulSet& set_;
  const Context& context_;
  const bool in_order_;
  const workloads::Ordinals wanted_;
  std::vector<const PodObject*> pods_;
  std::vector<const RevisionObject*> revisions_;  // oldest first
  const RevisionObject* current_ = nullptr;
  const RevisionObject* update_ = nullptr;
  std::int32_t collisions_ = 0;
  std::map<std::int64_t, Slot> slots_;  // those of them that have a pod
  std::vector<Slot> condemned_;
  const Slot* first_unavailable_ = nullptr;
  kube::StatefulSetStatus status_;
  std::vector<Action> claims_;
  std::vector<Action> creations_;
  std::vector<Action> others_;
  std::set<const PodObject*> deleted_;
  Reconciliation result_;
};

/// A claim concerns the sets that its name may come from: "data-web-3".
void owners_of_claim(const Caches& caches, const Change<kube::PersistentVolumeClaim>& change, Keys& keys) {
  const ObjectKey key = change.last().key();
  for (const auto& [name, set] : caches.of<kube::StatefulSet>().in(key.name_space)) {
    for (const auto& pattern : set->view.volume_claim_templates) {
      const std::string& prefix = pattern.metadata.name;
      if (key.name.size() > prefix.size() + 1 && key.name.starts_with(prefix) &&
          ordinal_in(std::string_view(key.name).substr(prefix.size() + 1), name)) {
        keys.insert(set->key());
      }
    }
  }
}

class StatefulSetController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "statefulset-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::StatefulSet>(own_key<kube::StatefulSet>);
    to.on<kube::Pod>(controllers_of<kube::Pod>("StatefulSet"));
    to.on<kube::Pod>(adopters_of<kube::Pod, kube::StatefulSet>(to.caches()));
    to.on<ControllerRevision>(controllers_of<ControllerRevision>("StatefulSet"));
    to.on<kube::PersistentVolumeClaim>(
        [&caches = to.caches()](const auto& change, Keys& keys) { owners_of_claim(caches, change, keys); });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::StatefulSet> object = context.caches.of<kube::StatefulSet>().find(key);
    return object == nullptr ? Reconciliation{} : StatefulLook(*object, context).run();
  }
};

}  // namespace

std::unique_ptr<Controller> make_stateful_set_controller() { return std::make_unique<StatefulSetController>(); }

}  // namespace loadline::controllers
