#include "server/net/testing/http2_client.h"

#include <nghttp2/nghttp2.h>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline::net {
namespace {

std::string text(const std::uint8_t* bytes, std::size_t length) {
  return {reinterpret_cast<const char*>(bytes), length};
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

Http2Client::Http2Client(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_length,
                    const std::uint8_t* value, std::size_t value_length, std::uint8_t, void* user) {
        if (text(name, name_length) == ":status") {
          self(user).answers[frame->hd.stream_id].status = text(value, value_length);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t length, void* user) {
        self(user).answers[id].body += text(data, length);
        nghttp2_session_consume_connection(session, length);
        if (!self(user).holds_back) nghttp2_session_consume_stream(session, id, length);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
        self(user).answers[id].closed = true;
        self(user).answers[id].error = error;
        self(user).bodies_.erase(id);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                         if (frame->hd.type == NGHTTP2_GOAWAY)
                                                           self(user).told_to_go = true;
                                                         return 0;
                                                       });
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_session_client_new2(&session_, callbacks, this, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  stream_->on_ready([this] {
    pump();
    if (on_change) on_change();
  });
}

Http2Client::~Http2Client() { nghttp2_session_del(session_); }

std::int32_t Http2Client::send(const Request& request) {
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t* into, std::size_t most,
                              std::uint32_t* flags, nghttp2_data_source*, void* user) {
    std::string& rest = self(user).bodies_[id];
    const std::size_t count = rest.copy(reinterpret_cast<char*>(into), most);
    rest.erase(0, count);
    if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  };
  std::vector<nghttp2_nv> fields = {field(":method", request.method), field(":scheme", "https"),
                                    field(":path", request.target), field(":authority", "test")};
  for (const Header& header : request.headers) fields.push_back(field(header.name, header.value));
  const std::int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                                 request.body.empty() ? nullptr : &provider, nullptr);
  answers[id];
  if (!request.body.empty()) bodies_[id] = request.body;
  pump();
  return id;
}

void Http2Client::reset(std::int32_t id) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  pump();
}

void Http2Client::take(std::int32_t id) {
  holds_back = false;
  nghttp2_session_consume_stream(session_, id, answers[id].body.size());
  pump();
}

void Http2Client::pump() {
  std::string buffer(8192, '\0');
  while (!closed) {
    const Transfer transfer = stream_->read(std::span(buffer));
    if (transfer.state == Transfer::State::kBlocked) break;
    if (transfer.state != Transfer::State::kDone) closed = true;
    nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(buffer.data()), transfer.bytes);
  }
  const std::uint8_t* bytes = nullptr;
  for (ssize_t length = 0; (length = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
    unsent_.append(text(bytes, static_cast<std::size_t>(length)));
  }
  while (!unsent_.empty()) {
    const std::string_view piece = unsent_;
    const Transfer transfer = stream_->write(std::span(&piece, 1));
    if (transfer.state != Transfer::State::kDone) break;
    unsent_.erase(0, transfer.bytes);
  }
}

}  // namespace loadline::net
