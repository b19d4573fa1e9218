#include "app/cli/creation_problems.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/locate.h"
#include "objects/kube/registry.h"
#include "objects/schema/published.h"
#include "server/apiserver/verbs/creation_check.h"

namespace loadline::cli {
namespace {

using document::text_at;
using document::Value;

constexpr Instant kCreatedAt{Duration::seconds(1'767'225'600).nanoseconds};  // 2026-01-01; no rule looks at the clock

/// An API server has judged it.
bool is_from_cluster(const Value& object) {
  const Value* created = document::find_at(object, {"metadata", "creationTimestamp"});
  return !text_at(object, {"metadata", "uid"}).empty() || (created != nullptr && !created->is_null());
}

/// "Role default/reader", as decoding calls the object.
std::string subject_of(const Value& object, const schema::Resource& resource) {
  std::string_view name = text_at(object, {"metadata", "name"});
  if (name.empty()) name = text_at(object, {"metadata", "generateName"});
  if (name.empty()) return resource.kind.kind;
  const std::string_view name_space = text_at(object, {"metadata", "namespace"});
  std::string subject = resource.kind.kind + " ";
  if (resource.is_namespaced) subject.append(name_space.empty() ? "default" : name_space).append("/");
  return subject.append(name);
}

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

class CreationProblems {
 public:
  CreationProblems(const std::vector<kube::SourceDocument>& documents, CreationRules rules, const Diagnostics& told)
      : custom_kinds_(documents), rules_(rules) {
    for (const Diagnostic& each : told) {
      if (each.at.file == nullptr) continue;
      Severity& worst = told_objects_[{*each.at.file, each.subject}];
      worst = std::max(worst, each.severity);
      told_fields_.emplace(*each.at.file, each.subject, each.path);
      const std::string meant = meant_path(each);
      if (!meant.empty()) told_fields_.emplace(*each.at.file, each.subject, meant);
    }
  }

  void add(const kube::SourceDocument& source) {
    if (file_ == nullptr || *file_ != source.file) file_ = std::make_shared<const std::string>(source.file);
    add(source.value, {}, {});
  }

  [[nodiscard]] Diagnostics take() && { return std::move(problems_); }

 private:
  /// What the element of a list leaves out, the list says.
  void add(const Value& value, std::string_view api_version, std::string_view kind) {
    if (!value.is_object()) return;
    const std::string_view own_version = text_at(value, {"apiVersion"});
    const std::string_view own_kind = text_at(value, {"kind"});
    if (!own_version.empty() || !own_kind.empty()) {
      api_version = own_version;
      kind = own_kind;
    }
    if (api_version.empty() || kind.empty()) return;
    constexpr std::string_view kList = "List";
    const Value* items = value.find("items");
    if (items == nullptr || !kind.ends_with(kList)) return check(value, api_version, kind);
    if (!items->is_array()) return;
    const bool is_plain = kind == kList;
    kind.remove_suffix(kList.size());
    for (const Value& item : items->array()) {
      is_plain ? add(item, {}, {}) : add(item, api_version, kind);
    }
  }

  void check(const Value& object, std::string_view api_version, std::string_view kind) {
    const kube::KindInfo* info = kube::find_kind(api_version, kind);
    const bool is_read = info != nullptr && !info->is_custom;
    if (is_configuration(api_version) || is_from_cluster(object)) return;
    if (is_read && rules_ == CreationRules::kUnread) return;
    const CheckedKind found = find(api_version, kind);
    if (found.resource == nullptr) return;
    const std::string subject = subject_of(object, *found.resource);
    // Decoding asks most of these rules of kinds that are read, and leaves out what only follows from another mistake.
    const auto told = told_objects_.find({*file_, subject});
    if (is_read && told != told_objects_.end() && told->second == Severity::kError) return;
    for (const kube::FieldError& error : server().errors_of(object, *found.resource)) {
      // A name that was generated is written nowhere; it is wrong because its stem is.
      if (error.path == "metadata.name" && wants_generated_name(object)) continue;
      if (!is_told(subject, error)) report(object, subject, error, found.is_assumed);
    }
  }

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
  [[nodiscard]] bool is_told(const std::string& subject, const kube::FieldError& error) const {
    if (error.path.empty() && told_objects_.contains({*file_, subject})) return true;
    return error.path == "<nil>" || told_fields_.contains(std::tuple(*file_, subject, error.path));
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

  kube::CustomKinds custom_kinds_;
  CreationRules rules_;
  std::map<std::pair<std::string, std::string>, Severity> told_objects_;     // by file and subject: the worst
  std::set<std::tuple<std::string, std::string, std::string>> told_fields_;  // with the path
  std::set<const schema::Resource*> served_;
  std::optional<apiserver::CreationCheck> server_;  // made once it is needed
  std::shared_ptr<const std::string> file_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics creation_problems(const std::vector<kube::SourceDocument>& documents, CreationRules rules,
                              const Diagnostics& told) {
  if (rules == CreationRules::kNone) return {};
  CreationProblems problems(documents, rules, told);
  for (const kube::SourceDocument& document : documents) problems.add(document);
  return std::move(problems).take();
}

}  // namespace loadline::cli
