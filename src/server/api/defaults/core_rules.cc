#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "foundation/base/base64.h"
#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

using document::Value;

/// Selectors of namespaces rely on a label with the name.
void fill_namespace(Draft& name_space, Instant) {
  const Value* metadata = name_space.find("metadata");
  const Value* name = metadata == nullptr ? nullptr : metadata->find("name");
  if (name != nullptr && name->is_string() && !name->string().empty()) {
    name_space.edit("metadata", [label = Value(*name)](Draft& draft) {
      const Value* labels = draft.find("labels");
      document::Object members = labels != nullptr && labels->is_object() ? labels->object() : document::Object();
      constexpr std::string_view kKey = "kubernetes.io/metadata.name";
      const auto member = std::ranges::lower_bound(members, kKey, {}, &document::Member::key);
      const auto same = std::ranges::find(members, kKey, &document::Member::key);
      if (same != members.end() && same->value == label) return;
      if (same != members.end()) {
        same->value = label;
      } else {
        members.insert(member, {std::string(kKey), label, {}});
      }
      draft.set("labels", Value(std::move(members)));
    });
  }
}

/// stringData is there to be written only; it wins over data.
void fill_secret(Draft& secret, Instant) {
  const Value* texts = secret.find("stringData");
  if (texts == nullptr || !texts->is_object()) return;
  const Value* data = secret.find("data");
  document::Object merged = data != nullptr && data->is_object() ? data->object() : document::Object();
  for (const document::Member& text : texts->object()) {
    if (!text.value.is_string()) continue;
    std::erase_if(merged, [&text](const document::Member& member) { return member.key == text.key; });
    merged.push_back({text.key, Value(encode_base64(text.value.string())), {}});
  }
  std::ranges::sort(merged, {}, &document::Member::key);
  if (!merged.empty()) secret.set("data", Value(std::move(merged)));
  secret.erase("stringData");
}

constexpr std::array kCoreRules = {
    DefaultRule{"io.k8s.api.core.v1.Namespace", fill_namespace},
    DefaultRule{"io.k8s.api.core.v1.Secret", fill_secret},
};

}  // namespace

std::span<const DefaultRule> core_rules() { return kCoreRules; }

}  // namespace loadline::api
