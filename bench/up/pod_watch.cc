#include "bench/up/pod_watch.h"

#include <fmt/format.h>

#include "bench/up/requests.h"

namespace loadline::bench {
namespace {

constexpr std::string_view kMetadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::chrono::milliseconds kWatchPatience{60'000};

/// The first text of that member behind `begin`. Both servers write metadata in the order of Go's struct, in which an
/// object's own name is the first.
std::string_view text_after(std::string_view line, std::size_t begin, std::string_view member) {
  const std::string opening = fmt::format("\"{}\":\"", member);
  const std::size_t at = line.find(opening, begin);
  if (at == std::string_view::npos) return {};
  const std::size_t text = at + opening.size();
  return line.substr(text, line.find('"', text) - text);
}

}  // namespace

Result<std::unique_ptr<PodWatch>> PodWatch::open(Session& session, const std::string& name_space, OnEvent on_event) {
  const std::string path = name_space.empty() ? "/api/v1/pods" : fmt::format("/api/v1/namespaces/{}/pods", name_space);
  const net::Request plain =
      session.request("GET", path + "?watch=1&timeoutSeconds=3600&fieldSelector=spec.nodeName%21%3D");
  net::Request request{plain.method, plain.target, {}, {}, nullptr};
  for (const net::Header& header : plain.headers) {
    request.headers.add(header.name, header.name == "Accept" ? std::string(kMetadataOnly) : header.value);
  }
  std::unique_ptr<PodWatch> watch(new PodWatch(session, std::move(request), std::move(on_event)));
  if (const Result<void> begun = watch->begin(); !begun) return tl::unexpected(begun.error());
  if (!run_until(session, kWatchPatience, [&] { return watch->status_.has_value(); })) {
    return failure("the server does not answer a watch");
  }
  if (*watch->status_ != 200) return failure(fmt::format("a watch was answered with {}", *watch->status_));
  return watch;
}

Result<void> PodWatch::begin() {
  rest_.clear();
  auto client = session_.connect();
  if (!client) return tl::unexpected(client.error());
  client_ = std::move(*client);
  net::Client::Receiver receiver;
  receiver.head = [this](int status, const net::Headers&) { status_ = status; };
  receiver.body = [this](std::string_view piece) { take(piece); };
  receiver.done = [this](const Result<void>&) {
    ++renewals_;
    renewal_ = session_.loop().after({}, [this] { static_cast<void>(begin()); });
  };
  client_->send(request_, std::move(receiver));
  return {};
}

void PodWatch::take(std::string_view piece) {
  while (true) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) break;
    if (rest_.empty()) {
      read(piece.substr(0, end));
    } else {
      rest_.append(piece.substr(0, end));
      read(rest_);
      rest_.clear();
    }
    piece.remove_prefix(end + 1);
  }
  rest_.append(piece);
}

void PodWatch::read(std::string_view line) const {
  const std::string_view type = text_after(line, 0, "type");
  const std::size_t metadata = line.find("\"metadata\":");
  if (metadata == std::string_view::npos) return;
  Event event{Type::kBound, text_after(line, metadata, "namespace"), text_after(line, metadata, "name"),
              line.find("\"deletionTimestamp\":", metadata) != std::string_view::npos};
  if (type == "MODIFIED") {
    event.type = Type::kChanged;
  } else if (type == "DELETED") {
    event.type = Type::kGone;
  } else if (type != "ADDED") {
    return;
  }
  on_event_(event);
}

}  // namespace loadline::bench
