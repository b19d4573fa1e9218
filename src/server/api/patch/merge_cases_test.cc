#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/json_patch.h"
#include "foundation/document/merge_patch.h"
#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "server/api/apply/apply.h"
#include "server/api/apply/managed_fields.h"
#include "server/api/patch/strategic_merge.h"

namespace loadline::api {

using schema::Catalog;
using schema::conform;
using schema::GroupVersionKind;
using schema::Type;
namespace {

using document::Value;

/// What a case led to: a document, or an error.
struct MergeOutcome {
  Value result;
  std::string error;
  std::vector<std::string> causes;
};

constexpr const char* kMergedAt = "2026-01-01T00:00:00Z";

std::string text_of(const Value& test, const char* name) { return std::string(document::text_at(test, {name})); }

Value member(const Value& test, const char* name) {
  const Value* value = test.find(name);
  return value == nullptr ? Value() : *value;
}

MergeOutcome outcome_of(const document::PatchResult& result) {
  return result ? MergeOutcome{*result, {}, {}} : MergeOutcome{{}, result.error().message, {}};
}

GroupVersionKind kind_of(const Value& test) {
  const std::string version = text_of(test, "version");
  const std::size_t slash = version.find('/');
  if (slash == std::string::npos) return {"", version, text_of(test, "kind")};
  return {version.substr(0, slash), version.substr(slash + 1), text_of(test, "kind")};
}

/// Replays the cases of conformance/merge: what Kubernetes' own libraries made of random patches, updates and applies.
/// More are made by `go run ./merge -seed 2 -cases 10000` in conformance; LOADLINE_MERGE_CASES names the file.
class MergeCases : public ::testing::Test {
 protected:
  MergeOutcome run(const Value& test) {
    const std::string op = text_of(test, "op");
    const Value live = member(test, "live");
    const Value change = member(test, "change");
    if (op == "json") return outcome_of(document::json_patch(live, change));
    if (op == "merge") return outcome_of(document::merge_patch(live, change));
    const GroupVersionKind kind = kind_of(test);
    const Type* type = catalog().find_type(kind);
    EXPECT_NE(type, nullptr) << kind.kind;
    if (op == "strategic") return outcome_of(strategic_merge(live, change, *type));

    FieldManagement management;
    management.type = type;
    management.api_version = kind.api_version();
    management.subresource = text_of(test, "subresource");
    const FieldSet reset = FieldSet::of_fields({{management.subresource.empty() ? "status" : "spec"}});
    management.reset_fields = &reset;
    management.now = kMergedAt;
    const std::string manager = text_of(test, "manager");
    if (op == "update") return {record_update(live, change, manager, management), {}, {}};
    const bool force = test.find("force") != nullptr;
    return outcome_of(apply(live, change, manager, force, kind, management), *type);
  }

  static MergeOutcome outcome_of(const document::PatchResult& result) { return api::outcome_of(result); }

  static MergeOutcome outcome_of(const tl::expected<Value, ApplyError>& result, const Type& type) {
    // An applied document still has to be decoded.
    if (result) return {conform(*result, type).value, {}, {}};
    MergeOutcome outcome{{}, result.error().message, {}};
    for (const ApplyError::Cause& cause : result.error().causes) {
      outcome.causes.push_back(cause.message + ": " + cause.field);
    }
    std::ranges::sort(outcome.causes);
    return outcome;
  }

  static const Catalog& catalog() {
    static const Catalog& catalog = *new Catalog(Catalog::published());
    return catalog;
  }

  /// Several problems are listed in the order of a Go map.
  static std::vector<std::string> sorted_lines(const std::string& text) {
    // Where Go's fmt is given no error to wrap it writes so.
    std::istringstream stream(text.substr(0, text.find(": %!w")));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }

  /// Whether the case came out as upstream.
  static bool agrees(const Value& test, const MergeOutcome& outcome) {
    const std::string error = text_of(test, "error");
    if (!error.empty() || !outcome.error.empty()) {
      std::vector<std::string> causes;
      if (const Value* list = test.find("causes")) {
        for (const Value& cause : list->array()) causes.push_back(cause.string());
      }
      return sorted_lines(error) == sorted_lines(outcome.error) && causes == outcome.causes;
    }
    return document::same_document(member(test, "result"), outcome.result);
  }

  void replay(const std::string& path) {
    std::ifstream file(path);
    ASSERT_TRUE(file.good()) << path;
    std::map<std::string, int> counts;
    int reported = 0;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      const document::Reading reading = document::read_json(line, path);
      ASSERT_EQ(reading.documents.size(), 1U) << path << ":" << number;
      const Value& test = reading.documents[0];
      const MergeOutcome outcome = run(test);
      ++counts[text_of(test, "op")];
      if (agrees(test, outcome)) continue;
      ++counts[text_of(test, "op") + " differently"];
      if (++reported > 5) continue;
      ADD_FAILURE() << path << ":" << number << "\n live " << document::write_json(member(test, "live")) << "\n change "
                    << document::write_json(member(test, "change")) << "\n upstream "
                    << document::write_json(member(test, "result")) << text_of(test, "error") << "\n ours     "
                    << (outcome.error.empty() ? document::write_json(outcome.result) : outcome.error);
    }
    for (const auto& [op, count] : counts) RecordProperty(op, count);
    EXPECT_EQ(counts.size(), 5U) << "each operation has cases, and none comes out differently";
  }
};

TEST_F(MergeCases, ComeOutAsUpstream) {
  replay(std::string(LOADLINE_SOURCE_DIR) + "/src/server/api/testdata/merge_cases.jsonl");
}

TEST_F(MergeCases, OfAFileComeOutAsUpstream) {
  const char* path = std::getenv("LOADLINE_MERGE_CASES");
  if (path == nullptr) GTEST_SKIP() << "LOADLINE_MERGE_CASES names no file";
  replay(path);
}

}  // namespace
}  // namespace loadline::api
