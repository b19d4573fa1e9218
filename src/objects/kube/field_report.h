#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// Collects broken rules in the words of apimachinery's field.Error. `hint` is ours.
class FieldReport {
 public:
  void required(const Path& at, std::string_view detail = {}, std::string hint = {});
  void invalid(const Path& at, std::string_view value, std::string_view detail, std::string hint = {});
  void invalid(const Path& at, std::int64_t value, std::string_view detail, std::string hint = {});
  /// For values that Go prints as JSON: maps, structs.
  void invalid_json(const Path& at, std::string_view json, std::string_view detail, std::string hint = {});
  /// One error for each problem.
  void invalid_name(const Path& at, std::string_view name, const NameProblems& problems);
  void unsupported(const Path& at, std::string_view value, std::initializer_list<std::string_view> supported,
                   std::string hint = {});
  void unsupported(const Path& at, std::string_view value, const std::vector<std::string>& supported);
  void unsupported_json(const Path& at, std::string_view json, std::initializer_list<std::string_view> supported);
  void duplicate(const Path& at, std::string_view value);
  void duplicate_json(const Path& at, std::string_view json, std::string_view detail);
  void not_found(const Path& at, std::string_view value, std::string_view detail);
  void forbidden(const Path& at, std::string_view detail, std::string hint = {});
  void too_many(const Path& at, std::size_t count, std::size_t most);
  void too_long(const Path& at, std::size_t most_bytes);
  void not_negative(const Path& at, std::int64_t value);

  [[nodiscard]] std::size_t size() const { return errors_.size(); }
  [[nodiscard]] FieldErrors take() { return std::move(errors_); }

 private:
  void add(const Path& at, std::string message, std::string_view detail, std::string hint);

  FieldErrors errors_;
};

}  // namespace loadline::kube
