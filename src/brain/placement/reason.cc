#include "brain/placement/reason.h"

namespace loadline::placement {

std::string Reason::text() const {
  switch (kind) {
    case ReasonKind::kTooManyPods:
      return "Too many pods";
    case ReasonKind::kInsufficientResource:
      return "Insufficient " + detail;
    case ReasonKind::kNodeUnschedulable:
      return "node(s) were unschedulable";
    case ReasonKind::kNodeNameMismatch:
      return "node(s) didn't match the requested node name";
    case ReasonKind::kUntoleratedTaint:
      return "node(s) had untolerated taint(s)";
    case ReasonKind::kNodeAffinityMismatch:
      return "node(s) didn't match Pod's node affinity/selector";
    case ReasonKind::kEnforcedAffinityMismatch:
      return "node(s) didn't match scheduler-enforced node affinity";
    case ReasonKind::kAffinityTermsConflict:
      return "pod affinity terms conflict";
    case ReasonKind::kNodePortConflict:
      return "node(s) didn't have free ports for the requested pod ports";
    case ReasonKind::kSpreadLabelMissing:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case ReasonKind::kSpreadSkew:
      return "node(s) didn't match pod topology spread constraints";
    case ReasonKind::kPodAffinity:
      return "node(s) didn't match pod affinity rules";
    case ReasonKind::kPodAntiAffinity:
      return "node(s) didn't match pod anti-affinity rules";
    case ReasonKind::kExistingAntiAffinity:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    case ReasonKind::kVolumeNodeAffinityConflict:
      return "node(s) didn't match PersistentVolume's node affinity";
    case ReasonKind::kVolumeBindConflict:
      return "node(s) didn't find available persistent volumes to bind";
    case ReasonKind::kVolumeZoneConflict:
      return "node(s) had no available volume zone";
    case ReasonKind::kVolumeLimit:
      return "node(s) exceed max volume count";
    case ReasonKind::kDiskConflict:
      return "node(s) had no available disk";
    case ReasonKind::kReadWriteOncePodConflict:
      return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
             "another "
             "pod";
    case ReasonKind::kNotEnoughSpace:
      return "node(s) did not have enough free storage";
    case ReasonKind::kUnboundImmediateClaims:
      return "pod has unbound immediate PersistentVolumeClaims";
    case ReasonKind::kMissingVolume:
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    case ReasonKind::kNoVictims:
      return "No preemption victims found for incoming pod";
    case ReasonKind::kGroupUnknown:
      return "waiting for pods's pod group \"" + detail + "\" to appear in scheduling queue";
    case ReasonKind::kTooFewMembers:
      return "waiting for minCount pods from a gang to appear in scheduling queue";
    case ReasonKind::kGangNotPlaced:
      return "waiting for minCount pods from a gang to be scheduled";
    case ReasonKind::kNotSelectedByPlugin:
      return "node(s) didn't satisfy plugin(s) " + detail;
    case ReasonKind::kPluginsDisagree:
    case ReasonKind::kFeatureMismatch:
    case ReasonKind::kOther:
      break;
  }
  return detail;
}

}  // namespace loadline::placement
