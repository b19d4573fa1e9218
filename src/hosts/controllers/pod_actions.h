#pragma once

#include <string>
#include <utility>

#include "brain/workloads/pod_draft.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

/// Creates the pods of an object, each with an event on that object.
class PodMaker {
 public:
  /// Of the template in the object's document.
  template <class Kind>
  PodMaker(const Observed<Kind>& owner, const workloads::PodDraft& shared)
      : PodMaker(owner, pod_from_template(document::value_at(owner.document, {"spec", "template"}), shared,
                                          controller_reference(kind_name<Kind>(), owner.metadata()))) {}
  /// All like `prototype`.
  template <class Kind>
  PodMaker(const Observed<Kind>& owner, document::Value prototype)
      : regarding_(reference_to(owner)), name_space_(owner.metadata().namespace_), prototype_(std::move(prototype)) {}

  /// A pod like all others.
  [[nodiscard]] Action pod() const { return creation(prototype_); }
  /// A pod with what the draft says besides.
  [[nodiscard]] Action pod(const workloads::PodDraft& draft) const { return creation(with_draft(prototype_, draft)); }

 private:
  [[nodiscard]] Action creation(document::Value pod) const;

  document::Value regarding_;
  std::string name_space_;
  document::Value prototype_;
};

/// Deletes a pod, with an event on the object that is referred to.
Action remove_pod(const document::Value& regarding, const Observed<kube::Pod>& pod);

}  // namespace loadline::controllers
