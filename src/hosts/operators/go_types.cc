#include "hosts/operators/go_types.h"

#include "foundation/base/contract.h"
#include "objects/schema/conform.h"
#include "objects/schema/published.h"

namespace loadline::operators {
namespace {

using document::Value;

/// `written` with what `part` has besides: a webhook changes and adds, and removes nothing.
Value with_what_it_had(const Value& part, Value written) {
  if (part.is_object() && written.is_object()) {
    for (const document::Member& member : part.object()) {
      const Value* now = written.find(member.key);
      written =
          std::move(written).with(member.key, now == nullptr ? member.value : with_what_it_had(member.value, *now));
    }
    return written;
  }
  if (!part.is_array() || !written.is_array() || part.array().size() != written.array().size()) return written;
  document::Array items;
  for (std::size_t i = 0; i < part.array().size(); ++i) {
    items.push_back(with_what_it_had(part.array()[i], written.array()[i]));
  }
  return Value(std::move(items));
}

}  // namespace

Value as_go_completes(const Value& part, std::string_view type) {
  const schema::Type* found = schema::find_built_in(type);
  REQUIRES(found != nullptr);
  const schema::Conformed conformed = schema::conform(part, *found);
  return conformed.error.empty() ? with_what_it_had(part, conformed.value) : part;
}

}  // namespace loadline::operators
