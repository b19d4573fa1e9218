#include "server/net/exchange.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::net {

Exchange::Carrier* Exchange::detach() {
  Carrier* carrier = std::exchange(carrier_, nullptr);
  on_writable_ = nullptr;
  on_close_ = nullptr;
  if (const auto over = std::exchange(on_over_, nullptr)) over(status_);
  return carrier;
}

void Exchange::respond(Response response) {
  if (carrier_ == nullptr || started_) return;
  started_ = true;
  status_ = response.status;
  Carrier* carrier = detach();
  carrier->send_head(*this, response.status, response.headers, response.body.size());
  if (!response.body.empty()) carrier->send_body(*this, std::move(response.body));
  carrier->send_end(*this);
}

void Exchange::start(int status, const Headers& headers) {
  if (carrier_ == nullptr || started_) return;
  started_ = true;
  status_ = status;
  carrier_->send_head(*this, status, headers, std::nullopt);
}

bool Exchange::start_messages(const Headers& headers) {
  if (carrier_ == nullptr || started_ || !carrier_->send_switch(*this, headers)) return false;
  started_ = true;
  status_ = 101;
  return true;
}

bool Exchange::write(std::shared_ptr<const std::string> piece) {
  if (carrier_ == nullptr) return false;
  REQUIRES(started_);
  if (piece->empty()) return true;
  const std::size_t queued = carrier_->queued_bytes(*this);
  if (queued > 0 && queued + piece->size() > queue_limit_) return false;
  carrier_->send_body(*this, std::move(piece));
  return true;
}

std::size_t Exchange::queued_bytes() const { return carrier_ == nullptr ? 0 : carrier_->queued_bytes(*this); }

void Exchange::on_writable(Callback callback) {
  if (carrier_ == nullptr) return;
  on_writable_ = std::move(callback);
  if (on_writable_) carrier_->wants_room(*this);
}

void Exchange::finish() {
  if (carrier_ == nullptr || !started_) return;
  detach()->send_end(*this);
}

void Exchange::abort() {
  if (carrier_ != nullptr) detach()->cut(*this);
}

std::unique_ptr<Stream> Exchange::take_over() {
  if (carrier_ == nullptr || started_) return nullptr;
  std::unique_ptr<Stream> stream = carrier_->take_over(*this);
  if (stream != nullptr) detach();
  return stream;
}

void Exchange::lose() {
  if (const auto over = std::exchange(on_over_, nullptr)) over(status_);
  // What is called may drop the last reference to this exchange's owner, so nothing of ours is touched afterwards.
  const Callback callback = std::move(on_close_);
  const Callback unused = std::move(on_writable_);
  carrier_ = nullptr;
  on_close_ = nullptr;
  on_writable_ = nullptr;
  if (callback) callback();
}

void Exchange::call_for_more() {
  const Callback callback = std::exchange(on_writable_, nullptr);
  if (callback) callback();
}

}  // namespace loadline::net
