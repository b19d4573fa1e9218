#include "hosts/operators/training_operator/training_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/at.h"
#include "objects/schema/names.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators {
namespace {

using apiserver::CheckedField;
using document::Value;
using kube::Framework;

constexpr std::string_view kOwnManager = "kubeflow.org/training-operator";
constexpr std::string_view kOtherManager = "kueue.x-k8s.io/multikueue";

void check_name(const CheckedField& name) {
  const kube::NameProblems problems = schema::dns_1035_label_problems(name.text());
  if (!problems.empty()) name.invalid(fmt::format("should match: {}", fmt::join(problems, ",")));
}

void check_manager(const CheckedField& manager, const CheckedField* before) {
  if (before != nullptr) manager.unchanged_from(*before);
  if (!manager.is_set() || manager.text() == kOwnManager || manager.text() == kOtherManager) return;
  manager.unsupported({kOwnManager, kOtherManager});
}

void check_elastic_policy(const CheckedField& spec) {
  const CheckedField elastic = spec.at("elasticPolicy");
  if (!elastic.is_set()) return;
  const CheckedField worker = spec.at("pytorchReplicaSpecs").key("Worker");
  if (!worker.is_set()) worker.required("must be configured if elastic policy is used");
  if (elastic.at("nProcPerNode").is_set() && spec.at("nprocPerNode").is_set()) {
    elastic.at("nProcPerNode").forbidden("must not be used with spec.nprocPerNode");
  }
}

void check_role_name(Framework framework, const CheckedField& role, std::string_view name) {
  // Those of TensorFlow are not checked.
  if (framework == Framework::kTensorFlow) return;
  const bool has_masters = framework != Framework::kJax;
  if (name == "Worker" || (has_masters && name == "Master")) return;
  if (has_masters) return role.unsupported(name, {"Master", "Worker"});
  role.unsupported(name, {"Worker"});
}

void check_containers(Framework framework, const CheckedField& containers) {
  const std::string_view wanted = workloads::rules_of(framework).container;
  const std::vector<CheckedField> all = containers.elements();
  if (all.empty()) containers.required("must be specified");
  bool is_there = false;
  for (const CheckedField& container : all) {
    if (container.at("image").text().empty()) container.at("image").required("must be required");
    is_there = is_there || container.at("name").text() == wanted;
  }
  if (is_there) return;
  const std::string name = framework == Framework::kPaddle ? fmt::format("\"{}\"", wanted) : std::string(wanted);
  containers.required("must have at least one container with name " + name);
}

void check_count(Framework framework, const CheckedField& role, std::string_view name) {
  const CheckedField replicas = role.at("replicas");
  const bool has_one_master = framework == Framework::kPyTorch || framework == Framework::kXgBoost;
  if (has_one_master && name == "Master") {
    if (replicas.number() != 1) replicas.forbidden("must be 1");
  } else if (framework == Framework::kPyTorch && replicas.is_set() && replicas.number() < 1) {
    replicas.forbidden("must be at least 1");
  }
}

void check_roles(Framework framework, const CheckedField& roles) {
  if (!roles.is_set()) return roles.required("must be required");
  const Value written = roles.value();
  std::size_t chiefs = 0;
  bool has_master = false;
  if (!written.is_object()) return;
  for (const document::Member& member : written.object()) {
    const CheckedField role = roles.key(member.key);
    check_role_name(framework, role, member.key);
    check_containers(framework, role.at({"template", "spec", "containers"}));
    check_count(framework, role, member.key);
    chiefs += member.key == "Chief" || member.key == "Master" ? 1 : 0;
    has_master = has_master || member.key == "Master";
  }
  if (framework == Framework::kTensorFlow && chiefs > 1) {
    roles.forbidden("must not have more than 1 Chief or Master role");
  }
  if (framework == Framework::kXgBoost && !has_master) roles.key("Master").required("must be present");
}

/// As Go's aggregates of errors are written: each once.
std::string as_one(const kube::FieldErrors& faults) {
  std::vector<std::string> texts;
  for (const kube::FieldError& fault : faults) {
    std::string text = fault.path + ": " + fault.message;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

class TrainingWebhook final : public apiserver::Webhook {
 public:
  TrainingWebhook(Framework framework, std::string_view plural)
      : framework_(framework),
        resource_(fmt::format("{}.kubeflow.org", plural)),
        name_(fmt::format("validator.{}.training-operator.kubeflow.org",
                          kube::lower_case(workloads::rules_of(framework).kind))) {}

  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == resource_; }
  [[nodiscard]] std::string_view mutating_name() const override { return name_; }
  [[nodiscard]] std::string_view validating_name() const override { return name_; }

  Verdict<void> review(const apiserver::WebhookRequest& request, const Value& object) override {
    const bool is_new = request.operation == apiserver::AdmissionRequest::Operation::kCreate;
    const kube::FieldErrors faults = faults_of_training_job(framework_, object, is_new ? nullptr : request.old);
    if (!faults.empty()) return tl::unexpected(as_one(faults));
    return {};
  }

 private:
  Framework framework_;
  std::string resource_;
  std::string name_;
};

}  // namespace

kube::FieldErrors faults_of_training_job(Framework framework, const Value& job, const Value* before) {
  kube::FieldErrors faults;
  const CheckedField whole(faults, job);
  check_name(whole.at({"metadata", "name"}));
  if (framework != Framework::kJax) {
    const Value nothing{};
    const CheckedField old = CheckedField(faults, before == nullptr ? nothing : *before);
    const CheckedField old_manager = old.at({"spec", "runPolicy", "managedBy"});
    check_manager(whole.at({"spec", "runPolicy", "managedBy"}), before == nullptr ? nullptr : &old_manager);
  }
  const CheckedField spec = whole.at("spec");
  if (framework == Framework::kPyTorch) check_elastic_policy(spec);
  check_roles(framework, spec.at(workloads::rules_of(framework).replicas_field));
  return faults;
}

apiserver::Webhooks make_training_webhooks() {
  return {std::make_shared<TrainingWebhook>(Framework::kPyTorch, "pytorchjobs"),
          std::make_shared<TrainingWebhook>(Framework::kTensorFlow, "tfjobs"),
          std::make_shared<TrainingWebhook>(Framework::kXgBoost, "xgboostjobs"),
          std::make_shared<TrainingWebhook>(Framework::kPaddle, "paddlejobs"),
          std::make_shared<TrainingWebhook>(Framework::kJax, "jaxjobs")};
}

}  // namespace loadline::operators
