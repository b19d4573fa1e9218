#include "hosts/extension/http_extender.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "foundation/base/contract.h"
#include "hosts/extension/extender_answer.h"

namespace loadline::extension {

using placement::ExtenderFilterAnswer;
using placement::ExtenderScore;
using placement::ExtenderVictims;

HttpExtender::HttpExtender(const kube::Extender& settings, const ExtenderPatience& patience, HttpClient client)
    : settings_(settings),
      client_(std::move(client)),
      requests_(settings.node_cache_capable ? ExtenderRequests::Nodes::kNames : ExtenderRequests::Nodes::kWhole),
      patience_(patience) {}

Result<std::unique_ptr<HttpExtender>> HttpExtender::make(const kube::Extender& settings,
                                                         const ExtenderPatience& patience) {
  kube::Extender bounded = settings;
  const bool is_longer = bounded.http_timeout < Duration{} || bounded.http_timeout > patience.longest_call;
  if (patience.longest_call && is_longer) bounded.http_timeout = *patience.longest_call;
  Result<HttpClient> client = HttpClient::make(bounded);
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<HttpExtender>(new HttpExtender(bounded, patience, *std::move(client)));
}

Result<std::unique_ptr<placement::Extender>> HttpExtenders::make(const kube::Extender& settings) const {
  return HttpExtender::make(settings, patience_);
}

/// Whether it did not answer, and may not be tried once more yet.
bool HttpExtender::is_left_alone() const {
  if (unanswered_ < kMostUnanswered || silent_ == placement::SilentExtenders::kAskAgain) return false;
  return !patience_.rest ||
         std::chrono::steady_clock::now() - gave_up_ < std::chrono::nanoseconds(patience_.rest->nanoseconds);
}

std::string HttpExtender::url_of(const std::string& verb) const {
  std::string url = settings_.url_prefix;
  while (url.ends_with('/')) url.pop_back();
  return url + '/' + verb;
}

Result<std::string> HttpExtender::send(const std::string& verb, const std::string& body) const {
  const std::string url = url_of(verb);
  if (is_left_alone()) {
    return failure(fmt::format("Post \"{}\": not called again: {} calls in a row got no answer", url, unanswered_));
  }
  Result<HttpAnswer> answer = client_.post_json(url, body);
  unanswered_ = answer ? 0 : unanswered_ + 1;
  if (!answer) gave_up_ = std::chrono::steady_clock::now();
  if (!answer) return tl::unexpected(answer.error());
  constexpr long kOk = 200;
  if (answer->status != kOk) {
    return failure(fmt::format("failed {} with extender at URL {}, code {}", verb, url, answer->status));
  }
  return std::move(answer->body);
}

Error HttpExtender::unreadable(const std::string& verb, const Error& error) const {
  return Error{fmt::format("cannot read the answer of extender at URL {}: {}", url_of(verb), error.message)};
}

Result<ExtenderFilterAnswer> HttpExtender::filter(const kube::Pod& pod,
                                                  std::span<const kube::Node* const> nodes) const {
  const std::string& verb = settings_.filter_verb;
  REQUIRES(!verb.empty());
  const Result<std::string> text = send(verb, requests_.about_nodes(pod, nodes));
  if (!text) return tl::unexpected(text.error());
  const NodeCache cache = settings_.node_cache_capable ? NodeCache::kCapable : NodeCache::kNot;
  Result<FilterResult> result = decode_filter_answer(*text, cache);
  if (!result) return tl::unexpected(unreadable(verb, result.error()));
  if (!result->error.empty()) return failure(result->error);
  std::set<std::string_view> shown;
  for (const kube::Node* node : nodes) shown.insert(node->metadata.name);
  for (const std::string& name : result->answer.nodes) {
    if (shown.contains(name)) continue;
    return failure(
        fmt::format("extender \"{}\" claims a filtered node \"{}\" which is not found in the input node list",
                    settings_.url_prefix, name));
  }
  return std::move(result->answer);
}

Result<std::vector<ExtenderScore>> HttpExtender::prioritize(const kube::Pod& pod,
                                                            std::span<const kube::Node* const> nodes) const {
  const std::string& verb = settings_.prioritize_verb;
  REQUIRES(!verb.empty());
  const Result<std::string> text = send(verb, requests_.about_nodes(pod, nodes));
  if (!text) return tl::unexpected(text.error());
  Result<std::vector<ExtenderScore>> scores = decode_prioritize_answer(*text);
  if (!scores) return tl::unexpected(unreadable(verb, scores.error()));
  return scores;
}

Result<std::map<std::string, ExtenderVictims>> HttpExtender::process_preemption(
    const kube::Pod& pod, std::span<const placement::ShownCandidate> candidates) const {
  const std::string& verb = settings_.preempt_verb;
  REQUIRES(!verb.empty());
  const Result<std::string> text = send(verb, requests_.about_preemption(pod, candidates));
  if (!text) return tl::unexpected(text.error());
  Result<std::map<std::string, ExtenderVictims>> answer = decode_preemption_answer(*text);
  if (!answer) return tl::unexpected(unreadable(verb, answer.error()));
  return answer;
}

Result<void> HttpExtender::bind(const kube::Pod& pod, std::string_view node) const {
  const std::string& verb = settings_.bind_verb;
  REQUIRES(!verb.empty());
  const Result<std::string> text = send(verb, ExtenderRequests::about_binding(pod, node));
  if (!text) return tl::unexpected(text.error());
  const Result<std::string> error = decode_binding_answer(*text);
  if (!error) return tl::unexpected(unreadable(verb, error.error()));
  if (!error->empty()) return failure(*error);
  return {};
}

}  // namespace loadline::extension
