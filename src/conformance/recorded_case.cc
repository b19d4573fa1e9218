#include "conformance/recorded_case.h"

#include <fstream>
#include <sstream>

#include "document/reader.h"
#include "document/value.h"
#include "kube/codec.h"

namespace loadline::conformance {
namespace {

using document::Value;

/// Null if there is none of that name.
Value member(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found == nullptr ? Value() : *found;
}

std::string text(const Value& object, std::string_view key) {
  const Value value = member(object, key);
  return value.is_string() ? value.string() : std::string();
}

std::int64_t integer(const Value& object, std::string_view key) {
  const Value value = member(object, key);
  return value.is_integer() ? value.integer() : 0;
}

bool boolean(const Value& object, std::string_view key, bool fallback) {
  const Value value = member(object, key);
  return value.is_boolean() ? value.boolean() : fallback;
}

template <class T, class Read>
std::vector<T> list(const Value& value, Read&& read) {
  std::vector<T> items;
  if (!value.is_array()) return items;
  for (const Value& item : value.array()) items.push_back(read(item));
  return items;
}

int as_int(const Value& value) { return static_cast<int>(value.integer()); }

std::vector<int> integers(const Value& object, std::string_view key) { return list<int>(member(object, key), as_int); }

std::vector<std::string> texts(const Value& object, std::string_view key) {
  return list<std::string>(member(object, key), [](const Value& item) { return item.string(); });
}

RecordedRefusal refusal(const Value& value) {
  return {text(value, "plugin"), text(value, "code"), texts(value, "reasons"), integers(value, "nodes")};
}

RecordedScores scores(const Value& row) {
  RecordedScores result;
  const document::Array& cells = row.array();
  result.node = as_int(cells.at(0));
  result.total = cells.at(1).integer();
  for (std::size_t i = 2; i < cells.size(); ++i) result.by_plugin.push_back(cells[i].integer());
  return result;
}

RecordedCandidate candidate(const Value& value) {
  return {static_cast<int>(integer(value, "node")), texts(value, "victims"), integer(value, "pdbViolations")};
}

RecordedPreemption preemption(const Value& value) {
  RecordedPreemption result;
  result.eligible = boolean(value, "eligible", false);
  result.why = text(value, "why");
  result.candidates = list<RecordedCandidate>(member(value, "candidates"), candidate);
  result.best = integers(value, "best");
  return result;
}

RecordedAttempt attempt(const Value& value) {
  RecordedAttempt result;
  result.sequence = static_cast<int>(integer(value, "seq"));
  result.pod = text(value, "pod");
  result.nominated_before = text(value, "nominatedBefore");
  result.other_nominated = texts(value, "otherNominated");
  result.feasible = integers(value, "feasible");
  result.infeasible = list<RecordedRefusal>(member(value, "infeasible"), refusal);
  if (value.find("preFilterNodes") != nullptr) result.pre_filter_nodes = integers(value, "preFilterNodes");
  result.skipped_filter = texts(value, "skippedFilter");
  result.skipped_score = texts(value, "skippedScore");
  result.scores = list<RecordedScores>(member(value, "scores"), scores);
  result.max_score = integer(value, "maxScore");
  result.max_nodes = integers(value, "maxNodes");
  result.result = text(value, "result");
  if (value.find("node") != nullptr) result.node = static_cast<int>(integer(value, "node"));
  result.chosen_is_max = boolean(value, "chosenIsMax", true);
  result.message = text(value, "message");
  result.unschedulable_plugins = texts(value, "unschedulablePlugins");
  if (value.find("preemption") != nullptr) result.preemption = preemption(member(value, "preemption"));
  result.nominated_node = text(value, "nominatedNode");
  result.victims = texts(value, "victims");
  return result;
}

Result<Value> read_json_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(path + ": cannot be read");
  std::ostringstream content;
  content << file.rdbuf();
  document::Reading reading = document::read_json(content.str(), path);
  if (!reading.problems.empty()) return failure(reading.problems.front().to_string());
  if (reading.documents.size() != 1) return failure(path + ": expected one JSON document");
  return reading.documents.front();
}

/// The recorded lists leave out apiVersion and kind, as the items of a typed list do.
void collect(const Value& input, std::string_view key, const char* api_version, const char* kind,
             const std::string& file, std::vector<kube::SourceDocument>& documents) {
  const Value& items = member(input, key);
  if (!items.is_array()) return;
  for (const Value& item : items.array()) {
    documents.push_back({item.with("apiVersion", Value(api_version)).with("kind", Value(kind)), file});
  }
}

Result<kube::Objects> typed(const std::vector<kube::SourceDocument>& documents) {
  kube::Decoding decoding = kube::decode(documents);
  for (const Diagnostic& diagnostic : decoding.diagnostics) {
    if (diagnostic.severity == Severity::kError) return failure(diagnostic.to_string());
  }
  return std::move(decoding.objects);
}

}  // namespace

Result<RecordedCase> load_case(const std::string& folder) {
  const std::string input_path = folder + "/input.json";
  const Result<Value> input = read_json_file(input_path);
  if (!input) return tl::unexpected(input.error());
  const Result<Value> expected = read_json_file(folder + "/expected.json");
  if (!expected) return tl::unexpected(expected.error());

  std::vector<kube::SourceDocument> documents;
  collect(*input, "namespaces", "v1", "Namespace", input_path, documents);
  collect(*input, "nodes", "v1", "Node", input_path, documents);
  collect(*input, "pods", "v1", "Pod", input_path, documents);
  collect(*input, "services", "v1", "Service", input_path, documents);
  collect(*input, "pdbs", "policy/v1", "PodDisruptionBudget", input_path, documents);
  Result<kube::Objects> cluster = typed(documents);
  if (!cluster) return tl::unexpected(cluster.error());
  documents.clear();
  collect(*input, "pendingPods", "v1", "Pod", input_path, documents);
  Result<kube::Objects> pending = typed(documents);
  if (!pending) return tl::unexpected(pending.error());

  RecordedCase result;
  result.name = text(*input, "name");
  result.cluster = std::move(*cluster);
  result.pending = std::move(pending->pods);
  result.node_names = texts(*expected, "nodeNames");
  result.score_plugins = texts(*expected, "scorePlugins");
  result.attempts = list<RecordedAttempt>(member(*expected, "attempts"), attempt);
  return result;
}

}  // namespace loadline::conformance
