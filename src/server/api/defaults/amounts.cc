#include "server/api/defaults/amounts.h"

#include <string>
#include <utility>

#include "objects/kube/scalars.h"

namespace loadline::api {
namespace {

using document::Value;

/// Whether a quantity's text may say less than a thousandth; nearly none does.
bool may_be_fine(const std::string& text) {
  return !text.empty() && (text.back() == 'n' || text.back() == 'u' || text.find_first_of(".eE") != std::string::npos);
}

}  // namespace

bool shares(const Value& a, const Value& b) {
  if (a.is_object() && b.is_object()) return &a.object() == &b.object();
  if (a.is_array() && b.is_array()) return &a.array() == &b.array();
  return a == b;
}

std::optional<Value> rounded_amounts(const Value& amounts) {
  if (!amounts.is_object()) return std::nullopt;
  std::optional<document::Object> changed;
  for (std::size_t i = 0; i < amounts.object().size(); ++i) {
    const Value& amount = amounts.object()[i].value;
    if (!amount.is_string() || !may_be_fine(amount.string())) continue;
    const auto quantity = kube::Quantity::parse(amount.string());
    if (!quantity || quantity->is_whole_milli()) continue;
    if (!changed) changed = amounts.object();
    (*changed)[i].value = Value(quantity->rounded_to_milli().to_string());
  }
  if (!changed) return std::nullopt;
  return Value(std::move(*changed));
}

}  // namespace loadline::api
