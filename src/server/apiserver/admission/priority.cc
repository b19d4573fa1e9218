#include "server/apiserver/admission/priority.h"

#include <fmt/format.h>

#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/scheduling/priority_class_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::find_at;
using document::Value;

constexpr std::string_view kResource = "priorityclasses.scheduling.k8s.io";
constexpr std::string_view kGroupResource = "podgroups.scheduling.k8s.io";

std::string_view policy_name(kube::PreemptionPolicy policy) {
  return kube::kPreemptionPolicyNames[static_cast<std::size_t>(policy)];
}

std::optional<kube::PreemptionPolicy> policy_of(const Value& pod) {
  const std::string_view text = document::text_at(pod, {"spec", "preemptionPolicy"});
  for (std::size_t index = 0; index < std::size(kube::kPreemptionPolicyNames); ++index) {
    if (kube::kPreemptionPolicyNames[index] == text) return static_cast<kube::PreemptionPolicy>(index);
  }
  return std::nullopt;  // unset, or a word that validation refuses
}

admission::PodPriority priority_of(const Value& pod) {
  admission::PodPriority asked{std::string(document::text_at(pod, {"spec", "priorityClassName"})), {}, policy_of(pod)};
  const Value* value = find_at(pod, {"spec", "priority"});
  if (value != nullptr && value->is_integer()) asked.value = static_cast<std::int32_t>(value->integer());
  return asked;
}

/// What an update leaves out of these stays as it was.
Value with_kept_priority(const Value& object, const Value& old) {
  std::vector<std::pair<std::string_view, Value>> kept;
  for (const std::string_view member : {"priority", "preemptionPolicy"}) {
    const Value* before = find_at(old, {"spec", member});
    if (before != nullptr && find_at(object, {"spec", member}) == nullptr) kept.emplace_back(member, *before);
  }
  return kept.empty() ? object : with_spec(object, std::move(kept));
}

bool is_default(const Value& priority_class) {
  const Value* mark = priority_class.find("globalDefault");
  return mark != nullptr && mark->is_boolean() && mark->boolean();
}

}  // namespace

Priority::Priority(store::Store& store)
    : store_(store), follower_(store, std::string(kResource), [this](const store::ObjectPtr& object, bool gone) {
        update(object, gone);
      }) {}

void Priority::update(const store::ObjectPtr& object, bool gone) {
  if (gone) {
    known_.erase(std::string(object->name()));
  } else {
    known_.insert_or_assign(std::string(object->name()),
                            kube::view<kube::PriorityClass>(object->document(), kube::kPriorityClassSchema).object);
  }
  classes_.reset();
}

/// Made when they are asked for, so that a thousand classes in a row cost as one.
const admission::PriorityClasses& Priority::classes() {
  if (classes_) return *classes_;
  std::vector<kube::PriorityClass> all;
  all.reserve(known_.size());
  for (const auto& entry : known_) all.push_back(entry.second);
  return classes_.emplace(all);
}

/// A group that names no class is left as it is: its pods have theirs. But nobody gives it a number of their choice.
Answer<Value> Priority::complete_group(const Call& call, Value group) {
  const std::string name(document::text_at(group, {"spec", "priorityClassName"}));
  admission::PodPriority of_default;
  static_cast<void>(classes().resolve(of_default));
  const std::optional<std::int32_t> value = name.empty() ? of_default.value : classes().value_of(name);
  if (!value) return refuse(refusal(call, group, fmt::format("no PriorityClass with name {} was found", name)));
  const Value* written = find_at(group, {"spec", "priority"});
  if (written != nullptr && written->is_integer() && written->integer() != *value) {
    return refuse(refusal(call, group,
                          fmt::format("the integer value of priority ({}) must not be provided in pod group spec; "
                                      "priority admission controller computed {} from the given PriorityClass name",
                                      written->integer(), *value)));
  }
  if (name.empty()) return group;
  return with_spec(std::move(group), {{"priority", Value(std::int64_t{*value})}});
}

Answer<Value> Priority::complete(const AdmissionRequest& request, Value object) {
  const Call& call = request.call;
  if (call.served->store_name == kGroupResource && call.subresource.empty() &&
      request.operation == AdmissionRequest::Operation::kCreate) {
    return complete_group(call, std::move(object));
  }
  if (call.served->store_name != "pods" || !call.subresource.empty()) return object;
  if (request.operation == AdmissionRequest::Operation::kUpdate) return with_kept_priority(object, *request.old);
  if (request.operation != AdmissionRequest::Operation::kCreate) return object;
  admission::PodPriority priority = priority_of(object);
  if (const auto rejection = classes().resolve(priority)) return refuse(refusal(call, object, *rejection));

  std::vector<std::pair<std::string_view, Value>> found;
  if (!priority.class_name.empty()) found.emplace_back("priorityClassName", Value(std::move(priority.class_name)));
  if (priority.value) found.emplace_back("priority", Value(std::int64_t{*priority.value}));
  if (priority.preemption_policy)
    found.emplace_back("preemptionPolicy", Value(policy_name(*priority.preemption_policy)));
  return with_spec(std::move(object), std::move(found));
}

Answer<void> Priority::review(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  if (call.served->store_name != kResource || !call.subresource.empty()) return {};
  if (request.operation == AdmissionRequest::Operation::kDelete || !is_default(object)) return {};
  // Rare, so the store is asked and not the follower: two defaults cannot slip through one after the other.
  store::StoreResult<store::Listing> listing = store_.list(kResource, {});
  if (!listing) return {};  // the latest state can always be listed
  for (const store::ObjectPtr* other = listing->next(); other != nullptr; other = listing->next()) {
    const bool is_itself =
        request.operation == AdmissionRequest::Operation::kUpdate && (*other)->name() == name_of(object);
    if (is_itself || !is_default((*other)->document())) continue;
    return refuse(refusal(
        call, object,
        fmt::format("PriorityClass {} is already marked as default. Only one default can exist", (*other)->name())));
  }
  return {};
}

}  // namespace loadline::apiserver
