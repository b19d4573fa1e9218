#include "objects/kube/fragment.h"

#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "objects/kube/registry.h"

namespace loadline::kube {

using document::Member;
using document::Value;

namespace {

constexpr std::size_t kShownCharacters = 120;

/// True if every member of `object` is a field of `schema`, and likewise in the object called `spec`.
bool fits(const Value& object, const Schema& schema) {
  for (const Member& member : object.object()) {
    const Field* row = schema.find(member.key);
    if (row == nullptr) return false;
    if (member.key != "spec" || !member.value.is_object() || row->type.schema == nullptr) continue;
    if (!fits(member.value, *row->type.schema)) return false;
  }
  return true;
}

std::string type_lines(const KindInfo& info) {
  return "\"apiVersion: " + std::string(info.api_version) + "\", \"kind: " + std::string(info.kind) + "\"";
}

bool may_be(const KindInfo& info, std::string_view api_version) {
  // What fields a custom object has is known only when its definition is read.
  return !info.is_custom && (api_version.empty() || info.api_version == api_version);
}

std::string a(std::string_view kind) { return "a " + std::string(kind); }

}  // namespace

std::string missing_type_message(const Value& document, std::string_view kind) {
  std::string text = document::write_json(document);
  if (text.size() > kShownCharacters) {
    std::size_t end = kShownCharacters;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text = text.substr(0, end) + "...";
  }
  return std::string("Object '") + (kind.empty() ? "Kind" : "apiVersion") + "' is missing in '" + text + "'";
}

Guess guess_kind(const Value& document, std::string_view api_version) {
  for (const KindInfo& info : known_kinds()) {
    if (may_be(info, api_version) && fits(document, *info.schema)) return {&info, false};
  }
  for (const KindInfo& info : known_kinds()) {
    const Field* spec = info.schema->find("spec");
    if (!may_be(info, api_version) || spec == nullptr || spec->type.schema == nullptr) continue;
    if (fits(document, *spec->type.schema)) return {&info, true};
  }
  return {};
}

std::string missing_type_hint(const Value& document, const Guess& guess, std::string_view kind) {
  if (!kind.empty()) {
    const KindInfo* info = find_kind(kind);
    return info == nullptr ? "add \"apiVersion:\"" : "add \"apiVersion: " + std::string(info->api_version) + "\"";
  }
  if (guess.kind == nullptr) return "an object begins with \"apiVersion\" and \"kind\"";
  if (guess.is_spec) {
    return "this looks like a piece of " + a(guess.kind->kind) +
           ": its fields belong below \"spec:\" of an object with " + type_lines(*guess.kind) + " and \"metadata:\"";
  }
  std::string hint = "this looks like " + a(guess.kind->kind) + ": add " + type_lines(*guess.kind);
  if (document.find("metadata") == nullptr) hint += " and \"metadata:\" with a name";
  return hint;
}

}  // namespace loadline::kube
