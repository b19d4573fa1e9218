#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/core/quota.h"
#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Gives pods what the LimitRanges of their namespace say that containers get by default, and holds pods and claims to
/// the ranges' bounds. Which ranges there are is asked of the store for each object; they are read once.
/// Source: plugin/pkg/admission/limitranger, v1.36; the rules are in brain/admission/limit_range.h.
class LimitRanger final : public AdmissionPlugin {
 public:
  explicit LimitRanger(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  struct Known {
    std::vector<store::ObjectPtr> stored;  // of which `ranges` were read
    std::vector<kube::LimitRange> ranges;
  };
  std::span<const kube::LimitRange> ranges_of(const std::string& name_space);

  const store::Store& store_;
  std::map<std::string, Known, std::less<>> known_;  // by namespace
};

}  // namespace loadline::apiserver
