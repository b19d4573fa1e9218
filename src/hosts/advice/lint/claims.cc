#include "hosts/advice/lint/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hosts/advice/lint/wording.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::advice::lint {
namespace {

/// A claim or a template of one, and where it is written.
struct WrittenClaim {
  std::string subject;
  const SourcePosition* source = nullptr;
  std::string path;  ///< of its spec
  kube::PersistentVolumeClaim claim;
};

kube::PersistentVolumeClaim made_of(const kube::PersistentVolumeClaimTemplate& each) {
  kube::PersistentVolumeClaim claim;
  claim.metadata = each.metadata;
  claim.spec = each.spec;
  return claim;
}

class ClaimsOfInput {
 public:
  explicit ClaimsOfInput(const LintInput& input) : input_(input) {}

  std::vector<WrittenClaim> collect() {
    for (const kube::PersistentVolumeClaim& each : input_.objects().of<kube::PersistentVolumeClaim>()) {
      if (!input_.judges(each.metadata) || !each.spec.volume_name.empty()) continue;
      add("PersistentVolumeClaim " + each.metadata.namespace_ + "/" + each.metadata.name, each.metadata.source, "spec",
          each);
    }
    for (const kube::StatefulSet& set : input_.objects().of<kube::StatefulSet>()) {
      if (!input_.judges(set.metadata)) continue;
      for (std::size_t i = 0; i < set.volume_claim_templates.size(); ++i) {
        add("StatefulSet " + set.metadata.namespace_ + "/" + set.metadata.name, set.metadata.source,
            fmt::format("spec.volumeClaimTemplates[{}].spec", i), made_of(set.volume_claim_templates[i]));
      }
    }
    for (const JudgedWorkload& workload : input_.workloads()) {
      if (workload.judged) add_ephemeral(workload);
    }
    return std::move(claims_);
  }

 private:
  void add_ephemeral(const JudgedWorkload& workload) {
    const std::vector<kube::Volume>& volumes = workload.written->volumes;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      if (!volumes[i].ephemeral_claim) continue;
      add(workload.subject(), workload.metadata->source,
          workload.path(fmt::format("volumes[{}].ephemeral.volumeClaimTemplate.spec", i)),
          made_of(*volumes[i].ephemeral_claim));
    }
  }

  void add(std::string subject, const SourcePosition& source, std::string path, kube::PersistentVolumeClaim claim) {
    claims_.push_back({std::move(subject), &source, std::move(path), std::move(claim)});
  }

  const LintInput& input_;
  std::vector<WrittenClaim> claims_;
};

/// A volume that is written could serve it, be there a class or not.
bool has_volumes(const kube::Objects& objects, std::string_view storage_class) {
  return std::ranges::any_of(objects.of<kube::PersistentVolume>(), [&](const kube::PersistentVolume& volume) {
    return kube::class_of(volume) == storage_class;
  });
}

}  // namespace

void check_storage_classes(const LintInput& input, Findings& findings) {
  const std::vector<kube::StorageClass>& classes = input.objects().of<kube::StorageClass>();
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const kube::StorageClass& each : classes) names.push_back(each.metadata.name);
  for (const WrittenClaim& each : ClaimsOfInput(input).collect()) {
    const std::string name(kube::class_of(each.claim));
    if (has_volumes(input.objects(), name)) continue;
    const std::string path = each.path + ".storageClassName";
    if (!kube::names_class(each.claim)) {
      if (!input.knows_storage_classes() || kube::default_class(classes) != nullptr) continue;
      findings.add(each.subject, *each.source, path,
                   "names no StorageClass, and none is the default, so no volume is made and its pods stay pending",
                   names.empty() ? "add a StorageClass, and mark it as the default" : "name one of " + listed(names));
      continue;
    }
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    const std::string hint = did_you_mean(name, names);
    if (hint.empty() && !input.knows_storage_classes()) continue;  // the cluster may have it
    findings.add(each.subject, *each.source, path,
                 fmt::format("there is no StorageClass {}, so no volume is made and its pods stay pending", name),
                 hint.empty() && !names.empty() ? "there are " + listed(names) : hint);
  }
}

}  // namespace loadline::advice::lint
