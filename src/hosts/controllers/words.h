#pragma once

#include "hosts/watching/action.h"
#include "hosts/watching/cache.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/claim_use.h"
#include "hosts/watching/identity.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/object.h"
#include "hosts/watching/observe.h"
#include "hosts/watching/plain_kinds.h"
#include "hosts/watching/subscriptions.h"
#include "hosts/watching/volume_patches.h"

namespace loadline::controllers {

// Controllers are written in the words of the room through which they see a cluster.

using watching::Action;
using watching::AnyCache;
using watching::Cache;
using watching::Caches;
using watching::Change;
using watching::ClaimObject;
using watching::ControllerRevision;
using watching::Endpoints;
using watching::EndpointSlice;
using watching::Event;
using watching::FailedAction;
using watching::Keys;
using watching::KindName;
using watching::Lease;
using watching::ObjectKey;
using watching::ObjectPtr;
using watching::Observed;
using watching::Precondition;
using watching::Reconciliation;
using watching::Subscriptions;
using watching::VolumeAttributesClass;
using watching::VolumeObject;

using watching::annotate_claim;
using watching::binding_steps;
using watching::claim_of;
using watching::claim_reference;
using watching::controllers_of;
using watching::create;
using watching::kBoundByController;
using watching::key_of;
using watching::kind_name;
using watching::kProvisionedBy;
using watching::observe;
using watching::own_key;
using watching::patch;
using watching::read_view;
using watching::reference_to;
using watching::remove;
using watching::revision_of;
using watching::set_claim_phase;
using watching::set_volume_phase;
using watching::slow_start;
using watching::update;
using watching::update_status;
using watching::uses_claim;

}  // namespace loadline::controllers
