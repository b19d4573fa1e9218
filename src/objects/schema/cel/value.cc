#include "objects/schema/cel/value.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "foundation/base/base64.h"
#include "foundation/base/contract.h"
#include "objects/schema/duration.h"

namespace loadline::schema::cel {
namespace {

/// A double as the integer it is exactly, if it is one.
std::optional<std::int64_t> exact(double number) {
  if (!(number >= -9.2233720368547758e18 && number < 9.2233720368547758e18) || std::trunc(number) != number) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_double_integer(double a, std::int64_t b) {
  if (const auto whole = exact(a)) return order(*whole, b);
  return order(a, static_cast<double>(b));
}

int compare_integers(std::int64_t a, std::uint64_t b) { return a < 0 ? -1 : order(static_cast<std::uint64_t>(a), b); }

std::optional<int> compare_numbers(const Value& a, const Value& b) {
  if (const auto* x = a.get<double>()) {
    if (std::isnan(*x)) return std::nullopt;
    if (const auto* y = b.get<double>()) return std::isnan(*y) ? std::nullopt : std::optional(order(*x, *y));
    if (const auto* y = b.get<std::int64_t>()) return compare_double_integer(*x, *y);
    return order(*x, static_cast<double>(*b.get<std::uint64_t>()));
  }
  if (const auto* x = a.get<std::int64_t>()) {
    if (const auto* y = b.get<std::int64_t>()) return order(*x, *y);
    if (const auto* y = b.get<std::uint64_t>()) return compare_integers(*x, *y);
  } else if (b.get<std::uint64_t>() != nullptr) {
    return order(*a.get<std::uint64_t>(), *b.get<std::uint64_t>());
  }
  const auto reversed = compare_numbers(b, a);
  if (!reversed) return std::nullopt;
  return -*reversed;
}

bool is_unordered(const Value& list) {
  const Node* node = list.get<Node>();
  return node != nullptr && node->rules != nullptr &&
         (node->rules->list_type == "set" || node->rules->list_type == "map");
}

bool contains(const Value& list, const Value& element) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list.element(i) == element) return true;
  }
  return false;
}

bool equal_lists(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  const Node* x = a.get<Node>();
  const Node* y = b.get<Node>();
  if (x != nullptr && y != nullptr && &x->value.array() == &y->value.array()) return true;
  const bool unordered = is_unordered(a) || is_unordered(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (unordered ? !contains(b, a.element(i)) : !(a.element(i) == b.element(i))) return false;
  }
  return true;
}

const ValueRules* member_rules(const Node& node, std::string_view name) {
  return node.rules == nullptr ? nullptr : node.rules->member(name);
}

/// Objects of documents have sorted members: a step for each is enough.
bool equal_nodes(const Node& a, const Node& b) {
  const document::Object& x = a.value.object();
  const document::Object& y = b.value.object();
  if (&x == &y) return true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].key != y[i].key) return false;
    const Value of_a = Value::of(x[i].value, member_rules(a, x[i].key));
    if (!(of_a == Value::of(y[i].value, member_rules(b, y[i].key)))) return false;
  }
  return true;
}

bool equal_maps(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  const Node* x = a.get<Node>();
  const Node* y = b.get<Node>();
  if (x != nullptr && y != nullptr) return equal_nodes(*x, *y);
  for (const Value& key : a.keys()) {
    const std::optional<Value> other = b.member(key);
    if (!other || !(*a.member(key) == *other)) return false;
  }
  return true;
}

/// How a property's name is written where identifiers allow no such character: "a-b" is a__dash__b, "in" is __in__.
std::string unescaped(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEscapes{
      {{"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}}};
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    const std::string_view word = name.substr(2, name.size() - 4);
    if (word.find('_') == std::string_view::npos && word != "dot" && word != "dash" && word != "slash" &&
        word != "underscores") {
      return std::string(word);
    }
  }
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    const auto escape = std::find_if(kEscapes.begin(), kEscapes.end(),
                                     [&](const auto& entry) { return name.substr(at).starts_with(entry.first); });
    if (escape == kEscapes.end()) {
      plain += name[at++];
    } else {
      plain += escape->second;
      at += escape->first.size();
    }
  }
  return plain;
}

Value text_value(const std::string& text, const ValueRules* rules) {
  const std::string_view format = rules == nullptr ? "" : std::string_view(rules->format);
  if (format == "date-time" || format == "datetime") {
    if (const auto at = parse_timestamp(text, TimePrecision::kSeconds)) return Value(*at);
  } else if (format == "date") {
    if (const auto at = parse_timestamp(text + "T00:00:00Z", TimePrecision::kSeconds)) return Value(*at);
  } else if (format == "duration") {
    if (const auto span = parse_duration(text)) return Value(*span);
  } else if (format == "byte") {
    if (auto bytes = decode_base64(text)) return Value(Bytes{std::move(*bytes)});
  }
  return Value(text);
}

}  // namespace

Value Value::of(const document::Value& value, const ValueRules* rules) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return Value(value.boolean());
  if (value.is_string()) return text_value(value.string(), rules);
  if (!value.is_number()) return Value(Node{value, rules});
  const std::string_view type = rules == nullptr ? "" : std::string_view(rules->type);
  if (type == "number") return Value(value.number());
  if (value.is_integer()) return Value(value.integer());
  const auto whole = type == "integer" ? exact(value.number()) : std::nullopt;
  return whole ? Value(*whole) : Value(value.number());
}

bool Value::is_number() const {
  return get<std::int64_t>() != nullptr || get<std::uint64_t>() != nullptr || get<double>() != nullptr;
}

bool Value::is_list() const {
  const Node* node = get<Node>();
  return get<List>() != nullptr || (node != nullptr && node->value.is_array());
}

bool Value::is_map() const {
  const Node* node = get<Node>();
  return get<Map>() != nullptr || (node != nullptr && node->value.is_object());
}

std::size_t Value::size() const {
  REQUIRES(is_list() || is_map());
  if (const List* list = get<List>()) return (*list)->size();
  if (const Map* map = get<Map>()) return (*map)->size();
  const document::Value& value = get<Node>()->value;
  return value.is_array() ? value.array().size() : value.object().size();
}

Value Value::element(std::size_t index) const {
  REQUIRES(is_list() && index < size());
  if (const List* list = get<List>()) return (**list)[index];
  const Node& node = *get<Node>();
  return of(node.value.array()[index], node.rules == nullptr ? nullptr : node.rules->items.get());
}

std::vector<Value> Value::keys() const {
  REQUIRES(is_map());
  std::vector<Value> keys;
  if (const Map* map = get<Map>()) {
    for (const auto& entry : **map) keys.push_back(entry.first);
    return keys;
  }
  for (const document::Member& member : get<Node>()->value.object()) keys.emplace_back(member.key);
  return keys;
}

std::optional<Value> Value::member(const Value& key) const {
  if (const Map* map = get<Map>()) {
    for (const auto& [name, value] : **map) {
      if (name == key) return value;
    }
    return std::nullopt;
  }
  const std::string* name = key.get<std::string>();
  if (name == nullptr) return std::nullopt;
  const Node& node = *get<Node>();
  const auto find = [&](std::string_view of_name) -> std::optional<Value> {
    const document::Value* value = node.value.find(of_name);
    if (value == nullptr) return std::nullopt;
    return of(*value, node.rules == nullptr ? nullptr : node.rules->member(of_name));
  };
  if (auto found = find(*name)) return found;
  if (name->find("__") == std::string::npos) return std::nullopt;
  return find(unescaped(*name));
}

std::string_view Value::type_name() const {
  static constexpr std::array<std::string_view, std::variant_size_v<Data>> kNames{"null_type",
                                                                                  "bool",
                                                                                  "int",
                                                                                  "uint",
                                                                                  "double",
                                                                                  "string",
                                                                                  "bytes",
                                                                                  "list",
                                                                                  "map",
                                                                                  "map",
                                                                                  "google.protobuf.Duration",
                                                                                  "google.protobuf.Timestamp",
                                                                                  "kubernetes.Quantity",
                                                                                  "optional_type",
                                                                                  "type"};
  if (is_list()) return "list";
  return kNames[data_.index()];
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.is_list() && b.is_list()) return equal_lists(a, b);
  if (a.is_map() && b.is_map()) return equal_maps(a, b);
  if (a.data_.index() != b.data_.index()) return false;
  if (const Optional* x = a.get<Optional>()) {
    const Optional& y = *b.get<Optional>();
    return x->value == nullptr || y.value == nullptr ? x->value == y.value : *x->value == *y.value;
  }
  if (a.is_null()) return true;
  if (const TypeName* type = a.get<TypeName>()) return *type == *b.get<TypeName>();
  return compare(a, b) == 0;
}

Value list_of(std::vector<Value> elements) {
  return Value(std::make_shared<const std::vector<Value>>(std::move(elements)));
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (const auto *x = a.get<bool>(), *y = b.get<bool>(); x != nullptr && y != nullptr) return order(*x, *y);
  if (const auto *x = a.get<std::string>(), *y = b.get<std::string>(); x != nullptr && y != nullptr) {
    return order(*x, *y);
  }
  if (const auto *x = a.get<Bytes>(), *y = b.get<Bytes>(); x != nullptr && y != nullptr)
    return order(x->bytes, y->bytes);
  if (const auto *x = a.get<loadline::Duration>(), *y = b.get<loadline::Duration>(); x != nullptr && y != nullptr) {
    return order(*x, *y);
  }
  if (const auto *x = a.get<Quantity>(), *y = b.get<Quantity>(); x != nullptr && y != nullptr) {
    return order(*x, *y);
  }
  if (const auto *x = a.get<Timestamp>(), *y = b.get<Timestamp>(); x != nullptr && y != nullptr) {
    return order(std::pair(x->seconds, x->nanoseconds), std::pair(y->seconds, y->nanoseconds));
  }
  return std::nullopt;
}

}  // namespace loadline::schema::cel
