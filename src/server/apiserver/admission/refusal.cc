#include "server/apiserver/admission/refusal.h"

#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

StatusError refusal(const Call& call, const document::Value& object, std::string_view why) {
  const std::string_view name = name_of(object);
  return forbidden(call.group_resource(), name.empty() ? document::text_at(object, {"metadata", "generateName"}) : name,
                   why);
}

StatusError refusal(const Call& call, const document::Value& object, const admission::Rejection& rejection) {
  return refusal(call, object, admission::aggregate(rejection.details));
}

}  // namespace loadline::apiserver
