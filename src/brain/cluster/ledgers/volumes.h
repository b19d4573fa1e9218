#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ledgers/ledger.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "foundation/base/symbol.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/storage/storage.h"

namespace loadline::cluster {

/// Annotations that carry the state of a claim.
inline constexpr std::string_view kBindCompletedAnnotation = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";

/// The provisioner of classes whose volumes people make by hand.
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

/// The node that the scheduler chose for a claim that is yet to be provisioned.
struct SelectedNode {
  std::string_view name;
  const LabelSet& labels;
  const SymbolTable& symbols;
};

/// What was chosen for a claim and has yet to be written down.
struct ChosenVolume {
  std::string name_space;
  std::string claim;
  std::string volume;        ///< empty: one is to be made, for the selected node
  std::uint64_t number = 0;  ///< no other choice has it
};

/// Bound from both sides. A claim that only names its volume is not.
bool fully_bound(const kube::PersistentVolumeClaim& claim);

/// What the claim asks for, or the volume holds; zero if nothing is said.
kube::Quantity storage_of(const kube::ResourceList& resources);

/// The storage side of the model: volumes, claims, classes, and what CSI drivers tell about nodes. A ledger: what is
/// bound, provisioned and chosen in a transaction is undone with it; objects do not come, change or go meanwhile.
///
/// There is no waiting here: a volume that is bound or provisioned is so at once, as if the persistent volume
/// controller and the provisioner had answered before the next pod is looked at; unless controllers outside the model
/// bind, see leave_binding_to_others(). Everything is ordered, so every choice is deterministic. Pointers handed out
/// hold until the object is removed, or the transaction that made it is rolled back. Thread: one writer; readers may
/// run between writes.
class VolumeCatalog final : public Ledger {
 public:
  VolumeCatalog() = default;

  // ---- changes in. REQUIRES, of all of them: no transaction is open ------------------------------------------------
  // Each replaces an object of the same name.
  void add(kube::StorageClass storage_class);
  /// A volume without a phase is Available unless it names a claim.
  void add(kube::PersistentVolume volume);
  /// A claim without a class gets the default one, as admission does: classes must have been added before.
  void add(kube::PersistentVolumeClaim claim);
  void add(kube::CsiNode node);
  void add(kube::CsiDriver driver);
  void add(kube::CsiStorageCapacity capacity);
  void add(kube::VolumeAttachment attachment);

  // Each does nothing if there is none of that name.
  void remove_storage_class(std::string_view name);
  void remove_volume(std::string_view name);
  void remove_claim(std::string_view name_space, std::string_view name);
  void remove_csi_node(std::string_view name);
  void remove_csi_driver(std::string_view name);
  void remove_capacity(std::string_view name_space, std::string_view name);
  void remove_attachment(std::string_view name);

  /// The claims of the pod's generic ephemeral volumes, as the controller would create them. A claim of that name that
  /// exists is left alone.
  void add_ephemeral_claims(const kube::Pod& pod);
  /// Forgets the claims that the pod owns, and the volumes provisioned for them.
  void remove_ephemeral_claims(std::string_view name_space, std::string_view pod, const kube::PodSpec& spec);

  // ---- lookup: null if there is none -------------------------------------------------------------------------------
  [[nodiscard]] const kube::StorageClass* storage_class(std::string_view name) const;
  [[nodiscard]] const kube::PersistentVolume* volume(std::string_view name) const;
  [[nodiscard]] const kube::PersistentVolumeClaim* claim(std::string_view name_space, std::string_view name) const;
  [[nodiscard]] const kube::CsiNode* csi_node(std::string_view name) const;
  [[nodiscard]] const kube::CsiDriver* csi_driver(std::string_view name) const;
  /// The newest class marked as default, by name among equals.
  [[nodiscard]] const kube::StorageClass* default_class() const;
  /// By namespace and name.
  [[nodiscard]] const std::map<std::string, kube::CsiStorageCapacity, std::less<>>& capacities() const {
    return capacities_;
  }
  [[nodiscard]] std::span<const kube::VolumeAttachment> attachments_to(std::string_view node) const;

  /// Every claim, in order of creation.
  [[nodiscard]] std::vector<kube::PersistentVolumeClaim> all_claims() const;
  /// Every volume, by name.
  [[nodiscard]] std::vector<kube::PersistentVolume> all_volumes() const;

  /// True if the scheduler, not the controller, finds a volume for the claim.
  [[nodiscard]] bool binds_late(const kube::PersistentVolumeClaim& claim) const;
  /// The volumes that the claim could be bound to as far as ownership goes: those reserved for it, then those of its
  /// class that name no claim, by name. Volumes of other classes are among them only if reserved.
  [[nodiscard]] std::vector<const kube::PersistentVolume*> candidates(const kube::PersistentVolumeClaim& claim) const;

  // ---- binding -----------------------------------------------------------------------------------------------------
  /// Binds the claim and the volume to each other. REQUIRES: both came from this catalog.
  void bind(const kube::PersistentVolumeClaim& claim, const kube::PersistentVolume& volume);
  /// The provisioner makes a volume that the node can reach, and binds it. `capacity` (may be null) shrinks by its
  /// size. Reach: the node's values of the driver's topology keys; without those, of the class's allowed topologies;
  /// without either, every node. REQUIRES: the claim came from this catalog and its class exists.
  void provision(const kube::PersistentVolumeClaim& claim, const SelectedNode& node,
                 const kube::CsiStorageCapacity* capacity);
  /// What the persistent volume controller does with claims that do not wait for a pod, or name their volume: binds, or
  /// provisions, what it can, in order of creation, and marks as Lost what was bound to a volume that is gone. From
  /// then on, claims are treated so as they are added. Source: pkg/controller/volume/persistentvolume, v1.36.
  void bind_immediate_claims();

  /// Controllers outside the model bind and provision; the caller passes their results to add(). From now on bind()
  /// only reserves the volume for the claim, provision() only names the claim's node, and both note what was chosen.
  /// Source: AssumePodVolumes in pkg/scheduler/framework/plugins/volumebinding/binder.go, v1.36.
  void leave_binding_to_others() { others_bind_ = true; }
  /// What was chosen since the last call, in that order: taken after each pod's reservation, what was chosen for that
  /// pod. In a transaction, too: a rollback forgets what was chosen since it began, and what was chosen before and
  /// taken since is there to be taken again.
  [[nodiscard]] std::vector<ChosenVolume> take_choices();
  /// What was chosen is not going to be written down: claims and volumes are again as the caller last gave them. Those
  /// that it has given since the choice stay as they are, and so do those for which the same was chosen for another
  /// pod that shares the claim. REQUIRES: others bind, and no transaction is open.
  void give_back(std::span<const ChosenVolume> chosen);

  // ---- in a transaction: what bind(), provision() and take_choices() changed ----------------------------------------
  /// How many steps could be undone.
  [[nodiscard]] std::size_t undoable() const { return undo_.size(); }
  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override;
  void end() override { undo_.end(); }

 private:
  template <class Kind>
  using ByName = std::map<std::string, Kind, std::less<>>;
  using Volumes = ByName<const kube::PersistentVolume*>;
  /// An object that choices have changed, as it was given, and the numbers of these choices.
  template <class Kind>
  struct Given {
    Kind object;
    std::vector<std::uint64_t> choices;
  };

  /// Undoes one change. What it points to stays where it is for as long.
  using Step = std::function<void(VolumeCatalog&)>;

  void remember(kube::PersistentVolumeClaim& claim);
  void remember(kube::PersistentVolume& volume);
  template <class Kind>
  void hold(ByName<Given<Kind>> VolumeCatalog::* all, const std::string& key, const Kind& object);
  void hold(const kube::PersistentVolumeClaim& claim);
  void hold(const kube::PersistentVolume& volume);
  void remember(kube::CsiStorageCapacity& capacity);
  kube::PersistentVolume& insert(kube::PersistentVolume volume);
  void erase(ByName<kube::PersistentVolume>::iterator volume);
  void choose(ChosenVolume choice);
  void index(const kube::PersistentVolume& volume);
  void unindex(const kube::PersistentVolume& volume);
  void remove_claim(const std::string& key);
  void set_default_class(kube::PersistentVolumeClaim& claim) const;
  void reserve(kube::PersistentVolume& volume, const kube::PersistentVolumeClaim& claim);
  void bind_pair(kube::PersistentVolumeClaim& claim, kube::PersistentVolume& volume);
  kube::PersistentVolumeClaim& own(const kube::PersistentVolumeClaim& claim);
  void sync(kube::PersistentVolumeClaim& claim);
  void sync_bound(kube::PersistentVolumeClaim& claim);
  void sync_named(kube::PersistentVolumeClaim& claim);
  bool provision_anywhere(kube::PersistentVolumeClaim& claim);
  void provision(kube::PersistentVolumeClaim& claim, const kube::StorageClass& storage_class,
                 std::optional<kube::NodeSelector> affinity);

  ByName<kube::StorageClass> classes_;
  ByName<kube::PersistentVolume> volumes_;
  ByName<kube::PersistentVolumeClaim> claims_;        // by "namespace/name"
  std::map<std::uint64_t, std::string> claim_order_;  // keys of claims_ in order of creation
  ByName<std::uint64_t> claim_numbers_;               // the places of claims_ in it
  std::uint64_t claims_made_ = 0;
  ByName<kube::CsiNode> csi_nodes_;
  ByName<kube::CsiDriver> csi_drivers_;
  ByName<kube::CsiStorageCapacity> capacities_;
  ByName<std::vector<kube::VolumeAttachment>> attachments_;  // by node
  ByName<std::string> attachment_nodes_;                     // by attachment: the node
  ByName<Volumes> unclaimed_;                                // by class: the volumes without claimRef
  ByName<Volumes> reserved_;                                 // by "namespace/name" of the claimRef
  bool controller_runs_ = false;
  bool others_bind_ = false;
  // Only where others bind.
  std::vector<ChosenVolume> choices_;
  std::uint64_t choices_made_ = 0;
  ByName<Given<kube::PersistentVolumeClaim>> given_claims_;
  ByName<Given<kube::PersistentVolume>> given_volumes_;
  UndoLog<Step> undo_;
};

}  // namespace loadline::cluster
