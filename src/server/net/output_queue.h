#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::net {

/// Bytes that wait to be sent. Long shared texts are kept, not copied; what is short is copied and joined, so that it
/// leaves in few writes. Holds no memory while empty.
class OutputQueue {
 public:
  using Pieces = std::array<std::string_view, 16>;

  void append(std::string_view bytes);
  void append(std::string&& bytes);

  /// The part `begin`, `length` of `text`, shared with the other queues that send it.
  void append(std::shared_ptr<const std::string> text, std::size_t begin, std::size_t length);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Views of the first bytes in `storage`; valid until the queue changes.
  [[nodiscard]] std::span<const std::string_view> front(Pieces& storage) const;

  /// Drops the first `count` bytes. REQUIRES: no more than size().
  void pop(std::size_t count);

  void clear();

 private:
  struct Piece {
    std::shared_ptr<const std::string> shared;
    std::string own;
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::string_view view() const {
      return std::string_view(shared != nullptr ? *shared : own).substr(begin, end - begin);
    }
  };

  std::vector<Piece> pieces_;
  std::size_t first_ = 0;  // of pieces_: those before it are sent
  std::size_t size_ = 0;
};

}  // namespace loadline::net
