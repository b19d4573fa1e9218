#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linearizability/linearization.h"

namespace loadline::linearizability {

/// What all clients asked and were told, by object, with moments that count requests and answers.
class History {
 public:
  explicit History(std::size_t objects) : of_(objects) {}

  /// Names an operation for later.
  struct Place {
    std::size_t object = 0;
    std::size_t index = 0;
  };

  Place request(std::size_t object, Operation operation) {
    operation.requested = ++now_;
    of_[object].push_back(std::move(operation));
    return {object, of_[object].size() - 1};
  }
  Operation& at(Place place) { return of_[place.object][place.index]; }
  void answer(Place place) { at(place).answered = ++now_; }

  /// The server has ended: it did what it had not answered before now, or never.
  void end_of_life() {
    ++now_;
    for (std::vector<Operation>& operations : of_) {
      for (Operation& operation : operations) {
        if (!operation.is_known() && operation.until == kNever) operation.until = now_;
      }
    }
    ++now_;
  }

  /// A value that no client has written before.
  std::string new_value() { return "v" + std::to_string(++values_); }

  [[nodiscard]] std::size_t objects() const { return of_.size(); }
  [[nodiscard]] const std::vector<Operation>& of(std::size_t object) const { return of_[object]; }

 private:
  std::vector<std::vector<Operation>> of_;
  std::uint64_t now_ = 0;
  std::uint64_t values_ = 0;
};

/// "o2".
inline std::string object_name(std::size_t object) { return "o" + std::to_string(object); }
inline constexpr const char* kCollection = "/api/v1/namespaces/default/configmaps";

}  // namespace loadline::linearizability
