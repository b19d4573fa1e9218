#include "hosts/kubelet/fake_identity.h"

#include <cstdint>

#include "foundation/base/rng.h"

namespace loadline::kubelet {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  for (const char letter : text) seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;  // FNV-1a
  return seed;
}

constexpr std::uint64_t kSeed = 0xcbf29ce484222325ULL;

/// Where the tag or digest begins; the end if there is none.
std::size_t end_of_name(std::string_view image) {
  if (const std::size_t at = image.find('@'); at != std::string_view::npos) return at;
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool is_tag = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return is_tag ? colon : image.size();
}

/// With registry and path, without a tag: "docker.io/library/nginx".
std::string repository_of(std::string_view image) {
  const std::string_view name = image.substr(0, end_of_name(image));
  const std::size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  const bool has_registry =
      slash != std::string_view::npos && (first.find_first_of(".:") != std::string_view::npos || first == "localhost");
  if (has_registry) return std::string(name);
  return (slash == std::string_view::npos ? "docker.io/library/" : "docker.io/") + std::string(name);
}

}  // namespace

std::string digest_of(std::string_view text, std::string_view more, std::int64_t number) {
  Rng rng(hash_of(more, hash_of(text, kSeed) + 1) + static_cast<std::uint64_t>(number));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digest;
  digest.reserve(64);
  for (int word = 0; word < 4; ++word) {
    const std::uint64_t bits = rng.next();
    for (int shift = 60; shift >= 0; shift -= 4) digest += kDigits[bits >> static_cast<unsigned>(shift) & 0xfU];
  }
  return digest;
}

std::string full_image_name(std::string_view image) {
  const std::size_t end = end_of_name(image);
  const std::string tag = end == image.size() ? ":latest" : std::string(image.substr(end));
  return repository_of(image) + tag;
}

std::string image_id(std::string_view image) {
  if (const std::size_t at = image.find('@'); at != std::string_view::npos) return full_image_name(image);
  return repository_of(image) + "@sha256:" + digest_of(full_image_name(image));
}

std::int64_t image_size(std::string_view image) {
  constexpr std::uint64_t kLeast = 2'000'000;
  constexpr std::uint64_t kSpread = 1'000'000'000;
  return static_cast<std::int64_t>(kLeast + Rng(hash_of(image, kSeed)).below(kSpread));
}

}  // namespace loadline::kubelet
