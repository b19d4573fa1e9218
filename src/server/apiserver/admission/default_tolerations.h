#pragma once

#include "server/apiserver/admission/chain.h"

namespace loadline::apiserver {

/// Lets pods stay for 300 s on a node that is not ready or unreachable. Source: see
/// brain/admission/default_tolerations.h.
class DefaultTolerationSeconds final : public AdmissionPlugin {
 public:
  DefaultTolerationSeconds();

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  document::Array defaults_;  // made once: nearly every pod gets them
};

}  // namespace loadline::apiserver
