// Any bytes from a client, over HTTP/1 and HTTP/2: the server reads or refuses them, reads the same however they are
// cut into pieces, and has forgotten the client once its time is over.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "server/net/memory_stream.h"
#include "server/net/server.h"

namespace {

using namespace loadline;

/// Answers in all the ways there are, and notes what was asked.
class Recorder final : public net::Handler {
 public:
  void handle(std::shared_ptr<net::Exchange> exchange) override {
    const net::Request& request = exchange->request();
    std::string text = request.method + " " + request.target + "\n";
    for (const net::Header& header : request.headers) text += header.name + ": " + header.value + "\n";
    asked.push_back(text + request.body);
    switch (request.target.size() % 5) {
      case 0:
        return;
      case 1:
        exchange->respond({200, {{"X-Echo", request.target}}, request.body});
        return;
      case 2:
        exchange->start(200, {});
        exchange->write(std::make_shared<const std::string>(3'000, 'x'));
        exchange->finish();
        return;
      case 3:
        exchange->start(200, {});
        kept.push_back(exchange);
        exchange->on_writable([this, held = exchange.get()] {
          held->write(std::make_shared<const std::string>("more"));
          if (asked.size() % 2 == 0) held->finish();
        });
        return;
      default:
        exchange->respond({204, {}, ""});
    }
  }

  std::vector<std::string> asked;
  std::vector<std::shared_ptr<net::Exchange>> kept;
};

std::vector<std::string> asked(std::string_view bytes, const net::MemoryStreamOptions& options) {
  VirtualLoop loop;
  Recorder recorder;
  net::ServerOptions server_options;
  server_options.limits.body = 1'000;
  server_options.limits.header_fields = 2'000;
  server_options.limits.request_line = 500;
  net::Server server(loop, server_options, recorder);
  auto [client, end] = net::connected_streams(loop, options);
  server.serve(std::move(end));
  client->on_ready([] {});
  std::string answers(4'096, '\0');
  const auto read_all = [&] {
    while (client->read(std::span(answers)).state == net::Transfer::State::kDone) loop.run_until_idle();
  };
  while (!bytes.empty()) {
    const net::Transfer transfer = client->write(std::span(&bytes, 1));
    loop.run_until_idle();
    read_all();
    if (transfer.state == net::Transfer::State::kFailed) break;
    bytes.remove_prefix(transfer.bytes);
    if (transfer.state == net::Transfer::State::kBlocked) break;  // it does not want more while it answers
  }
  for (int i = 0; i < 10; ++i) {
    loop.advance(Duration::seconds(60));
    read_all();
  }
  client.reset();
  loop.advance(Duration::seconds(300));
  if (server.connections() != 0) std::abort();
  return std::move(recorder.asked);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 20'000) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  net::MemoryStreamOptions whole;
  if (data[0] % 2 == 1) whole.protocol = "h2";
  net::MemoryStreamOptions pieces = whole;
  pieces.first_to_second.seed = 1 + data[0];
  if (asked(bytes, whole) != asked(bytes, pieces)) std::abort();
  return 0;
}
