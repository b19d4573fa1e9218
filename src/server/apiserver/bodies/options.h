#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foundation/document/value.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/status.h"
#include "server/store/store.h"

namespace loadline::apiserver {

enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

/// What the query of a write says (metav1.CreateOptions, UpdateOptions, PatchOptions).
struct WriteOptions {
  bool is_dry_run = false;
  std::string field_manager;
  FieldValidation validation = FieldValidation::kWarn;
  bool force = false;  ///< apply only
};

enum class Write : std::uint8_t { kCreate, kUpdate, kPatch, kApply };

/// Source: apimachinery's ValidateCreateOptions, ValidateUpdateOptions, ValidatePatchOptions.
Answer<WriteOptions> read_write_options(const Query& query, Write write);

enum class Propagation : std::uint8_t { kUnset, kOrphan, kBackground, kForeground };

/// metav1.DeleteOptions, from a body or a query.
struct DeleteOptions {
  bool is_dry_run = false;
  std::optional<std::int64_t> grace_period_seconds;
  std::optional<std::string> uid;               ///< a precondition
  std::optional<std::string> resource_version;  ///< likewise
  Propagation propagation = Propagation::kUnset;
  std::optional<bool> orphan_dependents;  ///< the old way to say it
};

Answer<DeleteOptions> read_delete_options(const document::Value& body);
Answer<DeleteOptions> read_delete_options(const Query& query);

enum class VersionMatch : std::uint8_t { kUnset, kExact, kNotOlderThan };

/// metav1.ListOptions of a list or a watch. Selectors stay texts: only code that knows the resource can parse them.
struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;  ///< as it is written
  VersionMatch match = VersionMatch::kUnset;
  std::int64_t limit = 0;
  std::string continue_token;
  bool allows_bookmarks = false;
  bool sends_initial_events = false;
  std::optional<std::int64_t> timeout_seconds;
};

/// Source: apimachinery's ValidateListOptions.
Answer<ListOptions> read_list_options(const Query& query, bool is_watch);

/// A resourceVersion as a number: empty and "0" are 0. `not a number` is the caller's to word.
std::optional<store::Revision> parse_revision(std::string_view text);
/// What is wrong with a `resourceVersion` that is no number, in upstream's words.
std::string version_fault(std::string_view text);

}  // namespace loadline::apiserver
