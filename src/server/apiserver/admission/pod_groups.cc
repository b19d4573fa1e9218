#include "server/apiserver/admission/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "foundation/document/at.h"
#include "server/apiserver/admission/refusal.h"

namespace loadline::apiserver {
namespace {

using document::find_at;
using document::text_at;
using document::Value;

constexpr std::string_view kGroups = "podgroups.scheduling.k8s.io";
constexpr std::string_view kWorkloads = "workloads.scheduling.k8s.io";
constexpr std::string_view kJobs = "jobs.batch";

bool is_gang(const Value& group) { return find_at(group, {"spec", "schedulingPolicy", "gang"}) != nullptr; }

bool is_controlled_by(const Value& object, std::string_view uid) {
  const document::Array owners = document::items_at(object, {"metadata", "ownerReferences"});
  return std::ranges::any_of(owners, [&](const Value& owner) {
    const Value* controls = owner.find("controller");
    return controls != nullptr && controls->is_boolean() && controls->boolean() && text_at(owner, {"uid"}) == uid;
  });
}

/// The group by which a Job's pods start together: the template's, or the one that the Job controls. Empty: none.
std::string gang_of(const store::Store& store, const std::string& name_space, const Value& job) {
  const std::string_view named = text_at(job, {"spec", "template", "spec", "schedulingGroup", "podGroupName"});
  if (!named.empty()) {
    const store::ObjectPtr group = store.get({std::string(kGroups), name_space, std::string(named)});
    return group != nullptr && is_gang(group->document()) ? std::string(named) : std::string();
  }
  store::StoreResult<store::Listing> listing = store.list(kGroups, {.name_space = name_space});
  if (!listing) return "";  // the latest state can always be listed
  const std::string_view uid = text_at(job, {"metadata", "uid"});
  for (const store::ObjectPtr* group = listing->next(); group != nullptr; group = listing->next()) {
    const Value document = (*group)->document();
    if (is_controlled_by(document, uid) && is_gang(document)) return std::string((*group)->name());
  }
  return "";
}

}  // namespace

Answer<void> PodGroupWorkloadExists::review(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  const bool creates = request.operation == AdmissionRequest::Operation::kCreate && call.subresource.empty();
  if (!creates || call.served->store_name != kGroups) return {};
  const Value* reference = find_at(object, {"spec", "podGroupTemplateRef", "workload"});
  if (reference == nullptr || !reference->is_object()) return {};
  const std::string_view name = text_at(*reference, {"workloadName"});
  const store::ObjectPtr stored = store_.get({std::string(kWorkloads), call.name_space, std::string(name)});
  if (stored == nullptr) {
    return refuse(refusal(call, object, fmt::format("PodGroup rejected: Workload \"{}\" not found", name)));
  }
  const Value workload = stored->document();
  if (find_at(workload, {"metadata", "deletionTimestamp"}) != nullptr) {
    return refuse(refusal(call, object, fmt::format("PodGroup rejected: Workload \"{}\" is being deleted", name)));
  }
  const std::string_view wanted = text_at(*reference, {"podGroupTemplateName"});
  const document::Array templates = document::items_at(workload, {"spec", "podGroupTemplates"});
  if (std::ranges::any_of(templates, [&](const Value& each) { return text_at(each, {"name"}) == wanted; })) return {};
  return refuse(
      refusal(call, object,
              fmt::format("PodGroup rejected: PodGroupTemplate \"{}\" not found in Workload \"{}\"", wanted, name)));
}

Answer<void> JobValidation::review(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  const bool updates = request.operation == AdmissionRequest::Operation::kUpdate && call.subresource.empty();
  if (!updates || call.served->store_name != kJobs || request.old == nullptr) return {};
  const auto parallelism = [](const Value& job) { return document::value_at(job, {"spec", "parallelism"}); };
  if (parallelism(object) == parallelism(*request.old)) return {};
  const std::string group = gang_of(store_, call.name_space, *request.old);
  if (group.empty()) return {};
  return refuse(
      refusal(call, object,
              fmt::format("cannot change parallelism for a Job referencing gang-scheduled PodGroup \"{}\"", group)));
}

}  // namespace loadline::apiserver
