#include <fmt/format.h>

#include <algorithm>

#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/workload_names.h"
#include "server/apiserver/kinds/job_labels.h"
#include "server/apiserver/kinds/job_spec_rules.h"
#include "server/apiserver/kinds/job_status_rules.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_job_errors(const Value& object) { return typed_errors<kube::Job>(object, kube::kJobSchema); }

void check_label(const CheckedField& labels, std::string_view key, std::string_view expected) {
  const CheckedField label = labels.key(key);
  const std::string detail = fmt::format("must be '{}'", expected);
  if (!label.is_set()) {
    label.required(detail);
  } else if (label.text() != expected) {
    label.invalid(labels.value(), detail);
  }
}

/// A selector that was generated selects by labels that tell this job from all others. Jobs of old lack some of them.
void check_generated_selector(const CheckedField& object, bool has_prefixed_labels) {
  const CheckedField spec = object.at("spec");
  if (spec.at("manualSelector").is_true() || !spec.at("selector").is_set()) return;
  const std::string_view uid = object.at({"metadata", "uid"}).text();
  const std::string_view name = object.at({"metadata", "name"}).text();
  const CheckedField labels = spec.at({"template", "metadata", "labels"});
  kube::StringMap expected;
  const auto expect = [&](std::string_view label, std::string_view value) {
    check_label(labels, label, value);
    expected.emplace(label, value);
  };
  expect(kube::kLegacyControllerUid, uid);
  expect(kube::kLegacyJobName, name);
  if (has_prefixed_labels) {
    expect(kube::kControllerUid, uid);
    expect(kube::kJobName, name);
  }
  const auto selector = kube::view<kube::LabelSelector>(spec.at("selector").value(), kube::kLabelSelectorSchema);
  if (!kube::matches(selector.object, expected)) spec.at("selector").invalid("`selector` not auto-generated");
}

void check_job(const CheckedField& object) {
  check_job_spec(object.at("spec"));
  if (!object.at({"spec", "selector"}).is_set()) object.at({"spec", "selector"}).required();
}

/// Source: pkg/registry/batch/job and pkg/apis/batch/validation, v1.36.
class JobStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_create(with_generated_selector(object), context);
    return in_wire_order(std::move(object), context);
  }

  [[nodiscard]] std::string_view warning_on_delete() const override {
    return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them "
           "or set propagationPolicy=Orphan to suppress this warning";
  }

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    return checked(object, context, true).all();
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    const Value labels = value_at(old, {"spec", "template", "metadata", "labels"});
    const bool has_prefixed = labels.find(kube::kJobName) != nullptr && labels.find(kube::kControllerUid) != nullptr;
    const Checked checked = this->checked(object, context, has_prefixed);
    kube::FieldErrors errors = checked.all();
    append(errors, checked.spec);  // upstream checks a changed specification twice
    check_job_spec_change(CheckedField(errors, object), CheckedField(errors, old));
    return errors;
  }

 private:
  /// What is wrong with a job; the specification comes last.
  struct Checked {
    kube::FieldErrors before_spec;
    kube::FieldErrors spec;

    [[nodiscard]] kube::FieldErrors all() const {
      kube::FieldErrors errors = before_spec;
      append(errors, spec);
      return errors;
    }
  };

  Checked checked(const Value& object, StrategyContext& context, bool has_prefixed_labels) const {
    Checked checked;
    for (kube::FieldError& error : in_upstream_order(RuledStrategy::validate(object, context))) {
      (error.path.starts_with("metadata") ? checked.before_spec : checked.spec).push_back(std::move(error));
    }
    check_generated_selector(CheckedField(checked.before_spec, object), has_prefixed_labels);
    return checked;
  }

  /// Upstream looks at the template of the pods last.
  static kube::FieldErrors in_upstream_order(kube::FieldErrors errors) {
    std::stable_partition(errors.begin(), errors.end(),
                          [](const kube::FieldError& error) { return !error.path.starts_with("spec.template"); });
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_job_strategy(Traits traits) {
  return std::make_unique<JobStrategy>(traits,
                                       Rules{typed_job_errors, check_job, nullptr, check_job_status, warn_of_name});
}

}  // namespace loadline::apiserver
