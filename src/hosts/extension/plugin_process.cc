#include "hosts/extension/plugin_process.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "foundation/document/writer.h"
#include "hosts/extension/plugin_host.h"
#include "hosts/extension/plugin_protocol.h"

namespace loadline::extension {
namespace {

using document::Value;

/// How long a process may take to come to its end by itself, once it has no more to do.
constexpr std::chrono::milliseconds kFarewell(1000);

void flatten(const std::string& place, const Value& value, std::map<std::string, std::string>& found) {
  const std::string prefix = place.empty() ? "" : place + '.';
  if (value.is_object()) {
    for (const document::Member& member : value.object()) flatten(prefix + member.key, member.value, found);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.array().size(); ++i) flatten(prefix + std::to_string(i), value.array()[i], found);
  } else if (value.is_string()) {
    found.emplace(place, value.string());
  } else if (!value.is_null()) {
    found.emplace(place, document::write_json(value));
  }
}

std::string in_words(std::chrono::milliseconds timeout) {
  return timeout.count() % 1000 == 0 ? fmt::format("{}s", timeout.count() / 1000)
                                     : fmt::format("{}ms", timeout.count());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flattened(const Value& arguments) {
  std::map<std::string, std::string> found;
  flatten("", arguments, found);
  return {found.begin(), found.end()};
}

Result<PluginProcess> PluginProcess::start(const std::string& file, Timeout timeout) {
  // Else it would be started anew as what it is, and start itself, and so on.
  if (!can_host_plugins()) return failure("this program does not run plugins");
  Result<ChildProcess> child = ChildProcess::start({kPluginHostName, file});
  if (!child) return tl::unexpected(child.error());
  PluginProcess process(std::move(*child), timeout);
  const Result<std::string> greeting = process.receive(std::chrono::steady_clock::now() + timeout);
  if (!greeting) return failure("it " + greeting.error().message + " while it was loaded");
  FrameReader frame(*greeting);
  const auto kind = frame.number<PluginReply>();
  if (kind == PluginReply::kFailed) return failure(std::string(frame.text()));
  process.identity_.name = frame.text();
  process.identity_.version = frame.text();
  process.identity_.normalization = frame.number<std::int32_t>();
  if (kind != PluginReply::kLoaded || !frame.complete()) return process.lose("sent what makes no sense");
  return process;
}

PluginProcess::~PluginProcess() {
  if (child_) child_->end(kFarewell);
}

Result<void> PluginProcess::create(const Value& arguments) {
  FrameWriter request;
  request.add(PluginRequest::kCreate);
  request.add(std::string_view(document::write_json(arguments)));
  const auto values = flattened(arguments);
  request.add(static_cast<std::uint32_t>(values.size()));
  for (const auto& [key, value] : values) {
    request.add(std::string_view(key));
    request.add(std::string_view(value));
  }
  const Result<std::string> answer = ask(request);
  if (!answer) return failure("it " + answer.error().message + " while it was created");
  FrameReader frame(*answer);
  const auto kind = frame.number<PluginReply>();
  if (kind == PluginReply::kFailed) return failure(std::string(frame.text()));
  if (kind != PluginReply::kDone) return lose("sent what makes no sense");
  return {};
}

Result<std::vector<std::int64_t>> PluginProcess::score(const FrameWriter& request, std::size_t nodes) {
  const Result<std::string> answer = ask(request);
  if (!answer) return tl::unexpected(answer.error());
  FrameReader frame(*answer);
  const auto kind = frame.number<PluginReply>();
  if (kind == PluginReply::kFailed) return failure(std::string(frame.text()));
  if (kind != PluginReply::kScores || frame.left() != nodes * sizeof(std::int64_t)) {
    return lose("sent what makes no sense");
  }
  std::vector<std::int64_t> scores(nodes);
  for (std::int64_t& score : scores) score = frame.number<std::int64_t>();
  return scores;
}

Result<std::string> PluginProcess::ask(const FrameWriter& request) {
  if (!child_) return failure(how_it_ended_);
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
  const Channel::Transfer outcome = child_->channel().send(request.bytes(), deadline);
  if (outcome != Channel::Transfer::kDone) return lose(outcome);
  return receive(deadline);
}

Result<std::string> PluginProcess::receive(Deadline deadline) {
  std::string answer;
  const Channel::Transfer outcome = child_->channel().receive(answer, deadline);
  if (outcome != Channel::Transfer::kDone) return lose(outcome);
  return answer;
}

tl::unexpected<Error> PluginProcess::lose(Channel::Transfer outcome) {
  switch (outcome) {
    case Channel::Transfer::kTooLate:
      return lose("did not answer within " + in_words(timeout_));
    case Channel::Transfer::kGarbage:
      return lose("sent what makes no sense");
    default:
      return lose(child_->end(kFarewell));
  }
}

tl::unexpected<Error> PluginProcess::lose(std::string how) {
  child_.reset();
  how_it_ended_ = std::move(how);
  return failure(how_it_ended_);
}

}  // namespace loadline::extension
