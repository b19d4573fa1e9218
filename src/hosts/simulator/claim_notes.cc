#include "hosts/simulator/claim_notes.h"

#include <string>
#include <vector>

#include "objects/kube/storage/storage_classes.h"

namespace loadline::simulator {

Diagnostics note_claims_without_class(const cluster::VolumeCatalog& volumes,
                                      const std::vector<kube::StorageClass>& classes) {
  if (volumes.default_class() != nullptr) return {};
  std::vector<kube::PersistentVolumeClaim> claims = volumes.all_claims();
  std::erase_if(claims, [](const kube::PersistentVolumeClaim& claim) {
    return !claim.spec.volume_name.empty() || kube::names_class(claim);
  });
  if (claims.empty()) return {};
  Diagnostic note;
  note.severity = Severity::kWarning;
  note.at = claims.front().metadata.source;
  note.subject = "PersistentVolumeClaim " + claims.front().metadata.namespace_ + "/" + claims.front().metadata.name;
  note.path = "spec.storageClassName";
  note.message = "names no StorageClass, and the input has no default StorageClass, so no volume is made for it";
  if (claims.size() == 2) note.message += ", nor for one more claim";
  if (claims.size() > 2) note.message += ", nor for " + std::to_string(claims.size() - 1) + " more claims";
  note.hint = classes.empty()
                  ? "add the cluster's StorageClasses to the input, or pass --assume-default-storage-class"
                  : "mark one as the default with storageclass.kubernetes.io/is-default-class: \"true\", or "
                    "pass --assume-default-storage-class=" +
                        classes.front().metadata.name;
  return {std::move(note)};
}

}  // namespace loadline::simulator
