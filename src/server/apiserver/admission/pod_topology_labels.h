#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Labels a pod with the zone and region of its node when it is bound, or created on one. Unlike upstream, a binding
/// whose target has no kind counts as one to a node. Source: plugin/pkg/admission/podtopologylabels, v1.36.
class PodTopologyLabels final : public AdmissionPlugin {
 public:
  explicit PodTopologyLabels(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
