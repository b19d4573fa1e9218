#include "objects/kube/whole_cluster.h"

#include "foundation/document/at.h"

namespace loadline::kube {

bool is_whole_cluster(const document::Value& list) {
  return document::text_at(list, {"metadata", "annotations", kWholeCluster}) == "true";
}

}  // namespace loadline::kube
