#include "hosts/controllers/volume_binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/volume_matching.h"
#include "brain/cluster/ledgers/volumes.h"
#include "foundation/document/at.h"
#include "hosts/controllers/volume_provisioning.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/claim_use.h"
#include "hosts/watching/volume_patches.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::controllers {
namespace {

using document::Object;
using document::text_at;
using document::Value;

constexpr std::string_view kVolumeController = "persistentvolume-controller";
constexpr std::string_view kStorageProvisioner = "volume.kubernetes.io/storage-provisioner";
constexpr std::string_view kBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/// One look at a claim.
class ClaimSync {
 public:
  ClaimSync(const ClaimObject& claim, const Context& context, const ServedElsewhere& served_elsewhere)
      : claim_(claim), context_(context), served_elsewhere_(served_elsewhere) {}

  Reconciliation run() {
    if (claim_.metadata().annotations.contains(cluster::kBindCompletedAnnotation)) {
      look_at_bound();
    } else if (!claim_.view.spec.volume_name.empty()) {
      look_at_named();
    } else {
      look_for_volume();
    }
    return std::move(result_);
  }

 private:
  void say(Event::Type type, std::string_view reason, std::string message) {
    result_.events.push_back({reference_to(claim_), type, std::string(reason), std::move(message)});
  }
  [[nodiscard]] ObjectPtr<kube::PersistentVolume> named_volume() const {
    return context_.caches.of<kube::PersistentVolume>().find("", claim_.view.spec.volume_name);
  }
  void bind(const VolumeObject& volume) { result_.steps = binding_steps(claim_, volume); }
  void stay_pending() {
    if (claim_.view.phase != "Pending") result_.then(set_claim_phase(claim_, "Pending"));
  }

  // ---- claims that have, or want, a certain volume
  void look_at_bound() {
    if (claim_.view.spec.volume_name.empty()) {
      return lose("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
    }
    const auto volume = named_volume();
    if (volume == nullptr) {
      return lose("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }
    const auto& holder = volume->view.claim_ref;
    if (holder && holder->uid != claim_.metadata().uid) {
      return lose("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
    }
    bind(*volume);
  }

  void lose(std::string_view reason, std::string message) {
    if (claim_.view.phase == "Lost") return;
    Action action = set_claim_phase(claim_, "Lost");
    action.said_when_done = Event{reference_to(claim_), Event::Type::kWarning, std::string(reason), std::move(message)};
    result_.then(std::move(action));
  }

  void look_at_named() {
    const auto volume = named_volume();
    if (volume == nullptr) return stay_pending();
    if (cluster::belongs_to(volume->view, claim_.view)) return bind(*volume);
    if (volume->view.claim_ref) {
      say(Event::Type::kWarning, "FailedBinding",
          fmt::format("volume \"{}\" already bound to a different claim.", volume->metadata().name));
    } else if (cluster::satisfies(volume->view, claim_.view)) {
      return bind(*volume);
    } else {
      say(Event::Type::kWarning, "VolumeMismatch",
          fmt::format("Cannot bind to requested volume \"{}\": {}", volume->metadata().name, mismatch(volume->view)));
    }
    stay_pending();
  }

  [[nodiscard]] std::string_view mismatch(const kube::PersistentVolume& volume) const {
    const kube::PersistentVolumeClaim& claim = claim_.view;
    if (volume.metadata.deletion_timestamp) return "the volume is marked for deletion";
    if (cluster::storage_of(volume.capacity).value() < cluster::storage_of(claim.spec.requests).value()) {
      return "requested PV is too small";
    }
    if (kube::class_of(volume) != kube::class_of(claim)) return "storageClassName does not match";
    if (volume.volume_attributes_class_name != claim.spec.volume_attributes_class_name) {
      return "volumeAttributesClassName does not match";
    }
    return volume.volume_mode != claim.spec.volume_mode ? "incompatible volumeMode" : "incompatible accessMode";
  }

  // ---- claims that take any volume
  [[nodiscard]] ObjectPtr<kube::StorageClass> storage_class() const {
    const std::string_view name = kube::class_of(claim_.view);
    return name.empty() ? nullptr : context_.caches.of<kube::StorageClass>().find("", name);
  }
  [[nodiscard]] std::string_view selected_node() const {
    const auto found = claim_.metadata().annotations.find(cluster::kSelectedNodeAnnotation);
    return found == claim_.metadata().annotations.end() ? std::string_view() : std::string_view(found->second);
  }

  /// Those reserved for the claim, then those of its class that no claim has, by name.
  [[nodiscard]] std::vector<const kube::PersistentVolume*> candidates() const {
    std::vector<const kube::PersistentVolume*> reserved;
    std::vector<const kube::PersistentVolume*> free;
    const std::string_view wanted = kube::class_of(claim_.view);
    for (const auto& [name, volume] : context_.caches.of<kube::PersistentVolume>().in("")) {
      if (cluster::belongs_to(volume->view, claim_.view)) {
        reserved.push_back(&volume->view);
      } else if (!volume->view.claim_ref && kube::class_of(volume->view) == wanted) {
        free.push_back(&volume->view);
      }
    }
    reserved.insert(reserved.end(), free.begin(), free.end());
    return reserved;
  }

  void look_for_volume() {
    const auto found_class = storage_class();
    const bool waits = found_class != nullptr &&
                       found_class->view.volume_binding_mode == kube::VolumeBindingMode::kWaitForFirstConsumer;
    const auto candidates = this->candidates();
    const kube::PersistentVolume* found = cluster::find_volume_anywhere(claim_.view, candidates, waits);
    if (found != nullptr) return bind(*context_.caches.of<kube::PersistentVolume>().find("", found->metadata.name));
    const bool late = waits && selected_node().empty();
    if (take_default_class()) return;
    if (late) {
      tell_whom_it_waits_for();
    } else if (kube::class_of(claim_.view).empty()) {
      say(Event::Type::kNormal, "FailedBinding",
          "no persistent volumes available for this claim and no storage class is set");
    } else {
      provision(found_class.get());
    }
    stay_pending();
  }

  /// A claim from before there was a default class gets it now.
  bool take_default_class() {
    if (kube::names_class(claim_.view)) return false;
    std::vector<kube::StorageClass> classes;
    for (const auto& [name, candidate] : context_.caches.of<kube::StorageClass>().in("")) {
      if (kube::is_marked_default(candidate->view)) classes.push_back(candidate->view);
    }
    const kube::StorageClass* found = kube::default_class(classes);
    if (found == nullptr) return false;
    Object spec{{"storageClassName", Value(found->metadata.name), {}}};
    result_.then(patch(kind_name<kube::PersistentVolumeClaim>(), claim_.key(), kube::PatchType::kMerge,
                       Value(Object{{"spec", Value(std::move(spec)), {}}})));
    return true;
  }

  void tell_whom_it_waits_for() {
    std::vector<std::string_view> pods;
    for (const auto& [name, pod] : context_.caches.of<kube::Pod>().in(claim_.metadata().namespace_)) {
      if (uses_claim(pod->view, claim_.metadata().name) && pod->view.spec->node_name.empty() && !pod->view.finished())
        pods.push_back(name);
    }
    if (pods.empty()) {
      say(Event::Type::kNormal, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
    } else {
      say(Event::Type::kNormal, "WaitForPodScheduled",
          fmt::format("waiting for {} {} to be scheduled", pods.size() > 1 ? "pods" : "pod", fmt::join(pods, ",")));
    }
  }

  /// Nothing can be made for a node that is gone: the scheduler has to choose again.
  /// Source: rescheduleProvisioning in sig-storage-lib-external-provisioner.
  void give_node_back() {
    say(Event::Type::kWarning, "ProvisioningFailed",
        fmt::format("failed to get target node: nodes \"{}\" not found", selected_node()));
    result_.then(annotate_claim(claim_, {{std::string(cluster::kSelectedNodeAnnotation), Value(), {}}}));
  }

  void provision(const Observed<kube::StorageClass>* found_class) {
    if (found_class == nullptr) {
      return say(Event::Type::kWarning, "ProvisioningFailed",
                 fmt::format("storageclass.storage.k8s.io \"{}\" not found", kube::class_of(claim_.view)));
    }
    const std::string& provisioner = found_class->view.provisioner;
    if (provisioner == cluster::kNoProvisioner || claim_.is_being_deleted()) return;
    const auto node = context_.caches.of<kube::Node>().find("", selected_node());
    if (!selected_node().empty() && node == nullptr) return give_node_back();
    say(Event::Type::kNormal, "ExternalProvisioning",
        fmt::format("Waiting for a volume to be created either by the external provisioner '{}' or manually by the "
                    "system administrator. If volume creation is delayed, please verify that the provisioner is "
                    "running and correctly registered.",
                    provisioner));
    if (!claim_.metadata().annotations.contains(kStorageProvisioner)) {
      result_.then(annotate_claim(claim_, {{std::string(kBetaStorageProvisioner), Value(provisioner), {}},
                                           {std::string(kStorageProvisioner), Value(provisioner), {}}}));
    }
    if (served_elsewhere_ && served_elsewhere_(provisioner)) return;
    say(Event::Type::kNormal, "Provisioning",
        fmt::format("External provisioner is provisioning volume for claim \"{}\"", claim_.key().to_string()));
    Value volume = provisioned_volume(claim_, *found_class, node.get(), context_.caches);
    const std::string name(text_at(volume, {"metadata", "name"}));
    Action action = create(kind_name<kube::PersistentVolume>(), "", std::move(volume));
    action.said_when_done = Event{reference_to(claim_), Event::Type::kNormal, "ProvisioningSucceeded",
                                  "Successfully provisioned volume " + name};
    action.said_if_failed =
        Event{reference_to(claim_), Event::Type::kWarning, "ProvisioningFailed", "failed to provision volume: "};
    result_.then(std::move(action));
  }

  const ClaimObject& claim_;
  const Context& context_;
  const ServedElsewhere& served_elsewhere_;
  Reconciliation result_;
};

bool is_unbound(const kube::PersistentVolumeClaim& claim) {
  return !claim.metadata.annotations.contains(cluster::kBindCompletedAnnotation);
}

class ClaimBindingController final : public Controller {
 public:
  explicit ClaimBindingController(ServedElsewhere served_elsewhere) : served_elsewhere_(std::move(served_elsewhere)) {}

  [[nodiscard]] std::string_view name() const override { return kVolumeController; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::PersistentVolumeClaim>(own_key<kube::PersistentVolumeClaim>);
    to.on<kube::PersistentVolume>([&caches = to.caches()](const Change<kube::PersistentVolume>& change, Keys& keys) {
      for (const auto& version : {change.before, change.after}) {
        if (version != nullptr && version->view.claim_ref) {
          keys.insert({version->view.claim_ref->namespace_, version->view.claim_ref->name});
        }
      }
      if (change.after == nullptr || change.after->view.claim_ref || change.after->view.phase != "Available") return;
      add_waiting(caches, kube::class_of(change.after->view), keys);
    });
    to.on<kube::StorageClass>([&caches = to.caches()](const Change<kube::StorageClass>& change, Keys& keys) {
      add_waiting(caches, change.last().metadata().name, keys);
      add_waiting(caches, "", keys);
    });
    to.reads<kube::Pod>();
    to.reads<kube::Node>();
    to.reads<kube::CsiNode>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto claim = context.caches.of<kube::PersistentVolumeClaim>().find(key);
    return claim == nullptr ? Reconciliation{} : ClaimSync(*claim, context, served_elsewhere_).run();
  }

 private:
  static void add_waiting(const Caches& caches, std::string_view storage_class, Keys& keys) {
    for (const auto& [name_space, claims] : caches.of<kube::PersistentVolumeClaim>().namespaces()) {
      for (const auto& [name, claim] : claims) {
        if (is_unbound(claim->view) && kube::class_of(claim->view) == storage_class) keys.insert(claim->key());
      }
    }
  }

  ServedElsewhere served_elsewhere_;
};

class VolumeBindingController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kVolumeController; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::PersistentVolume>(own_key<kube::PersistentVolume>);
    to.on<kube::PersistentVolumeClaim>([&caches = to.caches()](const auto& change, Keys& keys) {
      for (const auto& version : {change.before, change.after}) {
        if (version != nullptr && !version->view.spec.volume_name.empty()) {
          keys.insert({"", version->view.spec.volume_name});
        }
      }
      if (change.after != nullptr) return;
      // A volume may have been made, or kept, for a claim that never got to know of it.
      for (const auto& [name, volume] : caches.template of<kube::PersistentVolume>().in("")) {
        if (cluster::belongs_to(volume->view, change.before->view)) keys.insert(volume->key());
      }
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto found = context.caches.of<kube::PersistentVolume>().find(key);
    if (found == nullptr) return {};
    const VolumeObject& volume = *found;
    const auto& holder = volume.view.claim_ref;
    if (!holder || holder->uid.empty()) return in_phase(volume, "Available");
    const auto claim = context.caches.of<kube::PersistentVolumeClaim>().find(holder->namespace_, holder->name);
    if (claim == nullptr || claim->metadata().uid != holder->uid) return release(volume);
    const std::string& bound_to = claim->view.spec.volume_name;
    if (bound_to.empty()) return {};  // the claim's turn
    if (bound_to == volume.metadata().name) return in_phase(volume, "Bound");
    const auto& annotations = volume.metadata().annotations;
    if (annotations.contains(kProvisionedBy) && deletes(volume)) return release(volume);
    return annotations.contains(kBoundByController) ? unbind(volume) : Reconciliation{};
  }

 private:
  static bool deletes(const VolumeObject& volume) {
    return text_at(volume.document, {"spec", "persistentVolumeReclaimPolicy"}) == "Delete";
  }

  static Reconciliation in_phase(const VolumeObject& volume, std::string_view phase) {
    Reconciliation result;
    if (volume.view.phase != phase) result.then(set_volume_phase(volume, phase));
    return result;
  }

  /// Its claim is gone. A volume that was provisioned here goes, too; no deleter exists for any other.
  static Reconciliation release(const VolumeObject& volume) {
    Reconciliation result;
    if (volume.view.phase == "Failed") return result;
    if (volume.view.phase != "Released") result.then(set_volume_phase(volume, "Released"));
    if (!deletes(volume) || volume.is_being_deleted()) return result;
    if (volume.metadata().annotations.contains(kProvisionedBy)) {
      result.then(remove(kind_name<kube::PersistentVolume>(), volume.key(), volume.metadata().uid));
      return result;
    }
    const std::string why = fmt::format(
        "error getting deleter volume plugin for volume \"{}\": no volume plugin matched", volume.metadata().name);
    Action action = set_volume_phase(volume, "Failed", why);
    action.said_when_done = Event{reference_to(volume), Event::Type::kWarning, "VolumeFailedDelete", why};
    result.then(std::move(action));
    return result;
  }

  /// It was reserved here for a claim that found another one.
  static Reconciliation unbind(const VolumeObject& volume) {
    Reconciliation result;
    Object annotations{{std::string(kBoundByController), Value(), {}}};
    Object metadata{{"uid", Value(volume.metadata().uid), {}}, {"annotations", Value(std::move(annotations)), {}}};
    result.then(patch(kind_name<kube::PersistentVolume>(), volume.key(), kube::PatchType::kMerge,
                      Value(Object{{"metadata", Value(std::move(metadata)), {}},
                                   {"spec", Value(Object{{"claimRef", Value(), {}}}), {}}})));
    result.then(set_volume_phase(volume, "Available"));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_claim_binding_controller(ServedElsewhere served_elsewhere) {
  return std::make_unique<ClaimBindingController>(std::move(served_elsewhere));
}

std::unique_ptr<Controller> make_volume_binding_controller() { return std::make_unique<VolumeBindingController>(); }

}  // namespace loadline::controllers
