#include "server/net/http2_frame_budget.h"

#include <algorithm>

namespace loadline::net {
namespace {

constexpr std::int64_t kAtOnce = 1'000;
constexpr std::int64_t kPerSecond = 33;
constexpr std::uint64_t kBytesPerFrame = 128;
/// DATA with less than this hardly carries anything: a byte of padding, or of the body.
constexpr std::size_t kLeastData = 16;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

constexpr unsigned char kData = 0;
constexpr unsigned char kHeaders = 1;
constexpr unsigned char kEndStream = 1;

}  // namespace

bool Http2FrameBudget::take(std::string_view bytes, Duration age) {
  const std::size_t preface = std::min(preface_, bytes.size());
  preface_ -= preface;
  bytes.remove_prefix(preface);
  while (!bytes.empty()) {
    if (payload_ > 0) {
      const std::size_t here = std::min(payload_, bytes.size());
      payload_ -= here;
      bytes.remove_prefix(here);
      continue;
    }
    const std::size_t here = bytes.copy(head_.data() + head_bytes_, kHead - head_bytes_);
    head_bytes_ += here;
    bytes.remove_prefix(here);
    if (head_bytes_ == kHead && !take_frame(age)) return false;
  }
  return true;
}

bool Http2FrameBudget::take_frame(Duration age) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head_[at]); };
  head_bytes_ = 0;
  payload_ = (std::size_t{byte(0)} << 16U) | (std::size_t{byte(1)} << 8U) | byte(2);
  const unsigned char type = byte(3);
  const bool ends = (byte(4) & kEndStream) != 0;
  // A stream has one end: no more of those than there are requests.
  if (type == kHeaders || (type == kData && (payload_ >= kLeastData || ends))) return true;
  return pay(age);
}

bool Http2FrameBudget::pay(Duration age) {
  if (earned_bytes_ >= kBytesPerFrame) {
    earned_bytes_ -= kBytesPerFrame;
    return true;
  }
  const std::int64_t second = age.nanoseconds / kNanosecondsPerSecond;
  if (second > refilled_) {
    const std::int64_t seconds = std::min(second - refilled_, kAtOnce);
    allowance_ = std::min(kAtOnce, allowance_ + seconds * kPerSecond);
    refilled_ = second;
  }
  return allowance_-- > 0;
}

}  // namespace loadline::net
