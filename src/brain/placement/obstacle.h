#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "brain/placement/reason.h"

namespace loadline::placement {

/// One thing that keeps a pod from a node, with what a reader needs to do something about it. Rejections say that a
/// filter said no; obstacles say what of the node, and all of it. What the members hold, by kind of reason:
///
///     kUntoleratedTaint      subject "key=value:Effect"
///     kNodeAffinityMismatch  subject the label's key; wanted "a100" or "in (a100,h100)"; found the node's value,
///     empty:
///                            the node lacks the label. Of several terms, those of the one that lacks least
///     kInsufficientResource  subject the resource; needs what the pod asks for, has what is free, of what the node
///                            offers, as the scheduler counts (milli-units of cpu)
///     kTooManyPods           has pods are there of so many that may be
///     kSpreadSkew            subject the topology key; found the domain; wanted the selector; has matching pods there,
///                            needs those in the emptiest domain, of maxSkew; the reason's detail is that domain
///     kSpreadLabelMissing    subject the topology key
///     kPodAffinity           subject the topology key; wanted the selector; found the domain; needs matching pods
///                            anywhere
///     kPodAntiAffinity       subject the topology key; wanted the selector; found the domain; has matching pods there
///     kExistingAntiAffinity  subject the topology key; found the domain; wanted the pod that keeps others away
///     kNodePortConflict      subject the port; wanted the pod that holds it
///
/// Other kinds have nothing to add to their reason.
struct Obstacle {
  std::string_view plugin;
  Code code = Code::kUnschedulable;
  Reason reason;
  std::string subject;
  std::string wanted;
  std::string found;
  std::int64_t needs = 0;
  std::int64_t has = 0;
  std::int64_t of = 0;
};

}  // namespace loadline::placement
