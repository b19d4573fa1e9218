#include "server/net/output_queue.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::net {
namespace {

/// Below this, copying costs less than a piece of its own.
constexpr std::size_t kWorthSharing = 1024;

/// Own bytes are joined up to here: about what one TLS record carries.
constexpr std::size_t kJoined = std::size_t{16} * 1024;

}  // namespace

void OutputQueue::append(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool joins = first_ < pieces_.size() && pieces_.back().shared == nullptr &&
                     pieces_.back().own.size() + bytes.size() <= kJoined;
  if (!joins) pieces_.emplace_back();
  Piece& piece = pieces_.back();
  piece.own += bytes;
  piece.end = piece.own.size();
  size_ += bytes.size();
}

void OutputQueue::append(std::string&& bytes) {
  if (bytes.size() < kWorthSharing) {
    append(std::string_view(bytes));
    return;
  }
  Piece& piece = pieces_.emplace_back();
  piece.own = std::move(bytes);
  piece.end = piece.own.size();
  size_ += piece.end;
}

void OutputQueue::append(std::shared_ptr<const std::string> text, std::size_t begin, std::size_t length) {
  if (length < kWorthSharing) {
    append(std::string_view(*text).substr(begin, length));
    return;
  }
  Piece& piece = pieces_.emplace_back();
  piece.shared = std::move(text);
  piece.begin = begin;
  piece.end = begin + length;
  size_ += length;
}

std::span<const std::string_view> OutputQueue::front(Pieces& storage) const {
  std::size_t count = 0;
  for (std::size_t i = first_; i < pieces_.size() && count < storage.size(); ++i) storage[count++] = pieces_[i].view();
  return std::span(storage).first(count);
}

void OutputQueue::pop(std::size_t count) {
  REQUIRES(count <= size_);
  size_ -= count;
  while (count > 0) {
    Piece& piece = pieces_[first_];
    const std::size_t here = piece.end - piece.begin;
    if (count < here) {
      piece.begin += count;
      return;
    }
    count -= here;
    piece = Piece{};
    ++first_;
  }
  if (size_ == 0) {
    clear();
  } else if (first_ >= 32 && first_ * 2 >= pieces_.size()) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void OutputQueue::clear() {
  std::vector<Piece>().swap(pieces_);
  first_ = 0;
  size_ = 0;
}

}  // namespace loadline::net
