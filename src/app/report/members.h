#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// Builds an object of a machine format member by member.
class Members {
 public:
  Members& add(std::string key, document::Value value) {
    object_.push_back({std::move(key), std::move(value), {}});
    return *this;
  }
  /// Nothing if the text is empty.
  Members& add_text(std::string key, std::string_view text) {
    return text.empty() ? *this : add(std::move(key), document::Value(text));
  }
  Members& add_list(std::string key, document::Array array) {
    return array.empty() ? *this : add(std::move(key), document::Value(std::move(array)));
  }
  [[nodiscard]] bool empty() const { return object_.empty(); }
  document::Value finish() { return document::Value(std::move(object_)); }

 private:
  document::Object object_;
};

/// {kind, namespace, name}
inline document::Value workload_value(const simulator::WorkloadName& name) {
  return Members()
      .add("kind", document::Value(name.kind))
      .add_text("namespace", name.name_space)
      .add("name", document::Value(name.name))
      .finish();
}

inline document::Value number(std::size_t count) { return document::Value(static_cast<std::int64_t>(count)); }

/// Whole seconds as an integer, anything else as a fraction.
inline document::Value seconds_value(Duration span) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (span.nanoseconds % kSecond == 0) return document::Value(span.nanoseconds / kSecond);
  return document::Value(static_cast<double>(span.nanoseconds) / static_cast<double>(kSecond));
}

}  // namespace loadline::report
