#include "server/apiserver/resources/storage_hash.h"

#include "foundation/base/base64.h"
#include "server/net/crypto.h"

namespace loadline::apiserver {

std::string storage_hash(const schema::GroupVersionKind& kept) {
  constexpr std::size_t kBytes = 8;
  const std::string text = kept.group + "/" + kept.version + "/" + kept.kind;
  return encode_base64(net::sha256(text).substr(0, kBytes));
}

}  // namespace loadline::apiserver
