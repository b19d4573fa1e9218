#include "hosts/operators/mpi_job_version.h"

#include <algorithm>
#include <string_view>

#include "foundation/document/at.h"

namespace loadline::operators {

bool is_of_mpi_operator(const document::Value& job) {
  constexpr std::string_view kOfMpiOperator = "kubeflow.org/v2beta1";
  const document::Value* written = document::find_at(job, {"metadata", "managedFields"});
  if (written == nullptr || !written->is_array() || written->array().empty()) {
    return document::text_at(job, {"apiVersion"}) == kOfMpiOperator;
  }
  return std::ranges::any_of(written->array(), [&](const document::Value& entry) {
    return document::text_at(entry, {"apiVersion"}) == kOfMpiOperator &&
           document::text_at(entry, {"subresource"}).empty();
  });
}

}  // namespace loadline::operators
