#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "foundation/base/base64.h"
#include "server/api/defaults/amounts.h"
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
  name_space.edit("status", [](Draft& status) { status.set_missing("phase", Value("Active")); });
}

void fill_node_status(Draft& status, Instant) {
  if (status.find("allocatable") != nullptr) return;
  if (const Value* capacity = status.find("capacity")) status.set("allocatable", Value(*capacity));
}

void fill_persistent_volume(Draft& volume, Instant) {
  volume.edit("spec", [](Draft& spec) {
    spec.set_missing("persistentVolumeReclaimPolicy", Value("Retain"));
    spec.set_missing("volumeMode", Value("Filesystem"));
  });
  volume.edit("status", [](Draft& status) { status.set_missing("phase", Value("Pending")); });
}

void fill_persistent_volume_claim(Draft& claim, Instant) {
  claim.edit("status", [](Draft& status) { status.set_missing("phase", Value("Pending")); });
}

/// Limits default to the most that is allowed; requests to limits, then to the least that is allowed.
void fill_limit_range_item(Draft& item, Instant) {
  if (item.text("type") != "Container") return;
  const auto take = [&item](std::string_view field, std::string_view from) {
    auto amounts = with_missing_amounts(item.find(field), item.find(from));
    if (amounts) item.set(field, std::move(*amounts));
  };
  take("default", "max");
  take("defaultRequest", "default");
  take("defaultRequest", "min");
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
    DefaultRule{"io.k8s.api.core.v1.NodeStatus", fill_node_status},
    DefaultRule{"io.k8s.api.core.v1.PersistentVolume", fill_persistent_volume},
    DefaultRule{"io.k8s.api.core.v1.PersistentVolumeClaim", fill_persistent_volume_claim},
    DefaultRule{"io.k8s.api.core.v1.LimitRangeItem", fill_limit_range_item},
    DefaultRule{"io.k8s.api.core.v1.Secret", fill_secret},
};

}  // namespace

std::span<const DefaultRule> core_rules() { return kCoreRules; }

}  // namespace loadline::api
