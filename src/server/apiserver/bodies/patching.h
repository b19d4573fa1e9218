#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "server/apiserver/bodies/bodies.h"
#include "server/apiserver/bodies/body.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic, kApply };

/// The kind of patch that the Content-Type names; 415 for what the resource does not take.
Answer<PatchType> patch_type(const Body& body, const schema::Resource& resource);

/// A patch as it came, read once, applied to whatever the object is.
class Patch {
 public:
  /// REQUIRES: `type` is no apply.
  static Answer<Patch> read(const Body& body, PatchType type);

  /// What the object that is patched is.
  enum class Source : std::uint8_t {
    kMade,  ///< put together for this request
    kKept,  ///< as it is kept: what the patch leaves alone need not be conformed again
  };

  /// `object`, in the version of the request, patched and conformed; defaults are not set. `versions`, if not null,
  /// says what of it stays whatever the patch says; the client is warned if it removed that.
  Answer<document::Value> apply(const Bodies& bodies, const document::Value& object, Source source,
                                const schema::Type* type, FieldValidation validation,
                                std::vector<std::string>& warnings, const OtherVersions* versions = nullptr) const;

 private:
  PatchType type_ = PatchType::kMerge;
  document::Value document_;
  std::vector<std::string> duplicates_;  ///< found in the patch by strict decoding
};

}  // namespace loadline::apiserver
