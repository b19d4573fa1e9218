#include "foundation/document/crc32.h"

#include <zlib.h>

#include <cstddef>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "foundation/base/contract.h"

namespace loadline::document {
namespace {

std::uint32_t crc32_by_table(std::string_view bytes, std::uint32_t sum) {
  return static_cast<std::uint32_t>(
      ::crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

#if defined(__x86_64__)

constexpr std::size_t kFewest = 64;
constexpr std::size_t kBlock = 16;

[[gnu::target("pclmul,sse4.1")]] __m128i load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

/// `block` moved so many bits ahead as `by` says, and what stands there.
[[gnu::target("pclmul,sse4.1")]] __m128i folded(__m128i block, __m128i by, __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(block, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(block, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/// Sixteen bytes at a time by multiplication without carries, a tenth of the time that tables take: rows of a log are
/// summed with every write. REQUIRES: at least kFewest bytes, a multiple of kBlock; the processor has PCLMULQDQ.
/// Source: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009),
/// with its constants for the reflected polynomial of gzip.
[[gnu::target("pclmul,sse4.1")]] std::uint32_t crc32_by_folding(std::string_view bytes, std::uint32_t sum) {
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by_64 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);  // its inverse, and itself
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);

  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(~sum)));
  __m128i b = load(at + kBlock);
  __m128i c = load(at + 2 * kBlock);
  __m128i d = load(at + 3 * kBlock);
  for (at += kFewest; static_cast<std::size_t>(end - at) >= kFewest; at += kFewest) {
    a = folded(a, by_512, load(at));
    b = folded(b, by_512, load(at + kBlock));
    c = folded(c, by_512, load(at + 2 * kBlock));
    d = folded(d, by_512, load(at + 3 * kBlock));
  }
  a = folded(folded(folded(a, by_128, b), by_128, c), by_128, d);
  for (; at < end; at += kBlock) a = folded(a, by_128, load(at));

  // From 128 bits to 64, and by Barrett's reduction to 32.
  a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by_128, 0x10));
  a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, low_words), by_64, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(a, low_words), polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), polynomial, 0x00);
  return ~static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(a, quotient), 1));
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t sum) {
  if (bytes.size() < kFewest || __builtin_cpu_supports("pclmul") == 0 || __builtin_cpu_supports("sse4.1") == 0) {
    return crc32_by_table(bytes, sum);
  }
  const std::size_t whole = bytes.size() - bytes.size() % kBlock;
  return crc32_by_table(bytes.substr(whole), crc32_by_folding(bytes.substr(0, whole), sum));
}

#else

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t sum) { return crc32_by_table(bytes, sum); }

#endif

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t sum) {
  REQUIRES(bytes.size() <= std::numeric_limits<uInt>::max());
  return bytes.empty() ? sum : crc32_of(bytes, sum);
}

}  // namespace loadline::document
