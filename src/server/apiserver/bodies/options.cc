#include "server/apiserver/bodies/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

schema::GroupVersionKind meta_kind(std::string_view kind) { return {"meta.k8s.io", "v1", std::string(kind)}; }

std::string_view options_kind(Write write) {
  switch (write) {
    case Write::kCreate:
      return "CreateOptions";
    case Write::kUpdate:
      return "UpdateOptions";
    default:
      return "PatchOptions";
  }
}

std::string unsupported(std::string_view value, std::string_view supported) {
  return fmt::format("Unsupported value: \"{}\": supported values: {}", value, supported);
}

/// "All" is the only thing there is.
bool read_dry_run(const std::vector<std::string_view>& values, FieldErrors& errors) {
  const bool is_known =
      std::all_of(values.begin(), values.end(), [](std::string_view value) { return value == "All"; });
  if (is_known) return !values.empty();
  document::Array shown;
  for (const std::string_view value : values) shown.emplace_back(value);
  errors.push_back({"dryRun",
                    fmt::format("Unsupported value: {}: supported values: \"All\"", document::write_json(Value(shown))),
                    {}});
  return false;
}

void check_field_manager(std::string_view manager, FieldErrors& errors) {
  constexpr std::size_t kLongest = 128;
  if (manager.size() > kLongest) {
    errors.push_back({"fieldManager", fmt::format("Too long: may not be more than {} bytes", kLongest), {}});
  }
  // Go's IsPrint, of ASCII. Each error shows the whole name, so they are bounded where it is not.
  for (std::size_t at = 0; at < std::min(manager.size(), kLongest); ++at) {
    const auto letter = static_cast<unsigned char>(manager[at]);
    if (letter >= 0x20 && letter != 0x7f) continue;
    errors.push_back({"fieldManager",
                      fmt::format("Invalid value: {}: invalid character U+{:04X} (at position {})",
                                  kube::quoted(manager), letter, at),
                      {}});
  }
}

FieldValidation read_validation(std::string_view value, FieldErrors& errors) {
  if (value == "Strict") return FieldValidation::kStrict;
  if (value == "Ignore") return FieldValidation::kIgnore;
  if (!value.empty() && value != "Warn") {
    errors.push_back({"fieldValidation", unsupported(value, "\"\", \"Ignore\", \"Strict\", \"Warn\""), {}});
  }
  return FieldValidation::kWarn;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Propagation read_propagation(std::string_view value, FieldErrors& errors) {
  if (value == "Orphan") return Propagation::kOrphan;
  if (value == "Background") return Propagation::kBackground;
  if (value == "Foreground") return Propagation::kForeground;
  errors.push_back(
      {"propagationPolicy", unsupported(value, "\"Foreground\", \"Background\", \"Orphan\", \"nil\""), {}});
  return Propagation::kUnset;
}

Answer<DeleteOptions> checked(DeleteOptions options, FieldErrors errors, std::string_view propagation) {
  if (options.orphan_dependents && !propagation.empty()) {
    errors.insert(
        errors.begin(),
        {"propagationPolicy",
         fmt::format("Invalid value: \"{}\": orphanDependents and deletionPropagation cannot be both set", propagation),
         {}});
  }
  if (!errors.empty()) return refuse(invalid(meta_kind("DeleteOptions"), "", errors));
  return options;
}

std::string_view text_of(const Value* value) {
  return value != nullptr && value->is_string() ? std::string_view(value->string()) : std::string_view();
}

VersionMatch read_match(std::string_view match) {
  if (match == "Exact") return VersionMatch::kExact;
  return match == "NotOlderThan" ? VersionMatch::kNotOlderThan : VersionMatch::kUnset;
}

FieldErrors check_list(const Query& query) {
  FieldErrors errors;
  constexpr std::string_view kField = "resourceVersionMatch";
  const std::string_view match = query.get(kField);
  const auto forbid = [&](std::string_view why) {
    errors.push_back({std::string(kField), fmt::format("Forbidden: {}", why), {}});
  };
  if (!match.empty()) {
    const std::string_view version = query.get("resourceVersion");
    if (version.empty()) forbid("resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (!query.get("continue").empty()) forbid("resourceVersionMatch is forbidden when continue is provided");
    if (read_match(match) == VersionMatch::kUnset) {
      errors.push_back({std::string(kField), unsupported(match, "\"Exact\", \"NotOlderThan\", \"\""), {}});
    }
    if (match == "Exact" && version == "0") {
      forbid("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (query.has("sendInitialEvents")) {
    errors.push_back({"sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list", {}});
  }
  return errors;
}

FieldErrors check_watch(const Query& query) {
  FieldErrors errors;
  constexpr std::string_view kField = "resourceVersionMatch";
  const auto forbid = [&](std::string_view why) {
    errors.push_back({std::string(kField), fmt::format("Forbidden: {}", why), {}});
  };
  // SetListOptionsDefaults: a watch from nowhere in particular begins with what is there, as if it had asked for it.
  const std::string_view version = query.get("resourceVersion");
  const bool is_implied =
      !query.has("sendInitialEvents") && query.get(kField).empty() && (version.empty() || version == "0");
  const bool initial = is_implied || query.has("sendInitialEvents");
  const std::string_view match = is_implied ? "NotOlderThan" : query.get(kField);
  if (initial && match != "NotOlderThan") {
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match.empty()) return errors;
  if (!initial) forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  if (match != "NotOlderThan") errors.push_back({std::string(kField), unsupported(match, "\"NotOlderThan\""), {}});
  if (!query.get("continue").empty()) forbid("resourceVersionMatch is forbidden when continue is provided");
  return errors;
}

}  // namespace

Answer<WriteOptions> read_write_options(const Query& query, Write write) {
  FieldErrors errors;
  WriteOptions options;
  options.field_manager = query.get("fieldManager");
  if (write == Write::kApply) {
    if (options.field_manager.empty()) {
      errors.push_back({"fieldManager", "Required value: is required for apply patch", {}});
    }
  } else if (write == Write::kPatch && query.has("force")) {
    errors.push_back({"force", "Forbidden: may not be specified for non-apply patch", {}});
  }
  check_field_manager(options.field_manager, errors);
  options.is_dry_run = read_dry_run(query.all("dryRun"), errors);
  options.validation = read_validation(query.get("fieldValidation"), errors);
  options.force = query.flag("force");
  if (!errors.empty()) return refuse(invalid(meta_kind(options_kind(write)), "", errors));
  return options;
}

Answer<DeleteOptions> read_delete_options(const Value& body) {
  FieldErrors errors;
  DeleteOptions options;
  if (const Value* grace = body.find("gracePeriodSeconds"); grace != nullptr && grace->is_integer()) {
    options.grace_period_seconds = grace->integer();
  }
  if (const Value* orphan = body.find("orphanDependents"); orphan != nullptr && orphan->is_boolean()) {
    options.orphan_dependents = orphan->boolean();
  }
  if (const Value* conditions = body.find("preconditions"); conditions != nullptr) {
    if (const Value* uid = conditions->find("uid")) options.uid = text_of(uid);
    if (const Value* version = conditions->find("resourceVersion")) options.resource_version = text_of(version);
  }
  const std::string_view propagation = text_of(body.find("propagationPolicy"));
  if (!propagation.empty()) options.propagation = read_propagation(propagation, errors);
  std::vector<std::string_view> dry_runs;
  if (const Value* dry = body.find("dryRun"); dry != nullptr && dry->is_array()) {
    for (const Value& value : dry->array()) dry_runs.push_back(text_of(&value));
  }
  options.is_dry_run = read_dry_run(dry_runs, errors);
  return checked(std::move(options), std::move(errors), propagation);
}

Answer<DeleteOptions> read_delete_options(const Query& query) {
  FieldErrors errors;
  DeleteOptions options;
  if (const std::string_view grace = query.get("gracePeriodSeconds"); !grace.empty()) {
    options.grace_period_seconds = integer(grace);
    if (!options.grace_period_seconds) {
      return refuse(bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", grace)));
    }
  }
  if (query.has("orphanDependents")) options.orphan_dependents = query.flag("orphanDependents");
  const std::string_view propagation = query.get("propagationPolicy");
  if (!propagation.empty()) options.propagation = read_propagation(propagation, errors);
  options.is_dry_run = read_dry_run(query.all("dryRun"), errors);
  return checked(std::move(options), std::move(errors), propagation);
}

Answer<ListOptions> read_list_options(const Query& query, bool is_watch) {
  const FieldErrors errors = is_watch ? check_watch(query) : check_list(query);
  if (!errors.empty()) return refuse(invalid(meta_kind("ListOptions"), "", errors));
  ListOptions options;
  options.label_selector = query.get("labelSelector");
  options.field_selector = query.get("fieldSelector");
  options.resource_version = query.get("resourceVersion");
  options.match = read_match(query.get("resourceVersionMatch"));
  options.continue_token = query.get("continue");
  options.allows_bookmarks = query.flag("allowWatchBookmarks");
  options.sends_initial_events = query.flag("sendInitialEvents");
  for (const std::string_view name : {"limit", "timeoutSeconds"}) {
    const std::string_view text = query.get(name);
    if (text.empty()) continue;
    const std::optional<std::int64_t> value = integer(text);
    if (!value) return refuse(bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text)));
    if (name == "limit") {
      options.limit = *value;
    } else {
      options.timeout_seconds = value;
    }
  }
  return options;
}

std::optional<store::Revision> parse_revision(std::string_view text) {
  if (text.empty()) return 0;
  const std::optional<std::int64_t> value = integer(text);
  if (!value || *value < 0) return std::nullopt;
  return value;
}

std::string version_fault(std::string_view text) {
  return fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": invalid syntax",
                     text);
}

}  // namespace loadline::apiserver
