#pragma once

#include "foundation/base/dense_set.h"
#include "foundation/base/id.h"
#include "foundation/base/symbol.h"

namespace loadline::cluster {

using NodeId = Id<struct NodeTag>;
using PodId = Id<struct PodTag>;
using ShapeId = Id<struct ShapeTag>;        ///< pods that no decision can tell apart
using ResourceId = Id<struct ResourceTag>;  ///< cpu (milli), memory (bytes), nvidia.com/gpu (units), …
using TopologyKeyId = Id<struct TopologyKeyTag>;
using DomainId = Id<struct DomainTag>;          ///< a value of one topology key
using TermId = Id<struct TermTag>;              ///< "pods in these namespaces with these labels"
using NodeFilterId = Id<struct NodeFilterTag>;  ///< the nodes a spread constraint looks at
using CounterId = Id<struct CounterTag>;
using AffinityTermCountId = Id<struct AffinityTermCountTag>;
using GroupId = Id<struct GroupTag>;  ///< pods that are scheduled as one
using ReservationId = Id<struct ReservationTag>;

using NodeSet = DenseSet<NodeId>;

}  // namespace loadline::cluster
