#include "server/apiserver/auth/attributes.h"

#include <fmt/format.h>

#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

/// Upstream keeps what users chose from being read as markup.
std::string sanitized(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '&') {
      out += "&amp;";
    } else if (letter == '<') {
      out += "&lt;";
    } else if (letter == '>') {
      out += "&gt;";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string sentence(const Attributes& asked) {
  const std::string who = kube::quoted(asked.user == nullptr ? std::string_view() : std::string_view(asked.user->name));
  if (!asked.is_resource) return fmt::format("User {} cannot {} path {}", who, asked.verb, kube::quoted(asked.path));
  const std::string resource = asked.subresource.empty() ? asked.resource : asked.resource + "/" + asked.subresource;
  const std::string what = fmt::format("User {} cannot {} resource {} in API group {} ", who, asked.verb,
                                       kube::quoted(resource), kube::quoted(asked.group));
  return asked.name_space.empty() ? what + "at the cluster scope"
                                  : what + "in the namespace " + kube::quoted(asked.name_space);
}

}  // namespace

Attributes attributes_of(const User& user, const RequestInfo& request) {
  return {.user = &user,
          .verb = request.verb,
          .is_resource = request.is_resource,
          .group = request.group,
          .version = request.version,
          .resource = request.resource,
          .subresource = request.subresource,
          .name = request.name,
          .name_space = request.name_space,
          .path = request.path};
}

StatusError not_allowed(const Attributes& attributes, std::string_view reason) {
  std::string why = sanitized(sentence(attributes));
  if (!reason.empty()) why.append(": ").append(reason);
  StatusError failure = forbidden({attributes.group, attributes.resource}, attributes.name, why);
  // What is no resource has no name to begin with.
  if (attributes.resource.empty()) failure.message = "forbidden: " + why;
  return failure;
}

}  // namespace loadline::apiserver
