#include "brain/admission/admission.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "brain/admission/default_tolerations.h"
#include "brain/admission/limit_range.h"
#include "brain/admission/priority.h"
#include "brain/admission/resource_quota.h"
#include "brain/admission/runtime_class.h"
#include "brain/admission/service_account.h"
#include "objects/kube/storage/storage_classes.h"
#include "objects/kube/validation.h"

namespace loadline::admission {
namespace {

constexpr std::string_view kPodCount = "count/pods";

/// What admission makes of a spec in a namespace, short of the quotas' current use.
struct Decision {
  std::shared_ptr<const kube::PodSpec> admitted;
  std::string annotation;              // of LimitRanger; empty: none
  std::optional<Rejection> rejection;  // whatever quotas have left
  QuotaCharge charge;
  bool is_named = false;  // the rejection came after a name was generated
};

/// A spec in a namespace. Compared by address: the memo keeps the spec alive.
struct Template {
  std::shared_ptr<const kube::PodSpec> spec;
  std::string namespace_;
  friend bool operator==(const Template&, const Template&) = default;
};

struct TemplateHash {
  std::size_t operator()(const Template& key) const {
    return std::hash<const void*>()(key.spec.get()) * 31 + std::hash<std::string>()(key.namespace_);
  }
};

// Names are generated after the mutating steps, before the validating ones; a message shows what there was at the time.

std::string_view name_before_naming(const kube::ObjectMeta& metadata) {
  return metadata.generate_name.empty() ? metadata.name : metadata.generate_name;
}

std::string_view name_after_naming(const kube::ObjectMeta& metadata) {
  return metadata.name.empty() ? metadata.generate_name : metadata.name;
}

RejectedObject reject_pod(const Rejection& rejection, std::string_view name) {
  return reject(rejection, rejection.plugin == Plugin::kValidation ? "Pod" : "pods", name);
}

/// The charge without the count of stored objects.
QuotaCharge without_count(QuotaCharge charge) {
  for (QuotaCharge::Share& share : charge.shares) {
    if (const auto count = share.amounts.find(kPodCount); count != share.amounts.end()) share.amounts.erase(count);
  }
  return charge;
}

/// Only a spec that LimitRanger changed needs a second look, and one that had no first.
std::optional<Rejection> validate_again(const kube::Pod& pod, const std::shared_ptr<const kube::PodSpec>& spec) {
  kube::Pod changed = pod;
  changed.spec = spec;
  std::vector<std::string> complaints;
  for (const kube::FieldError& error : kube::validate(changed)) {
    if (error.path.starts_with("spec")) complaints.push_back(fmt::format("{}: {}", error.path, error.message));
  }
  if (complaints.empty()) return std::nullopt;
  return Rejection{Plugin::kValidation, {}, std::move(complaints)};
}

}  // namespace

struct Admission::State {
  State(const kube::Objects& cluster, Instant at)
      : now(at),
        accounts(cluster),
        priorities(cluster.of<kube::PriorityClass>()),
        runtimes(cluster),
        quotas(cluster.of<kube::ResourceQuota>()) {
    if (const auto* found = kube::default_class(cluster.of<kube::StorageClass>())) default_class = found->metadata.name;
    for (const kube::LimitRange& item : cluster.of<kube::LimitRange>())
      limit_ranges[item.metadata.namespace_].push_back(item);
    if (!quotas.empty()) count_existing(cluster);
  }

  void count_existing(const kube::Objects& cluster) {
    for (const kube::Pod& pod : cluster.of<kube::Pod>()) {
      if (pod.metadata.from_cluster()) quotas.count_existing(quotas.charge_of_existing(pod, now));
    }
    for (const kube::PersistentVolumeClaim& claim : cluster.of<kube::PersistentVolumeClaim>()) {
      if (claim.metadata.from_cluster()) quotas.count_existing(quotas.charge_of(claim));
    }
    for (const kube::Service& service : cluster.of<kube::Service>()) {
      if (service.metadata.from_cluster()) quotas.count_existing(quotas.charge_of(service));
    }
    count_objects(cluster.of<kube::ReplicationController>(), "replicationcontrollers");
    count_objects(cluster.of<kube::ConfigMap>(), "configmaps");
    count_objects(cluster.of<kube::ResourceQuota>(), "resourcequotas");
    count_objects(cluster.of<kube::Deployment>(), "deployments.apps");
    count_objects(cluster.of<kube::ReplicaSet>(), "replicasets.apps");
    count_objects(cluster.of<kube::StatefulSet>(), "statefulsets.apps");
    count_objects(cluster.of<kube::DaemonSet>(), "daemonsets.apps");
    count_objects(cluster.of<kube::Job>(), "jobs.batch");
    count_objects(cluster.of<kube::CronJob>(), "cronjobs.batch");
  }

  template <class Kind>
  void count_objects(const std::vector<Kind>& objects, std::string_view resource) {
    for (const Kind& item : objects) {
      if (!item.metadata.from_cluster()) continue;
      quotas.count_existing(quotas.charge_of_object(item.metadata.namespace_, resource));
    }
  }

  [[nodiscard]] const std::vector<kube::LimitRange>* limit_ranges_of(const std::string& namespace_) const {
    const auto found = limit_ranges.find(namespace_);
    return found == limit_ranges.end() ? nullptr : &found->second;
  }

  /// What quotas insist on is asked of the pods themselves, once they come.
  [[nodiscard]] QuotaCharge charge_of_room(const kube::Pod& placeholder, std::int64_t pods) const {
    QuotaCharge charge =
        without_count(quotas.charge_of_pod(placeholder.metadata.namespace_, *placeholder.spec, nullptr));
    charge.rejection.reset();
    for (QuotaCharge::Share& share : charge.shares) {
      for (auto& [name, amount] : share.amounts) amount = amount.times(pods);
    }
    return charge;
  }

  [[nodiscard]] Decision decide(const kube::Pod& pod, SpecFrom from) const {
    const std::string& namespace_ = pod.metadata.namespace_;
    const std::vector<kube::LimitRange>* const ranges = limit_ranges_of(namespace_);
    const auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
    Decision decision{spec, "", std::nullopt, {}};
    if (ranges != nullptr) decision.annotation = apply_defaults(*ranges, *spec);
    decision.rejection = accounts.judge(namespace_, *spec);
    if (!decision.rejection) decision.rejection = priorities.resolve(*spec);
    if (decision.rejection) return decision;
    add_default_tolerations(spec->tolerations);
    decision.rejection = runtimes.complete(*spec);
    if (decision.rejection) return decision;
    decision.is_named = true;
    const bool may_be_invalid = from == SpecFrom::kCustomResource || !decision.annotation.empty();
    if (may_be_invalid) decision.rejection = validate_again(pod, spec);
    if (ranges != nullptr && !decision.rejection) decision.rejection = check_bounds(*ranges, *spec);
    if (!decision.rejection) decision.rejection = runtimes.review(*spec);
    if (!decision.rejection && !quotas.empty()) decision.charge = quotas.charge_of_pod(namespace_, *spec, nullptr);
    return decision;
  }

  /// The decision for the pod's template; a spec that no other pod or template shares is not remembered.
  std::shared_ptr<const Decision> decision_of(const kube::Pod& pod, SpecFrom from) {
    const Template key{pod.spec, pod.metadata.namespace_};
    if (const auto known = decisions.find(key); known != decisions.end()) return known->second;
    auto decision = std::make_shared<const Decision>(decide(pod, from));
    const bool shared = pod.spec.use_count() > 2;  // besides the pod's own and the key's
    if (shared) {
      decisions.emplace(key, decision);
      admitted.emplace(Template{decision->admitted, key.namespace_}, decision);
    }
    return decision;
  }

  [[nodiscard]] QuotaCharge charge_held_by(const kube::Pod& pod) const {
    const auto known = admitted.find({pod.spec, pod.metadata.namespace_});
    if (known != admitted.end()) return known->second->charge;
    return quotas.charge_of_pod(pod.metadata.namespace_, *pod.spec, &pod.status);
  }

  template <class Kind>
  Verdict admit_object(const Kind& item, std::string_view resource) {
    if (quotas.empty() || item.metadata.from_cluster()) return std::nullopt;
    const auto rejection = quotas.admit(quotas.charge_of_object(item.metadata.namespace_, resource));
    if (!rejection) return std::nullopt;
    return reject(*rejection, resource, name_after_naming(item.metadata));
  }

  Instant now;
  ServiceAccounts accounts;
  PriorityClasses priorities;
  RuntimeClasses runtimes;
  std::map<std::string, std::vector<kube::LimitRange>> limit_ranges;  // by namespace
  QuotaLedger quotas;
  std::optional<std::string> default_class;                                               // of claims
  std::unordered_map<Template, std::shared_ptr<const Decision>, TemplateHash> decisions;  // by the spec as written
  std::unordered_map<Template, std::shared_ptr<const Decision>, TemplateHash> admitted;   // by the admitted spec
};

Admission::Admission(const kube::Objects& cluster, Instant now) : state_(std::make_unique<State>(cluster, now)) {}
Admission::~Admission() = default;
Admission::Admission(Admission&&) noexcept = default;
Admission& Admission::operator=(Admission&&) noexcept = default;

Verdict Admission::admit(kube::Pod& pod, SpecFrom from) {
  if (pod.metadata.from_cluster()) return std::nullopt;
  const std::shared_ptr<const Decision> decision = state_->decision_of(pod, from);
  pod.spec = decision->admitted;
  if (decision->rejection) {
    return reject_pod(*decision->rejection,
                      decision->is_named ? name_after_naming(pod.metadata) : name_before_naming(pod.metadata));
  }
  if (const auto exceeded = state_->quotas.admit(decision->charge)) {
    return reject_pod(*exceeded, name_after_naming(pod.metadata));
  }
  if (!decision->annotation.empty()) {
    pod.metadata.annotations.insert_or_assign(std::string(kLimitRangerAnnotation), decision->annotation);
  }
  return std::nullopt;
}

Verdict Admission::complete(kube::Pod& pod) const {
  const Decision decision = state_->decide(pod, SpecFrom::kValidated);
  pod.spec = decision.admitted;
  if (!decision.rejection) return std::nullopt;
  return reject_pod(*decision.rejection, name_after_naming(pod.metadata));
}

Verdict Admission::hold(const kube::Pod& placeholder, std::int64_t pods) {
  if (const auto rejection = state_->quotas.admit(state_->charge_of_room(placeholder, pods))) {
    return reject_pod(*rejection, placeholder.metadata.name);
  }
  return std::nullopt;
}

void Admission::count_held(const kube::Pod& placeholder, std::int64_t pods) {
  state_->quotas.count_existing(state_->charge_of_room(placeholder, pods));
}

void Admission::give_up(const kube::Pod& placeholder, std::int64_t pods) {
  state_->quotas.release(state_->charge_of_room(placeholder, pods));
}

Verdict Admission::admit(kube::PersistentVolumeClaim& claim) {
  if (claim.metadata.from_cluster()) return std::nullopt;
  kube::PersistentVolumeClaim completed = claim;
  if (!kube::names_class(claim)) completed.spec.storage_class_name = state_->default_class;
  std::optional<Rejection> rejection;
  if (const auto* const ranges = state_->limit_ranges_of(claim.metadata.namespace_)) {
    rejection = check_bounds(*ranges, completed.spec);
  }
  if (!rejection) rejection = state_->quotas.admit(state_->quotas.charge_of(completed));
  if (rejection) {
    return reject(*rejection, "persistentvolumeclaims", name_after_naming(claim.metadata));
  }
  claim = std::move(completed);
  return std::nullopt;
}

Verdict Admission::admit(const kube::PersistentVolumeClaim& claim) {
  kube::PersistentVolumeClaim copy = claim;
  return admit(copy);
}

Verdict Admission::admit(const kube::Service& service) {
  if (service.metadata.from_cluster()) return std::nullopt;
  const auto rejection = state_->quotas.admit(state_->quotas.charge_of(service));
  if (!rejection) return std::nullopt;
  return reject(*rejection, "services", name_after_naming(service.metadata));
}

Verdict Admission::admit(const kube::ReplicationController& controller) {
  return state_->admit_object(controller, "replicationcontrollers");
}
Verdict Admission::admit(const kube::ConfigMap& config_map) { return state_->admit_object(config_map, "configmaps"); }
Verdict Admission::admit(const kube::ResourceQuota& quota) { return state_->admit_object(quota, "resourcequotas"); }
Verdict Admission::admit(const kube::Deployment& deployment) {
  return state_->admit_object(deployment, "deployments.apps");
}
Verdict Admission::admit(const kube::ReplicaSet& replica_set) {
  return state_->admit_object(replica_set, "replicasets.apps");
}
Verdict Admission::admit(const kube::StatefulSet& stateful_set) {
  return state_->admit_object(stateful_set, "statefulsets.apps");
}
Verdict Admission::admit(const kube::DaemonSet& daemon_set) {
  return state_->admit_object(daemon_set, "daemonsets.apps");
}
Verdict Admission::admit(const kube::Job& job) { return state_->admit_object(job, "jobs.batch"); }
Verdict Admission::admit(const kube::CronJob& cron_job) { return state_->admit_object(cron_job, "cronjobs.batch"); }

void Admission::release(const kube::Pod& pod, Ending ending) {
  if (state_->quotas.empty()) return;
  if (ending == Ending::kFinished) {
    state_->quotas.release(without_count(state_->charge_held_by(pod)));
  } else if (pod.finished()) {
    state_->quotas.release(state_->quotas.charge_of_finished_pod(pod.metadata.namespace_, *pod.spec));
  } else {
    state_->quotas.release(state_->charge_held_by(pod));
  }
}

const kube::ResourceList* Admission::quota_used(std::string_view namespace_, std::string_view quota) const {
  return state_->quotas.used(namespace_, quota);
}

}  // namespace loadline::admission
