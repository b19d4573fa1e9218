#include "foundation/document/value.h"

#include <algorithm>
#include <mutex>

#include "foundation/base/contract.h"
#include "foundation/document/reader.h"

namespace loadline::document {

/// Its members stay empty until they are read.
struct Value::UnreadNode : ObjectNode {
  explicit UnreadNode(std::string of) : ObjectNode(Object()), text(std::move(of)) { is_unread = true; }

  void read() {
    std::call_once(once, [this] {
      const Reading reading = read_json(text, {});
      REQUIRES(reading.documents.size() == 1);
      members = reading.documents.front().object();
    });
  }

  std::string text;
  std::once_flag once;
};

Value::Value(std::string text, Mark mark) : mark_(mark), kind_(Kind::kString) {
  payload_.node = new TextNode(std::move(text));
}

Value::Value(std::string_view text, Mark mark) : mark_(mark), kind_(Kind::kString) {
  payload_.node = new TextNode(text);
}

Value::Value(const char* text, Mark mark) : Value(std::string_view(text), mark) {}

Value::Value(Array array, Mark mark) : mark_(mark), kind_(Kind::kArray) {
  payload_.node = new ArrayNode(std::move(array));
}

Value::Value(Object object, Mark mark) : mark_(mark), kind_(Kind::kObject) {
  payload_.node = new ObjectNode(std::move(object));
}

Value Value::null(Mark mark) {
  Value value;
  value.mark_ = mark;
  return value;
}

Value Value::unread(std::string json) {
  REQUIRES(json.size() >= 2 && json.front() == '{' && json.back() == '}');
  Value value;
  value.payload_.node = new UnreadNode(std::move(json));
  value.kind_ = Kind::kObject;
  return value;
}

void Value::release() {
  Node* node = payload_.node;
  // A count of one stays one: no other thread can reach the node any more, so nothing need be written to it.
  const bool is_last =
      node->holders.load(std::memory_order_acquire) == 1 || node->holders.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (!is_last) return;
  if (kind_ == Kind::kString) {
    delete static_cast<TextNode*>(node);
  } else if (kind_ == Kind::kArray) {
    delete static_cast<ArrayNode*>(node);
  } else if (node->is_unread) {
    delete static_cast<UnreadNode*>(node);
  } else {
    delete static_cast<ObjectNode*>(node);
  }
}

double Value::number() const {
  REQUIRES(is_number());
  return is_integer() ? static_cast<double>(integer()) : payload_.number;
}

void Value::read_text() const { static_cast<UnreadNode*>(payload_.node)->read(); }

const std::string* Value::unread_text() const {
  if (!is_object() || !payload_.node->is_unread) return nullptr;
  return &static_cast<const UnreadNode*>(payload_.node)->text;
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : object()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Object& Value::own_members() {
  REQUIRES(is_object() || is_null());
  const bool is_own =
      is_object() && !payload_.node->is_unread && payload_.node->holders.load(std::memory_order_acquire) == 1;
  if (!is_own) *this = Value(is_object() ? object() : Object(), mark_);
  return static_cast<ObjectNode*>(payload_.node)->members;
}

Value& Value::own_member(std::string_view key, Mark mark) {
  Object& members = own_members();
  for (Member& member : members) {
    if (member.key == key) return member.value;
  }
  return members.emplace_back(Member{std::string(key), Value(), mark}).value;
}

Value Value::with(std::string_view key, Value value) const& { return Value(*this).with(key, std::move(value)); }

Value Value::with(std::string_view key, Value value) && {
  const Mark mark = value.mark();
  own_member(key, mark) = std::move(value);
  return std::move(*this);
}

Value Value::without(std::string_view key) const& {
  if (find(key) == nullptr) return *this;
  Object members;
  members.reserve(object().size() - 1);
  for (const Member& member : object()) {
    if (member.key != key) members.push_back(member);
  }
  return Value(std::move(members), mark_);
}

Value Value::without(std::string_view key) && {
  if (find(key) != nullptr) {
    std::erase_if(own_members(), [key](const Member& member) { return member.key == key; });
  }
  return std::move(*this);
}

std::string_view Value::type_name() const {
  if (is_object()) return "object";
  if (is_array()) return "array";
  if (is_string()) return "string";
  if (is_number()) return "number";
  return is_boolean() ? "bool" : "null";
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Value::Kind::kNull:
      return true;
    case Value::Kind::kBoolean:
      return a.payload_.boolean == b.payload_.boolean;
    case Value::Kind::kInteger:
      return a.payload_.integer == b.payload_.integer;
    case Value::Kind::kFloat:
      return a.payload_.number == b.payload_.number;
    case Value::Kind::kString:
      return a.payload_.node == b.payload_.node || a.string() == b.string();
    // What is shared is equal; only what is not needs a walk.
    case Value::Kind::kArray:
      return a.payload_.node == b.payload_.node || a.array() == b.array();
    case Value::Kind::kObject:
      break;
  }
  if (a.payload_.node == b.payload_.node) return true;
  const std::string* text = a.unread_text();
  const std::string* other = b.unread_text();
  return (text != nullptr && other != nullptr && *text == *other) || a.object() == b.object();
}

}  // namespace loadline::document
