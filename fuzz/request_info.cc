// Any method and target (a line each): what the request is about, and the options in its query, for every verb that has
// some, its selector of labels among them. Either they are read, or refused with a reason; a token for the next page is
// written as it was read.

#include "server/apiserver/http/request_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "objects/kube/selector_text.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/reads/continue_token.h"

namespace {

using namespace loadline::apiserver;

template <class T>
void want_reason(const Answer<T>& answer) {
  if (!answer && (answer.error().message.empty() || answer.error().code < 400)) __builtin_trap();
}

/// Whatever is accepted is well formed: keys in order, values only where the operator takes them.
void select(std::string_view selector) {
  using loadline::kube::SelectorTerm;
  const auto terms = loadline::kube::parse_selector_terms(selector);
  if (!terms) {
    if (terms.error().message.empty()) __builtin_trap();
    return;
  }
  const std::string_view label = "1";
  std::string_view last;
  for (const SelectorTerm& term : *terms) {
    const bool takes_values = term.op != SelectorTerm::Op::kExists && term.op != SelectorTerm::Op::kDoesNotExist;
    if (term.key < last || term.values.empty() == takes_values) __builtin_trap();
    if (term.op == SelectorTerm::Op::kExists && (!term.matches(label) || term.matches(std::nullopt))) __builtin_trap();
    (void)term.matches(label);
    last = term.key;
  }
}

void read_options(const Query& query) {
  for (const Write write : {Write::kCreate, Write::kUpdate, Write::kPatch, Write::kApply}) {
    want_reason(read_write_options(query, write));
  }
  want_reason(read_delete_options(query));
  for (const bool is_watch : {false, true}) want_reason(read_list_options(query, is_watch));
  want_reason(negotiate(query.get("accept"), query.flag("pretty"), query.has("watch")));
  (void)parse_revision(query.get("resourceVersion"));
  select(query.get("labelSelector"));
  const Answer<ContinueToken> token = decode_continue_token(query.get("continue"));
  want_reason(token);
  if (!token) return;
  const Answer<ContinueToken> again = decode_continue_token(token->encode());
  if (!again || again->revision != token->revision || again->after_name != token->after_name) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos || line == 0) return 0;  // net knows no request without a method
  const auto info = read_request_info(text.substr(0, line), text.substr(line + 1));
  if (!info) {
    if (info.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (info->is_resource && (info->resource.empty() || info->version.empty() || info->verb.empty())) __builtin_trap();
  read_options(info->query);
  return 0;
}
