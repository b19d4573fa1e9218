#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "server/store/object.h"

namespace loadline::apiserver {

/// Owners and dependents, by metadata.ownerReferences: an index from owners to dependents. About 150 bytes a dependent,
/// nothing for objects without owners.
class Ownership {
 public:
  /// A hash of a uid. Two uids may share one, so nothing is deleted because of it alone.
  using Uid = std::uint64_t;
  static Uid uid(std::string_view text) { return std::hash<std::string_view>()(text); }

  struct Owner {
    Uid uid = 0;
    bool is_blocked = false;  ///< blockOwnerDeletion: deleted in the foreground, it waits for this dependent
    friend bool operator==(const Owner&, const Owner&) = default;
  };

  struct Dependent {
    store::ObjectPtr object;
    std::vector<Owner> owners;
  };

 private:
  // Finding one costs one look: an ordered set would compare names that have much in common a dozen times, for each
  // change of each object.
  struct ByName {
    using is_transparent = void;
    std::size_t operator()(const store::Object& object) const;
    std::size_t operator()(const std::unique_ptr<Dependent>& dependent) const { return (*this)(*dependent->object); }
    bool operator()(const store::Object& a, const store::Object& b) const;
    bool operator()(const store::Object& a, const std::unique_ptr<Dependent>& b) const {
      return (*this)(a, *b->object);
    }
    template <class B>
    bool operator()(const std::unique_ptr<Dependent>& a, const B& b) const {
      return (*this)(*a->object, b);
    }
  };

 public:
  /// By resource, namespace and name: what is deleted first is not left to where it lies in memory.
  struct InOrder {
    bool operator()(const Dependent* a, const Dependent* b) const;
  };
  using Dependents = std::set<const Dependent*, InOrder>;

  /// Takes an object's owners; returns those that it had. O(1) if they stay, else O(owners · log dependents).
  std::vector<Owner> set(const store::ObjectPtr& object, std::vector<Owner> owners);

  [[nodiscard]] const Dependents& dependents(Uid owner) const;
  [[nodiscard]] bool has_blocking_dependents(Uid owner) const;

 private:
  void unlink(Dependent& dependent);

  std::unordered_set<std::unique_ptr<Dependent>, ByName, ByName>
      all_;  // objects of the same name take each other's place
  std::unordered_map<Uid, Dependents> by_owner_;
};

}  // namespace loadline::apiserver
