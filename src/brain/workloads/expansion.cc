#include "brain/workloads/expansion.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "brain/workloads/controller.h"
#include "brain/workloads/kinds.h"
#include "objects/kube/core/ephemeral_claims.h"

namespace loadline::workloads {
namespace {

using Expand = std::function<void(const View&, Expansion&)>;

/// A workload object in the queue: where it stands, and what to do when its turn comes.
struct Turn {
  const SourcePosition* at;
  Expand expand;
};

/// By file name, line and column; what has no file comes last.
bool stands_before(const Turn& a, const Turn& b) {
  if (!a.at->file || !b.at->file) return a.at->file && !b.at->file;
  if (a.at->file != b.at->file && *a.at->file != *b.at->file) return *a.at->file < *b.at->file;
  if (a.at->line != b.at->line) return a.at->line < b.at->line;
  return a.at->column < b.at->column;
}

std::vector<Turn> turns_of(const kube::Objects& objects) {
  std::vector<Turn> turns;
  for_each_kind([&]<class Kind>() {
    for (const Kind& item : objects.of<Kind>()) {
      if (item.metadata.deletion_timestamp) continue;
      turns.push_back(
          {&item.metadata.source, [&item](const View& view, Expansion& expansion) { expand(item, view, expansion); }});
    }
  });
  std::stable_sort(turns.begin(), turns.end(), stands_before);
  return turns;
}

/// Claims of generic ephemeral volumes; pods that share a spec without any are told apart by a glance at it.
void add_ephemeral_claims(Expansion& expansion) {
  const kube::PodSpec* known_without = nullptr;
  for (const CreatedPod& created : expansion.pods) {
    if (created.pod.spec.get() == known_without) continue;
    std::vector<kube::PersistentVolumeClaim> claims = kube::ephemeral_claims(created.pod);
    if (claims.empty()) known_without = created.pod.spec.get();
    std::move(claims.begin(), claims.end(), std::back_inserter(expansion.claims));
  }
}

void drop_existing_claims(const kube::Objects& objects, Expansion& expansion) {
  if (expansion.claims.empty()) return;
  std::set<std::pair<std::string_view, std::string_view>> existing;
  for (const kube::PersistentVolumeClaim& claim : objects.of<kube::PersistentVolumeClaim>()) {
    existing.emplace(claim.metadata.namespace_, claim.metadata.name);
  }
  std::erase_if(expansion.claims, [&](const kube::PersistentVolumeClaim& claim) {
    return existing.contains({claim.metadata.namespace_, claim.metadata.name});
  });
}

}  // namespace

Expansion expand(const kube::Objects& objects, Instant now, std::uint64_t seed, const Gates& gates) {
  const Owners owners(objects);
  const ExistingPods existing(objects, owners);
  std::optional<GangIndex> gangs;
  if (gates.workload_with_job) gangs.emplace(objects);
  const View view{objects, owners, existing, now, seed, gangs ? &*gangs : nullptr};
  Expansion expansion;
  for (const Turn& turn : turns_of(objects)) turn.expand(view, expansion);
  add_ephemeral_claims(expansion);
  drop_existing_claims(objects, expansion);
  return expansion;
}

}  // namespace loadline::workloads
