#include "app/cli/creation_problems.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/identity.h"
#include "objects/kube/locate.h"
#include "objects/kube/registry.h"
#include "objects/schema/published.h"
#include "server/apiserver/verbs/creation_check.h"

namespace loadline::cli {
namespace {

using document::text_at;
using document::Value;

constexpr Instant kCreatedAt{Duration::seconds(1'767'225'600).nanoseconds};  // 2026-01-01; no rule looks at the clock

/// Of kube-scheduler or kind: no API server takes it. To ask what is published would cost milliseconds.
bool is_configuration(std::string_view api_version) {
  return api_version.starts_with("kubescheduler.config.k8s.io/") || api_version.starts_with("kind.x-k8s.io/");
}

bool wants_generated_name(const Value& object) {
  return text_at(object, {"metadata", "name"}).empty() && !text_at(object, {"metadata", "generateName"}).empty();
}

/// The path of the field that the author meant by an unknown one, as the hint says: it is missing because of that.
std::string meant_path(const Diagnostic& told) {
  constexpr std::string_view kBefore = "did you mean \"";
  constexpr std::string_view kAfter = "\"?";
  if (!told.message.starts_with("unknown field") || !told.hint.starts_with(kBefore)) return {};
  const std::size_t end = told.hint.find(kAfter, kBefore.size());
  if (end == std::string::npos) return {};
  const std::size_t dot = told.path.rfind('.');
  const std::string above = dot == std::string::npos ? std::string() : told.path.substr(0, dot + 1);
  return above + told.hint.substr(kBefore.size(), end - kBefore.size());
}

/// A kind as the check knows it.
struct CheckedKind {
  const schema::Resource* resource = nullptr;
  /// It is custom, and Loadline's own definition describes it. The author's cluster may have another one.
  bool is_assumed = false;
};

/// Where something stands: the file, line and column.
using Place = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;

Place place_of(const Diagnostic* diagnostic) {
  const SourcePosition& at = diagnostic->at;
  return {at.file == nullptr ? std::string_view() : std::string_view(*at.file), at.line, at.column};
}

/// An object of the input, with what the list around it says of it.
struct ListedObject {
  const Value* document = nullptr;
  std::string_view file;
  std::string_view api_version;
  std::string_view kind;

  [[nodiscard]] Place begin() const { return {file, document->mark().line, document->mark().column}; }
};

/// The objects of documents, lists flattened.
class ListedObjects {
 public:
  explicit ListedObjects(const std::vector<kube::SourceDocument>& documents) {
    for (const kube::SourceDocument& source : documents) add(source.value, {nullptr, source.file, {}, {}});
  }

  [[nodiscard]] const std::vector<ListedObject>& all() const { return objects_; }

 private:
  void add(const Value& value, ListedObject object) {
    if (!value.is_object()) return;
    const std::string_view own_version = text_at(value, {"apiVersion"});
    const std::string_view own_kind = text_at(value, {"kind"});
    if (!own_version.empty() || !own_kind.empty()) {
      object.api_version = own_version;
      object.kind = own_kind;
    }
    if (object.api_version.empty() || object.kind.empty()) return;
    constexpr std::string_view kList = "List";
    const Value* items = value.find("items");
    if (items == nullptr || !object.kind.ends_with(kList)) {
      object.document = &value;
      objects_.push_back(object);
    } else if (items->is_array()) {
      add_items(items->array(), object);
    }
  }

  /// What an element leaves out, the list says, unless it is a plain List.
  void add_items(const document::Array& items, ListedObject list) {
    constexpr std::string_view kList = "List";
    list.kind.remove_suffix(kList.size());
    if (list.kind.empty()) list.api_version = {};
    for (const Value& item : items) add(item, list);
  }

  std::vector<ListedObject> objects_;
};

/// What decoding has told, by the object that it is about: one that begins before it, and before the next one begins.
class ToldByPlace {
 public:
  ToldByPlace(const Diagnostics& told, const std::vector<ListedObject>& objects) {
    for (const Diagnostic& each : told) told_.push_back(&each);
    std::ranges::stable_sort(told_, {}, place_of);
    for (const ListedObject& object : objects) begins_.insert(object.begin());
  }

  [[nodiscard]] std::span<const Diagnostic* const> of(const ListedObject& object) const {
    const Place begin = object.begin();
    const auto next = begins_.upper_bound(begin);
    const auto first = std::ranges::lower_bound(told_, begin, {}, place_of);
    const auto last = next == begins_.end() ? told_.end() : std::ranges::lower_bound(told_, *next, {}, place_of);
    return {first, last};
  }

 private:
  std::vector<const Diagnostic*> told_;
  std::set<Place> begins_;
};

class CreationProblems {
 public:
  CreationProblems(kube::CustomKinds& custom_kinds, CreationRules rules) : custom_kinds_(custom_kinds), rules_(rules) {}

  /// `told` is what decoding has told of the object, and maybe of a text within it.
  void check(const ListedObject& object, std::span<const Diagnostic* const> told) {
    if (file_ == nullptr || *file_ != object.file) file_ = std::make_shared<const std::string>(object.file);
    const kube::KindInfo* info = kube::find_kind(object.api_version, object.kind);
    const bool is_read = info != nullptr && !info->is_custom;
    const kube::Identity identity = kube::identity_of(*object.document);
    if (is_configuration(object.api_version) || identity.from_cluster) return;
    if (is_read && rules_ == CreationRules::kUnread) return;
    const CheckedKind found = find(object.api_version, object.kind);
    if (found.resource == nullptr) return;
    const kube::Scope scope = found.resource->is_namespaced ? kube::Scope::kNamespaced : kube::Scope::kCluster;
    const std::string subject = kube::subject_of(object.kind, identity, scope);
    std::vector<const Diagnostic*> own;
    std::ranges::copy_if(told, std::back_inserter(own), [&](const auto* each) { return each->subject == subject; });
    // Decoding asks most of these rules of kinds that are read, and leaves out what only follows from another mistake.
    if (is_read && std::ranges::any_of(own, [](const auto* each) { return each->severity == Severity::kError; })) {
      return;
    }
    for (const kube::FieldError& error : server().errors_of(*object.document, *found.resource)) {
      // A name that was generated is written nowhere; it is wrong because its stem is.
      if (error.path == "metadata.name" && wants_generated_name(*object.document)) continue;
      if (!is_told(own, error)) report(*object.document, subject, error, found.is_assumed);
    }
  }

  [[nodiscard]] Diagnostics take() && { return std::move(problems_); }

 private:
  CheckedKind find(std::string_view api_version, std::string_view kind) {
    if (const schema::Resource* published = schema::find_published(api_version, kind)) return {published};
    const kube::CustomKind* custom = custom_kinds_.find(api_version, kind);
    if (custom == nullptr) return {};
    if (served_.insert(custom->resource.get()).second) server().serve(custom->resource);
    return {custom->resource.get(), !custom->source.empty()};
  }

  apiserver::CreationCheck& server() {
    if (server_ == std::nullopt) server_.emplace(kCreatedAt);
    return *server_;
  }

  /// Decoding says why an object cannot be read, and where, and what its definition has against it as a whole
  /// ("<nil>").
  static bool is_told(const std::vector<const Diagnostic*>& told, const kube::FieldError& error) {
    if (error.path.empty()) return !told.empty();
    return error.path == "<nil>" || std::ranges::any_of(told, [&](const Diagnostic* each) {
             return each->path == error.path || meant_path(*each) == error.path;
           });
  }

  void report(const Value& object, const std::string& subject, const kube::FieldError& error, bool is_assumed) {
    const document::Mark mark = kube::locate(object, error.path);
    const bool is_doubtful = is_assumed && !error.path.starts_with("metadata.");
    problems_.push_back({is_doubtful ? Severity::kWarning : Severity::kError,
                         {file_, mark.line, mark.column},
                         subject,
                         error.path,
                         error.message,
                         error.hint});
  }

  kube::CustomKinds& custom_kinds_;
  CreationRules rules_;
  std::set<const schema::Resource*> served_;
  std::optional<apiserver::CreationCheck> server_;  // made once it is needed
  std::shared_ptr<const std::string> file_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics creation_problems(const std::vector<kube::SourceDocument>& documents, kube::CustomKinds& custom_kinds,
                              CreationRules rules, const Diagnostics& told) {
  if (rules == CreationRules::kNone) return {};
  const ListedObjects objects(documents);
  const ToldByPlace by_place(told, objects.all());
  CreationProblems problems(custom_kinds, rules);
  for (const ListedObject& object : objects.all()) problems.check(object, by_place.of(object));
  return std::move(problems).take();
}

}  // namespace loadline::cli
