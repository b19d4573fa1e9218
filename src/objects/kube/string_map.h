#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace loadline::kube {

/// A map from names to texts, ordered by name: labels, annotations, data. Its copies share one map until one of them is
/// changed, so the labels of a template and of its ten thousand pods are in memory once, and a copy is found equal
/// without a look at its members. It is used as a std::map is, but that members change by name only: its iterators are
/// constant. Copies can be used by different threads; one and the same cannot be changed by one thread and read by
/// another.
class StringMap {
 public:
  using Members = std::map<std::string, std::string, std::less<>>;
  using key_type = std::string;
  using mapped_type = std::string;
  using value_type = Members::value_type;
  using size_type = Members::size_type;
  using const_iterator = Members::const_iterator;
  using iterator = const_iterator;

  StringMap() = default;
  explicit StringMap(Members members) { assign(std::move(members)); }
  StringMap(std::initializer_list<value_type> members) : StringMap(Members(members)) {}
  template <class Iterator>
  StringMap(Iterator first, Iterator last) : StringMap(Members(first, last)) {}

  [[nodiscard]] const Members& members() const { return members_ == nullptr ? no_members() : *members_; }
  [[nodiscard]] const_iterator begin() const { return members().begin(); }
  [[nodiscard]] const_iterator end() const { return members().end(); }
  [[nodiscard]] bool empty() const { return members_ == nullptr || members_->empty(); }
  [[nodiscard]] size_type size() const { return members().size(); }
  [[nodiscard]] const_iterator find(std::string_view name) const { return members().find(name); }
  [[nodiscard]] bool contains(std::string_view name) const { return members().contains(name); }
  [[nodiscard]] size_type count(std::string_view name) const { return members().count(name); }
  [[nodiscard]] const_iterator lower_bound(std::string_view name) const { return members().lower_bound(name); }
  /// Throws std::out_of_range, as std::map does.
  [[nodiscard]] const std::string& at(const std::string& name) const { return members().at(name); }

  std::string& operator[](const std::string& name) { return own()[name]; }
  std::string& operator[](std::string&& name) { return own()[std::move(name)]; }
  template <class... Arguments>
  std::pair<const_iterator, bool> emplace(Arguments&&... arguments) {
    return own().emplace(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  std::pair<const_iterator, bool> try_emplace(std::string name, Arguments&&... arguments) {
    return own().try_emplace(std::move(name), std::forward<Arguments>(arguments)...);
  }
  template <class Text>
  std::pair<const_iterator, bool> insert_or_assign(std::string name, Text&& text) {
    return own().insert_or_assign(std::move(name), std::forward<Text>(text));
  }
  std::pair<const_iterator, bool> insert(value_type member) { return own().insert(std::move(member)); }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    if (first != last) own().insert(first, last);
  }
  /// How many there were: 0 or 1. What is shared and lacks that name stays shared.
  size_type erase(std::string_view name) {
    if (!contains(name)) return 0;
    Members& members = own();
    members.erase(members.find(name));
    return 1;
  }
  void clear() { members_ = nullptr; }

  friend bool operator==(const StringMap& a, const StringMap& b) {
    return a.members_ == b.members_ || a.members() == b.members();
  }
  friend std::strong_ordering operator<=>(const StringMap& a, const StringMap& b) {
    return a.members_ == b.members_ ? std::strong_ordering::equal : a.members() <=> b.members();
  }

 private:
  static const Members& no_members() {
    static const Members& none = *new Members();
    return none;
  }
  void assign(Members members) {
    if (!members.empty()) members_ = std::make_shared<Members>(std::move(members));
  }
  /// The members, shared with no copy.
  Members& own() {
    if (members_ == nullptr) {
      members_ = std::make_shared<Members>();
    } else if (members_.use_count() != 1) {
      members_ = std::make_shared<Members>(*members_);
    } else {
      std::atomic_thread_fence(std::memory_order_acquire);  // after the last read through a copy that is gone
    }
    return *members_;
  }

  std::shared_ptr<Members> members_;  // null: none
};

}  // namespace loadline::kube
