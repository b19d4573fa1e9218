#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"

namespace loadline::store {

/// The number of a write. One sequence for all resources; it only grows. An empty store is at 1, so that 0 can mean
/// "none".
using Revision = std::int64_t;

/// What names an object.
struct Key {
  std::string resource;    ///< "pods", "widgets.example.com"
  std::string name_space;  ///< empty: cluster scope
  std::string name;

  friend auto operator<=>(const Key&, const Key&) = default;
};

/// What the owner of the store derives from an object once and keeps with it: labels, field values, a typed view.
struct Derived {
  virtual ~Derived() = default;
};

/// Keeps the documents that were parsed last alive, up to a number of bytes of text: a parsed document takes several
/// times its text, so only what is in use may stay parsed.
class RecentDocuments {
 public:
  struct Slot {
    document::Value document;
    std::size_t text_bytes = 0;  ///< 0: let go
    bool is_kept = false;        ///< by RecentDocuments; if not, an event that watches have not been told of keeps it
  };

  explicit RecentDocuments(std::size_t text_bytes) : limit_(text_bytes) {}

  void keep(std::shared_ptr<Slot> slot);
  /// Makes room for others: that document will not be asked for again.
  void let_go(Slot& slot);

 private:
  std::deque<std::shared_ptr<Slot>> slots_;
  std::size_t kept_ = 0;
  std::size_t empty_ = 0;  // of slots_
  std::size_t limit_;
};

/// One version of an object: immutable, shared by the store, its history, watchers and answers under way.
/// It costs about 200 bytes over its text. Its caches belong to the event loop's thread.
class Object {
 public:
  /// `recent` may be null: then documents live as long as their users keep them.
  Object(const Key& key, Revision revision, Revision created, std::string_view text,
         std::shared_ptr<RecentDocuments> recent = nullptr);

  [[nodiscard]] std::string_view resource() const { return part(0, resource_size_); }
  [[nodiscard]] std::string_view name_space() const { return part(resource_size_, name_space_size_); }
  [[nodiscard]] std::string_view name() const { return part(resource_size_ + name_space_size_, name_size_); }
  [[nodiscard]] Key key() const;

  [[nodiscard]] Revision revision() const { return revision_; }  ///< of the write that made this version
  [[nodiscard]] Revision created() const { return created_; }    ///< of the write that made the object's first version

  /// JSON exactly as it is served, with its resourceVersion inside.
  [[nodiscard]] std::string_view text() const { return std::string_view(bytes_).substr(key_size()); }

  /// The text, parsed; null if it is no JSON. Parsed on first use, and again after newer documents pushed it out.
  [[nodiscard]] document::Value document() const;

  /// Spares the first parsing: for a caller that wrote the text from a document.
  void set_document(document::Value document) const;
  /// There is a newer version, and all watches have been told of it: what was made of this one is made again for a
  /// caller that still asks.
  void let_go_of_caches() const;

  /// The document if it is parsed now; else null, and nothing is parsed.
  [[nodiscard]] document::Value parsed_document() const;

  /// Keeps the document parsed, if it is, as long as what is returned lives.
  [[nodiscard]] std::shared_ptr<const void> pin_document() const { return document_.lock(); }

  /// What it takes as long as it lives, but for its caches.
  [[nodiscard]] std::size_t memory() const { return sizeof(Object) + bytes_.capacity(); }

  [[nodiscard]] const std::shared_ptr<const Derived>& derived() const { return derived_; }
  void set_derived(std::shared_ptr<const Derived> derived) const { derived_ = std::move(derived); }

 private:
  [[nodiscard]] std::size_t key_size() const { return std::size_t{resource_size_} + name_space_size_ + name_size_; }
  [[nodiscard]] std::string_view part(std::size_t begin, std::size_t size) const {
    return std::string_view(bytes_).substr(begin, size);
  }

  std::string bytes_;  // resource, namespace, name, text: one allocation for all of them
  Revision revision_;
  Revision created_;
  std::uint32_t resource_size_;
  std::uint32_t name_space_size_;
  std::uint32_t name_size_;
  std::shared_ptr<RecentDocuments> recent_;
  mutable std::weak_ptr<RecentDocuments::Slot> document_;
  mutable std::shared_ptr<const Derived> derived_;
};

using ObjectPtr = std::shared_ptr<const Object>;

}  // namespace loadline::store
