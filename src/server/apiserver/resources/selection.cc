#include "server/apiserver/resources/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "server/apiserver/resources/selectable_fields.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// The next part of a field selector up to an unescaped comma, with escapes left in.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ',') {
      terms.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  if (begin < text.size()) terms.push_back(text.substr(begin));
  return terms;
}

Answer<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      if (at + 1 >= text.size() || std::string_view("\\,=").find(text[at + 1]) == std::string_view::npos) {
        return refuse(bad_request(fmt::format("invalid field selector: invalid escape sequence in value: {}", text)));
      }
      ++at;
    } else if (text[at] == ',' || text[at] == '=') {
      return refuse(bad_request(fmt::format("invalid field selector: unescaped character in value: {}", text[at])));
    }
    out += text[at];
  }
  return out;
}

struct Term {
  std::string_view path;
  bool is_equal = true;
  std::string_view value;
};

Answer<Term> split_term(std::string_view text, std::string_view selector) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("!=")) return Term{text.substr(0, at), false, rest.substr(2)};
    if (rest.starts_with("==")) return Term{text.substr(0, at), true, rest.substr(2)};
    if (rest.starts_with("=")) return Term{text.substr(0, at), true, rest.substr(1)};
  }
  return refuse(bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", selector, text)));
}

/// Kinds that upstream knows no fields of can be chosen by name and namespace, all of them; the others say less.
StatusError no_such_field(const ServedResource& served, std::string_view path) {
  const schema::GroupVersionKind& kind = served.resource->kind;
  if (kind.kind == "Job" && kind.group == "batch") {
    return bad_request(fmt::format("field label \"{}\" not supported for Job", path));
  }
  if (kind.kind == "ResourceSlice" && kind.group == "resource.k8s.io") {
    return bad_request(
        fmt::format("field label not supported for {}, Kind={}: {}", kind.api_version(), kind.kind, path));
  }
  if (served.resource->is_custom || !served.field_paths.empty()) {
    return bad_request(fmt::format("field label not supported: {}", path));
  }
  return bad_request(
      fmt::format("\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", path));
}

Answer<FieldRequirement> resolve(const ServedResource& served, const Term& term) {
  FieldRequirement requirement;
  requirement.is_equal = term.is_equal;
  const Answer<std::string> value = unescaped(term.value);
  if (!value) return refuse(value.error());
  requirement.value = *value;
  if (term.path == "metadata.name") {
    requirement.of = FieldRequirement::Of::kName;
  } else if (term.path == "metadata.namespace" && served.resource->is_namespaced) {
    requirement.of = FieldRequirement::Of::kNamespace;
  } else {
    const auto found = std::find(served.field_paths.begin(), served.field_paths.end(), term.path);
    if (found == served.field_paths.end()) {
      return refuse(no_such_field(served, term.path));
    }
    requirement.index = static_cast<std::size_t>(found - served.field_paths.begin());
  }
  return requirement;
}

std::string_view compared(const FieldRequirement& requirement, const store::Object& object, const Facts& facts) {
  switch (requirement.of) {
    case FieldRequirement::Of::kName:
      return object.name();
    case FieldRequirement::Of::kNamespace:
      return object.name_space();
    case FieldRequirement::Of::kField:
      return facts.field(requirement.index);
  }
  return {};
}

}  // namespace

Facts::Facts(const std::vector<Label>& labels, const std::vector<std::string>& fields)
    : labels_(static_cast<std::uint32_t>(labels.size())),
      texts_(static_cast<std::uint32_t>(2 * labels.size() + fields.size())) {
  REQUIRES_SLOW(std::ranges::is_sorted(labels, {}, &Label::first));
  std::size_t size = texts_ * sizeof(std::uint32_t);
  for (const auto& [key, value] : labels) size += key.size() + value.size();
  for (const std::string& field : fields) size += field.size();
  bytes_.reserve(size);
  bytes_.resize(texts_ * sizeof(std::uint32_t));
  std::size_t index = 0;
  const auto add = [&](std::string_view text) {
    bytes_.append(text);
    const auto end = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data() + index++ * sizeof end, &end, sizeof end);
  };
  for (const auto& [key, value] : labels) {
    add(key);
    add(value);
  }
  for (const std::string& field : fields) add(field);
}

std::uint32_t Facts::end(std::size_t index) const {
  std::uint32_t end = 0;
  std::memcpy(&end, bytes_.data() + index * sizeof end, sizeof end);
  return end;
}

std::string_view Facts::text(std::size_t index) const {
  REQUIRES(index < texts_);
  const std::size_t begin = index == 0 ? texts_ * sizeof(std::uint32_t) : end(index - 1);
  return std::string_view(bytes_).substr(begin, end(index) - begin);
}

std::optional<std::string_view> Facts::find_label(std::string_view key) const {
  std::size_t begin = 0;
  std::size_t size = labels_;
  while (size > 0) {
    const std::size_t half = size / 2;
    if (text(2 * (begin + half)) < key) {
      begin += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return begin < labels_ && text(2 * begin) == key ? std::optional(text(2 * begin + 1)) : std::nullopt;
}

std::shared_ptr<const Facts> derive_facts(const Value& document, const ServedResource& served) {
  std::vector<Facts::Label> labels;
  const Value* written = document::find_at(document, {"metadata", "labels"});
  if (written != nullptr && written->is_object()) {
    for (const document::Member& label : written->object()) {
      if (label.value.is_string()) labels.emplace_back(label.key, label.value.string());
    }
    std::sort(labels.begin(), labels.end());
  }
  std::vector<std::string> fields;
  fields.reserve(served.field_paths.size());
  for (const std::string& path : served.field_paths) {
    fields.push_back(field_value(document, served.store_name, path));
  }
  return std::make_shared<const Facts>(labels, fields);
}

const Facts& facts_of(const store::Object& object, const ServedResource& served) {
  if (object.derived() == nullptr) object.set_derived(derive_facts(object.document(), served));
  return static_cast<const Facts&>(*object.derived());
}

Answer<Selection> Selection::read(const ServedResource& served, const ListOptions& options) {
  Selection selection;
  Result<std::vector<kube::SelectorTerm>> labels = kube::parse_selector_terms(options.label_selector);
  if (!labels) return refuse(bad_request(labels.error().message));
  selection.labels_ = std::move(*labels);
  for (const std::string_view text : split_terms(options.field_selector)) {
    const Answer<Term> term = split_term(text, options.field_selector);
    if (!term) return refuse(term.error());
    Answer<FieldRequirement> requirement = resolve(served, *term);
    if (!requirement) return refuse(requirement.error());
    selection.fields_.push_back(std::move(*requirement));
  }
  return selection;
}

bool Selection::matches(const store::Object& object, const ServedResource& served) const {
  if (selects_all()) return true;
  const Facts& facts = facts_of(object, served);
  return std::all_of(labels_.begin(), labels_.end(),
                     [&](const kube::SelectorTerm& term) { return term.matches(facts.find_label(term.key)); }) &&
         std::all_of(fields_.begin(), fields_.end(), [&](const FieldRequirement& requirement) {
           return (compared(requirement, object, facts) == requirement.value) == requirement.is_equal;
         });
}

std::string_view Selection::only_name() const {
  for (const FieldRequirement& requirement : fields_) {
    if (requirement.of == FieldRequirement::Of::kName && requirement.is_equal) return requirement.value;
  }
  return {};
}

}  // namespace loadline::apiserver
