#include "hosts/operators/kuberay/ray_suffix.h"

#include "foundation/base/digest.h"

namespace loadline::operators {

std::string ray_suffix(std::string_view seed) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kLength = 5;
  std::string suffix;
  for (const char byte : sha1(seed).substr(0, kLength)) {
    suffix += kAlphabet[static_cast<unsigned char>(byte) % kAlphabet.size()];
  }
  return suffix;
}

}  // namespace loadline::operators
