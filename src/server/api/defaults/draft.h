#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/type.h"

namespace loadline::api {

/// An object that is being filled in: copied when something changes, shared as it was if nothing does.
/// New members go where Go's struct has them, if those present are in that order.
class Draft {
 public:
  /// `value` is an object, or anything else, which counts as an empty one. Both must outlive the draft.
  Draft(const schema::Type& type, const document::Value& value) : Draft(type, &value) {}

  [[nodiscard]] const schema::Type& type() const { return type_; }

  /// The member, or null if it is absent or a JSON null. Valid until the next change.
  [[nodiscard]] const document::Value* find(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] bool is_true(std::string_view name) const;
  /// Elements or members of the member; 0 if it is no list or map.
  [[nodiscard]] std::size_t count(std::string_view name) const;

  void set(std::string_view name, document::Value value);
  void erase(std::string_view name);
  /// Sets the member unless it is there. What is no pointer in Go is not there either if it is zero.
  void set_missing(std::string_view name, document::Value value);

  /// Edits the object in a member, which comes into being if the change fills it: `change(Draft&)`.
  template <class Change>
  void edit(std::string_view name, const Change& change) {
    const schema::Field* field = type_.find(name);
    if (field == nullptr || field->type->form != schema::Form::kObject) return;
    Draft draft(*field->type, find(name));
    change(draft);
    if (draft.changed()) set(name, draft.value());
  }

  /// Edits each of the objects in a list.
  template <class Change>
  void edit_elements(std::string_view name, const Change& change) {
    const schema::Field* field = type_.find(name);
    const document::Value* list = find(name);
    if (field == nullptr || list == nullptr || !list->is_array()) return;
    if (field->type->element == nullptr || field->type->element->form != schema::Form::kObject) return;
    std::optional<document::Array> edited;
    for (std::size_t i = 0; i < list->array().size(); ++i) {
      Draft draft(*field->type->element, list->array()[i]);
      change(draft);
      if (!draft.changed()) continue;
      if (!edited) edited = list->array();
      (*edited)[i] = draft.value();
    }
    if (edited) set(name, document::Value(std::move(*edited)));
  }

  [[nodiscard]] bool changed() const { return changed_.has_value(); }
  /// The object as it is now; ends the draft.
  [[nodiscard]] document::Value value();
  /// The object as it is now; the draft goes on.
  [[nodiscard]] document::Value copy() const;

 private:
  Draft(const schema::Type& type, const document::Value* value) : type_(type), original_(value) {}
  document::Object& writable();

  const schema::Type& type_;
  const document::Value* original_;  // null: there was none
  std::optional<document::Object> changed_;
  std::vector<std::size_t> order_;  // of the members in changed_
};

}  // namespace loadline::api
