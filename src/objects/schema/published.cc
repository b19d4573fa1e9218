#include "objects/schema/published.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/reader.h"
#include "objects/schema/embedded.h"
#include "objects/schema/go_type.h"

namespace loadline::schema {
namespace {

using document::Value;

constexpr std::array<std::pair<std::string_view, Form>, 13> kForms = {{
    {"any", Form::kAny},
    {"string", Form::kString},
    {"bytes", Form::kBytes},
    {"int32", Form::kInt32},
    {"int64", Form::kInt64},
    {"number", Form::kNumber},
    {"boolean", Form::kBoolean},
    {"quantity", Form::kQuantity},
    {"intOrString", Form::kIntOrString},
    {"time", Form::kTime},
    {"microTime", Form::kMicroTime},
    {"duration", Form::kDuration},
    {"rawObject", Form::kRawObject},
}};

std::optional<Form> form_of(std::string_view word) {
  if (word == "fieldsV1") return Form::kFieldsV1;
  for (const auto& [name, form] : kForms) {
    if (name == word) return form;
  }
  return std::nullopt;
}

/// The text up to the next separator; takes both from the front of `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

bool strip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::uint32_t to_number(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Makes the types of one text.
class TypeReader {
 public:
  TypeReader(Published& published, const Published* others) : published_(published), others_(others) {}

  void read(const document::Object& rows) {
    std::vector<Type*> types;
    for (const document::Member& row : rows) types.push_back(&add_named(row.key, row.value));
    for (std::size_t i = 0; i < rows.size(); ++i) read_fields(*types[i], rows[i].value);
    published_.types = std::move(types_);
  }

 private:
  Type& add_named(const std::string& name, const Value& row) {
    Type& type = types_->add();
    type.name = name;
    const Value* form = row.find("form");
    type.form = form == nullptr ? Form::kObject : form_of(form->string()).value_or(Form::kAny);
    type.is_atomic = row.find("atomic") != nullptr;
    published_.types_by_name.emplace(name, &type);
    if (const Value* kinds = row.find("kinds")) {
      for (const Value& kind : kinds->array()) published_.types_by_kind.emplace(kind.string(), name);
    }
    return type;
  }

  void read_fields(Type& type, const Value& row) {
    const Value* fields = row.find("fields");
    if (fields == nullptr) return;
    type.fields.reserve(fields->array().size());
    for (const Value& words : fields->array()) type.fields.push_back(read_field(words.string()));
  }

  Field read_field(std::string_view words) {
    Field field;
    field.name = cut(words, ' ');
    const std::string_view expression = cut(words, ' ');
    std::string_view list;
    bool is_atomic = false;
    while (!words.empty()) {
      if (strip_prefix(words, "default=")) {
        document::Reading initial = document::read_json(words, "default");
        REQUIRES(initial.documents.size() == 1);
        field.initial = initial.documents.front();
        break;
      }
      std::string_view word = cut(words, ' ');
      if (strip_prefix(word, "#")) {
        read_numbers(word, field);
      } else if (strip_prefix(word, "list=")) {
        list = word;
      } else if (word == "atomic") {
        is_atomic = true;
      } else {
        read_flag(word, field);
      }
    }
    field.type = type_of(expression, list, is_atomic);
    if (field.initial.is_null() && !field.is_pointer && !field.omits_empty) field.initial = openapi_zero(*field.type);
    return field;
  }

  static void read_numbers(std::string_view path, Field& field) {
    std::array<std::uint32_t, 3> numbers{};
    std::size_t count = 0;
    while (!path.empty() && count < numbers.size()) numbers[count++] = to_number(cut(path, '/'));
    REQUIRES(path.empty() && count > 0);
    field.tag = numbers[count - 1];
    if (count > 1) field.inside = numbers[0];
    if (count > 2) field.inside_that = numbers[1];
  }

  static void read_flag(std::string_view word, Field& field) {
    if (word == "required") {
      field.is_required = true;
    } else if (word == "omits") {
      field.omits_empty = true;
    } else if (word == "pointer") {
      field.is_pointer = true;
    } else if (word == "retainKeys") {
      field.retains_keys = true;
    } else if (word == "replace") {
      field.replaces = true;
    } else {
      const bool is_merge = strip_prefix(word, "merge");
      REQUIRES(is_merge);
      strip_prefix(word, "=");
      field.merges = true;
      field.merge_key = word;
    }
  }

  /// One type for each thing that can be said, however many fields say it.
  const Type* type_of(std::string_view expression, std::string_view list, bool is_atomic) {
    for (const Published* known : {static_cast<const Published*>(&published_), others_}) {
      if (known == nullptr) continue;
      const auto named = known->types_by_name.find(expression);
      if (named != known->types_by_name.end()) return named->second;
    }
    std::string key(expression);
    key.append(" ").append(list).append(is_atomic ? " atomic" : "");
    if (const auto known = anonymous_.find(key); known != anonymous_.end()) return known->second;
    Type& type = types_->add();
    anonymous_.emplace(std::move(key), &type);
    type.is_atomic = is_atomic;
    read_list_kind(list, type);
    type.is_wrapped = expression.starts_with("[w");
    if (strip_prefix(expression, "[]") || strip_prefix(expression, "[wrapped]")) {
      type.form = Form::kList;
      type.element = type_of(expression, {}, false);
    } else if (strip_prefix(expression, "{}")) {
      type.form = Form::kMap;
      type.element = type_of(expression, {}, false);
    } else {
      const std::optional<Form> form = form_of(expression);
      REQUIRES(form.has_value());
      type.form = *form;
    }
    return &type;
  }

  static void read_list_kind(std::string_view list, Type& type) {
    type.states_list = !list.empty();
    if (list == "set") type.list = ListKind::kSet;
    if (!strip_prefix(list, "map:")) return;
    type.list = ListKind::kMap;
    while (!list.empty()) type.keys.emplace_back(cut(list, ','));
  }

  Published& published_;
  const Published* others_;
  std::shared_ptr<TypeSet> types_ = std::make_shared<TypeSet>();
  std::unordered_map<std::string, const Type*> anonymous_;
};

std::string row_text(const Value& row, std::string_view key) {
  const Value* text = row.find(key);
  return text == nullptr ? std::string() : text->string();
}

std::vector<std::string> row_texts(const Value& row, std::string_view key) {
  std::vector<std::string> texts;
  if (const Value* list = row.find(key)) {
    for (const Value& text : list->array()) texts.push_back(text.string());
  }
  return texts;
}

/// "apps/v1" and a kind.
GroupVersionKind kind_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {{}, std::string(api_version), std::string(kind)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)), std::string(kind)};
}

std::vector<Subresource> read_subresources(const Value& row) {
  std::vector<Subresource> subresources;
  const Value* list = row.find("subresources");
  if (list == nullptr) return subresources;
  for (const Value& entry : list->array()) {
    const std::string kind = row_text(entry, "kind");
    std::string_view words = kind;
    const std::string_view api_version = cut(words, ' ');
    subresources.push_back({row_text(entry, "name"), kind_of(api_version, words), row_texts(entry, "verbs")});
  }
  return subresources;
}

std::shared_ptr<const Resource> read_resource(const Value& row, const Published& published) {
  auto resource = std::make_shared<Resource>();
  const std::string api_version = row_text(row, "version");
  const std::string kind = row_text(row, "kind");
  resource->kind = kind_of(api_version, kind);
  resource->plural = row_text(row, "plural");
  resource->singular = row_text(row, "singular");
  resource->list_kind = kind + "List";
  resource->is_namespaced = row.find("namespaced") != nullptr;
  resource->returns_deleted = row.find("returnsDeleted") != nullptr;
  resource->verbs = row_texts(row, "verbs");
  resource->short_names = row_texts(row, "shortNames");
  resource->categories = row_texts(row, "categories");
  resource->subresources = read_subresources(row);
  resource->storage_version = row_text(row, "storageVersion");
  resource->storage_hash = row_text(row, "storageHash");
  const auto type = published.types_by_kind.find(api_version + " " + kind);
  REQUIRES(type != published.types_by_kind.end());
  resource->type = published.types_by_name.find(type->second)->second;
  return resource;
}

}  // namespace

Published read_published(std::string_view text, const Published* others) {
  const document::Reading reading = document::read_json(text, "published tables");
  REQUIRES(reading.problems.empty() && reading.documents.size() == 1);
  const Value& tables = reading.documents.front();
  Published published;
  TypeReader(published, others).read(tables.find("types")->object());
  for (const Value& row : tables.find("resources")->array()) {
    published.resources.push_back(read_resource(row, published));
  }
  return published;
}

const Published& kubernetes() {
  static const Published& published = *new Published(read_published(embedded_text("kubernetes.json")));
  return published;
}

const Resource* find_published(std::string_view api_version, std::string_view kind) {
  const GroupVersionKind sought = kind_of(api_version, kind);
  const auto& resources = kubernetes().resources;
  const auto found = std::ranges::find(resources, sought,
                                       [](const auto& resource) -> const GroupVersionKind& { return resource->kind; });
  return found == resources.end() ? nullptr : found->get();
}

const Type* find_built_in(std::string_view name) {
  // Configurations hold objects of the API (a NodeAffinity), so their types stand beside those.
  static const Published& configuration =
      *new Published(read_published(embedded_text("configuration.json"), &kubernetes()));
  for (const Published* published : {&kubernetes(), &configuration}) {
    const auto found = published->types_by_name.find(name);
    if (found != published->types_by_name.end()) return found->second;
  }
  return nullptr;
}

}  // namespace loadline::schema
