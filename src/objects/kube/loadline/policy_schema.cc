#include "objects/kube/loadline/policy_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Member;
using document::Value;

/// The base, and whatever else is there: the definition says which switches there are.
void read_spec(Decoder& decoder, const Value& value, const Path& path, Policy& policy) {
  if (!value.is_object()) return;
  for (const Member& member : value.object()) {
    const Path at(path, member.key);
    if (member.key == "base") {
      decode_into(decoder, member.value, at, policy.base, one_of(kPolicyBase));
      policy.base_mark = member.mark;
    } else if (member.value.is_string() || member.value.is_integer()) {
      policy.settings.push_back({member.key, member.value, member.mark});
    } else {
      decoder.report(member.value.mark(), at.text(),
                     "expected a word or a whole number, got " + described(member.value));
    }
  }
}

constexpr Field kFields[] = {
    field<&Policy::metadata>("metadata", kObjectMetaSchema),
    custom<read_spec>("spec"),
};

}  // namespace

constinit const Schema kPolicySchema{OfCustomKind{}, "Policy", kFields};

}  // namespace loadline::kube
