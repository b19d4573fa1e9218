#include "server/apiserver/admission/chain.h"

namespace loadline::apiserver {

Answer<document::Value> AdmissionChain::complete(const AdmissionRequest& request, document::Value object) const {
  for (const auto& plugin : plugins_) {
    Answer<document::Value> completed = plugin->complete(request, std::move(object));
    if (!completed) return completed;
    object = std::move(*completed);
  }
  return object;
}

Answer<void> AdmissionChain::review(const AdmissionRequest& request, const document::Value& object) const {
  for (const auto& plugin : plugins_) {
    if (Answer<void> verdict = plugin->review(request, object); !verdict) return verdict;
  }
  return {};
}

}  // namespace loadline::apiserver
