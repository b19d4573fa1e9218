#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/kind_number.h"

namespace loadline::kube {

/// A kind that was met and skipped, and how often.
struct SkippedKind {
  std::string api_version;
  std::string kind;
  std::size_t count = 0;
  SourcePosition first;
  std::size_t unplanned = 0;   ///< so many of them make pods that nobody planned
  std::int64_t held_pods = 0;  ///< that they seem to make, as far as that can be told
  std::string held_in = {};    ///< where the first of them has a pod template; empty: it cannot be told
  bool is_guessed = false;     ///< their pods were guessed, and are planned
};

/// Whether there are workloads whose pods nobody planned.
[[nodiscard]] bool has_unplanned(const std::vector<SkippedKind>& skipped);

/// Everything that was read, typed, each kind in the order of reading, which is the order of creation. Knows no kind by
/// name: there is a list for each struct that was asked for.
class Objects {
 public:
  Objects() = default;
  Objects(const Objects& other);
  Objects& operator=(const Objects& other);
  Objects(Objects&&) = default;
  Objects& operator=(Objects&&) = default;
  ~Objects() = default;

  /// The objects of a kind, `of<Pod>()`. O(1).
  template <class Kind>
  [[nodiscard]] std::vector<Kind>& of();
  template <class Kind>
  [[nodiscard]] const std::vector<Kind>& of() const;

  std::vector<SkippedKind> skipped;
  bool is_whole_cluster = false;  ///< an API server was asked for all there is of the kinds that are read

 private:
  struct List {
    List() = default;
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    virtual ~List() = default;
    [[nodiscard]] virtual std::unique_ptr<List> copy() const = 0;
  };
  template <class Kind>
  struct ListOf final : List {
    [[nodiscard]] std::unique_ptr<List> copy() const override {
      auto copied = std::make_unique<ListOf>();
      copied->objects = objects;
      return copied;
    }
    std::vector<Kind> objects;
  };

  std::vector<std::unique_ptr<List>> lists_;  // by the kind's number; null: none of the kind
};

template <class Kind>
std::vector<Kind>& Objects::of() {
  const std::size_t number = kind_number<Kind>();
  if (lists_.size() <= number) lists_.resize(number + 1);
  if (lists_[number] == nullptr) lists_[number] = std::make_unique<ListOf<Kind>>();
  return static_cast<ListOf<Kind>&>(*lists_[number]).objects;
}

template <class Kind>
const std::vector<Kind>& Objects::of() const {
  static const auto& none = *new std::vector<Kind>;
  const std::size_t number = kind_number<Kind>();
  if (lists_.size() <= number || lists_[number] == nullptr) return none;
  return static_cast<const ListOf<Kind>&>(*lists_[number]).objects;
}

}  // namespace loadline::kube
