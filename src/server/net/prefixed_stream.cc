#include "server/net/prefixed_stream.h"

#include <utility>

namespace loadline::net {
namespace {

class PrefixedStream final : public Stream {
 public:
  PrefixedStream(std::unique_ptr<Stream> stream, std::string bytes)
      : stream_(std::move(stream)), bytes_(std::move(bytes)) {}

  Transfer read(std::span<char> into) override {
    if (bytes_.empty()) return stream_->read(into);
    const std::size_t count = bytes_.copy(into.data(), into.size());
    bytes_.erase(0, count);
    return Transfer::done(count);
  }

  Transfer write(std::span<const std::string_view> pieces) override { return stream_->write(pieces); }
  void on_ready(std::function<void()> callback) override { stream_->on_ready(std::move(callback)); }
  void finish() override { stream_->finish(); }
  [[nodiscard]] Peer peer() const override { return stream_->peer(); }
  [[nodiscard]] std::string protocol() const override { return stream_->protocol(); }

 private:
  std::unique_ptr<Stream> stream_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<Stream> put_back(std::unique_ptr<Stream> stream, std::string bytes) {
  if (bytes.empty()) return stream;
  return std::make_unique<PrefixedStream>(std::move(stream), std::move(bytes));
}

}  // namespace loadline::net
