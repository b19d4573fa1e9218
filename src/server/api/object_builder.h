#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::api {

/// Writes down a JSON object member by member.
///
///   ObjectBuilder().set("kind", "Status").set("code", 404).take()
class ObjectBuilder {
 public:
  ObjectBuilder& set(std::string_view key, document::Value value) {
    members_.push_back({std::string(key), std::move(value), {}});
    return *this;
  }
  ObjectBuilder& set(std::string_view key, std::string_view text) { return set(key, document::Value(text)); }
  ObjectBuilder& set(std::string_view key, const char* text) { return set(key, document::Value(text)); }
  ObjectBuilder& set(std::string_view key, const std::vector<std::string>& texts) {
    document::Array array;
    array.reserve(texts.size());
    for (const std::string& text : texts) array.emplace_back(text);
    return set(key, document::Value(std::move(array)));
  }
  ObjectBuilder& set_if(bool condition, std::string_view key, document::Value value) {
    return condition ? set(key, std::move(value)) : *this;
  }
  /// As Go's omitempty does.
  ObjectBuilder& set_unless_empty(std::string_view key, const std::vector<std::string>& texts) {
    return texts.empty() ? *this : set(key, texts);
  }
  ObjectBuilder& set_unless_empty(std::string_view key, const std::string& text) {
    return text.empty() ? *this : set(key, std::string_view(text));
  }

  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] document::Value take() { return document::Value(std::exchange(members_, {})); }

 private:
  document::Object members_;
};

}  // namespace loadline::api
