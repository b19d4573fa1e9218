#include "objects/kube/member_defaults.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/diagnostic.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

using document::Value;

MemberDefaults::MemberDefaults(const Schema& schema, std::span<const Field> fields)
    : defaults_(schema.published(), [&](const schema::FieldChain& chain) { return member_at(schema, chain).is_kept; }) {
  for (const auto& row : defaults_.rows()) {
    Member& member = members_.emplace_back(member_at(schema, row.path));
    const auto field = std::ranges::find(fields, std::string_view(row.path.front()->name), &Field::name);
    if (row.path.size() > 1 || field == fields.end()) continue;
    const std::uint64_t bit = std::uint64_t{1} << (field - fields.begin());
    if (!row.path.front()->is_pointer) filled_if_empty_ |= bit;
    const bool may_change = std::holds_alternative<schema::EntriesOf>(row.field->value) ||
                            std::holds_alternative<schema::MirrorOf>(row.field->value);
    if (!may_change) member.answer = bit;
  }
}

MemberDefaults::Member MemberDefaults::member_at(const Schema& schema, const schema::FieldChain& chain) {
  Member member;
  const Schema* at = &schema;
  for (const schema::Field* field : chain) {
    const auto row = std::ranges::find(at->rows_, std::string_view(field->name), &Field::name);
    if (row == at->rows_.end()) return {};
    if (field == chain.back()) {
      member.field = at->completed(*field);
      member.is_kept = row->is_part || row->decode != nullptr;
      return member;
    }
    if (row->type.schema == nullptr || (!row->is_part && row->inside == nullptr)) return {};
    if (!row->is_part) member.way.push_back(row->inside);
    at = row->type.schema;
  }
  return member;
}

void MemberDefaults::fill(Decoder& decoder, const Value& object, std::uint64_t told, const Path& path,
                          void* owner) const {
  if (decoder.problems() == 0) {
    std::uint64_t open = 0;
    for (std::size_t row = 0; row < members_.size(); ++row) {
      if ((members_[row].answer & told) == 0) open |= std::uint64_t{1} << row;
    }
    if (open == 0) return;
    for (const auto& missing : defaults_.missing_in(object, nullptr, open)) set(decoder, missing, path, owner);
    return;
  }
  const auto is_unreadable = [&](const schema::FieldChain& chain) {
    std::string place = path.text();
    for (const schema::Field* field : chain) place += (place.empty() ? "" : ".") + field->name;
    return decoder.unreadable(place);
  };
  // What one field said wrongly is not reported again where another one takes it over.
  Diagnostics repeated;
  Decoder quiet(repeated, std::make_shared<const std::string>(), {}, Severity::kError);
  for (const auto& missing : defaults_.missing_in(object, is_unreadable)) set(quiet, missing, path, owner);
}

void MemberDefaults::set(Decoder& decoder, const schema::MissingField& missing, const Path& path, void* owner) const {
  const Member& member = members_[missing.row];
  if (!member.is_kept) return;
  for (const Field::Inside inside : member.way) owner = inside(owner);
  decode_member(decoder, missing.value, path, member.field, owner);
}

}  // namespace loadline::kube
