#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/object.h"

namespace loadline::apiserver {

/// Who owns whom, by metadata.ownerReferences: an index from owners to dependents. About 150 bytes a dependent, nothing
/// for objects without owners.
class Ownership {
 public:
  /// A uid, hashed: nothing is deleted on its word alone.
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
  struct ByName {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return less(object_of(a), object_of(b));
    }
    static const store::Object& object_of(const std::unique_ptr<Dependent>& dependent) { return *dependent->object; }
    static const store::Object& object_of(const store::Object& object) { return object; }
    static bool less(const store::Object& a, const store::Object& b);
  };

 public:
  /// By resource, namespace and name: what is deleted first is not left to where it lies in memory.
  struct InOrder {
    bool operator()(const Dependent* a, const Dependent* b) const { return ByName::less(*a->object, *b->object); }
  };
  using Dependents = std::set<const Dependent*, InOrder>;

  /// Takes an object's owners; returns those that it had. O(log dependents + owners).
  std::vector<Owner> set(const store::ObjectPtr& object, std::vector<Owner> owners);

  [[nodiscard]] const Dependents& dependents(Uid owner) const;
  [[nodiscard]] bool has_blocking_dependents(Uid owner) const;

 private:
  void unlink(Dependent& dependent);

  std::set<std::unique_ptr<Dependent>, ByName> all_;  // objects of the same name take each other's place
  std::unordered_map<Uid, Dependents> by_owner_;
};

}  // namespace loadline::apiserver
