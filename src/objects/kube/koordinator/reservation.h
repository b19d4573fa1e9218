#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct KoordinatorController {
  std::string kind;
  std::string name;
  std::string namespace_;  ///< empty: in any
  std::string uid;
};

/// Which pods may take the room. What is given must hold.
struct KoordinatorOwner {
  bool object = false;  ///< one pod by its name
  std::optional<KoordinatorController> controller;
  std::optional<LabelSelector> label_selector;
};

struct KoordinatorReservationStatus {
  std::string phase;  ///< Pending, Available, Succeeded, Waiting, Failed
  std::string node_name;
  std::vector<MetaCondition> conditions;
};

/// Koordinator's Reservation, scheduling.koordinator.sh/v1alpha1: another spelling of Reservation, for one pod.
struct KoordinatorReservation {
  ObjectMeta metadata;
  PodTemplateSpec template_;
  std::vector<KoordinatorOwner> owners;
  std::string ttl;  ///< "0": without end
  std::optional<Instant> expires;
  bool pre_allocation = false;
  bool allocate_once = true;
  std::string allocate_policy;
  bool unschedulable = false;  ///< pods may not take the room now
  bool has_taints = false;
  KoordinatorReservationStatus status;
};

/// The same reservation in our words. REQUIRES: validate() has nothing against it; of what it refuses, nothing is kept.
Reservation as_reservation(const KoordinatorReservation& reservation);
/// What is held and consumed, in Koordinator's words.
KoordinatorReservationStatus as_koordinator(const ReservationStatus& status);

}  // namespace loadline::kube
