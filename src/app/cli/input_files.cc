#include "app/cli/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/placeholders.h"
#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/json_list.h"
#include "foundation/document/reader.h"
#include "foundation/document/source.h"
#include "foundation/document/template_action.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/kind/cluster_reader.h"

namespace loadline::cli {
namespace {

using document::Reading;
using document::Source;
using document::Value;

/// Whether the program that a document is for takes no key twice.
bool is_read_strictly(const Value& document) {
  return kube::is_kind_cluster(document) || document::text_at(document, {"kind"}) == "KubeSchedulerConfiguration";
}

void refuse_equal_keys_where_read_strictly(Reading& reading) {
  for (Diagnostic& problem : reading.problems) {
    if (!document::is_equal_keys_problem(problem)) continue;
    const Value* around = nullptr;
    for (const Value& document : reading.documents) {
      const document::Mark begin = document.mark();
      if (std::pair(begin.line, begin.column) <= std::pair(problem.at.line, problem.at.column)) around = &document;
    }
    if (around != nullptr && is_read_strictly(*around)) document::refuse_equal_keys(problem);
  }
}

/// Has the texts of kind's Clusters as they are written.
void keep_texts_of_kind(const Source& source, Reading& reading) {
  if (std::ranges::none_of(reading.documents, kube::is_kind_cluster)) return;
  const Reading texts =
      document::read_yaml(source.text, source.name, document::EqualKeys::kLast, document::Scalars::kTexts);
  for (Value& document : reading.documents) {
    if (!kube::is_kind_cluster(document)) continue;
    const auto same = std::ranges::find(texts.documents, document.mark(), &Value::mark);
    if (same != texts.documents.end()) document = kube::with_texts_as_written(document, *same);
  }
}

/// What one text holds.
Reading read_source(const Source& source, const InputReading& how) {
  Reading reading = document::read(source.text, source.name);
  if (has_errors(reading.problems)) {
    if (const auto action = document::find_template_action(source.text)) {
      const auto file = std::make_shared<const std::string>(source.name);
      return {{}, {template_problem({file, action->mark.line, action->mark.column}, action->text, how.pipe_into)}};
    }
  }
  refuse_equal_keys_where_read_strictly(reading);
  keep_texts_of_kind(source, reading);
  return reading;
}

/// How long lists are read, whose objects nearly all of a cluster's dump are.
enum class Lists : std::uint8_t { kWhole, kItemByItem };

bool is_long_list(std::string_view text, const InputReading& how) {
  return text.size() >= how.long_list && document::JsonList(text).is_good();
}

kube::Decoding told_once(kube::Decoding decoding, const InputReading& reading) {
  decoding.diagnostics = with_placeholders_told_once(std::move(decoding.diagnostics), reading.pipe_into);
  return decoding;
}

/// What one argument brought.
struct Yield {
  std::size_t sources = 0;
  std::size_t documents = 0;
  bool is_stream = false;
  bool is_blank = true;  ///< not even a comment
  bool has_errors = false;
  std::string name;  ///< of its first source
};

Diagnostic emptiness(const std::string& argument, const Yield& yield, Severity severity) {
  Diagnostic problem;
  problem.severity = severity;
  const bool is_one = yield.sources == 1;
  problem.at.file = std::make_shared<const std::string>(is_one ? yield.name : argument);
  problem.message = fmt::format("{} no objects: {}", is_one ? "holds" : "its files hold",
                                yield.is_blank ? (is_one ? "it is empty" : "they are empty") : "nothing but comments");
  if (yield.is_stream) problem.hint = "see whether the command that was to write them has failed";
  return problem;
}

void report_emptiness(const std::vector<std::string>& arguments, const std::vector<Yield>& yields,
                      Diagnostics& problems) {
  // What could not be read is no sign that there is nothing.
  const bool is_nothing =
      !has_errors(problems) && std::ranges::all_of(yields, [](const Yield& each) { return each.documents == 0; });
  for (std::size_t i = 0; i < yields.size(); ++i) {
    const Yield& yield = yields[i];
    if (yield.sources == 0 || yield.documents > 0 || yield.has_errors) continue;
    const Severity severity = yield.is_stream || is_nothing ? Severity::kError : Severity::kWarning;
    problems.push_back(emptiness(arguments[i], yield, severity));
  }
}

document::Sources load(const std::vector<std::string>& arguments, std::istream& standard_input,
                       const InputReading& how) {
  document::SourceOptions options;
  options.pipe_into = how.pipe_into;
  return document::load_sources(arguments, standard_input, options);
}

InputFiles documents_of(const document::Sources& loaded, const std::vector<std::string>& arguments,
                        const InputReading& how, Lists lists) {
  InputFiles files;
  files.problems = loaded.problems;
  std::vector<Yield> yields(arguments.size());
  for (const Source& source : loaded.sources) {
    Yield& yield = yields[source.argument];
    if (yield.sources++ == 0) yield.name = source.name;
    yield.is_stream = yield.is_stream || source.is_stream;
    yield.is_blank = yield.is_blank && trim(source.text).empty();
    if (lists == Lists::kItemByItem && is_long_list(source.text, how)) {
      ++yield.documents;
      files.documents.push_back({Value(), source.name, source.text});
      continue;
    }
    Reading reading = read_source(source, how);
    yield.documents += reading.documents.size();
    yield.has_errors = yield.has_errors || has_errors(reading.problems);
    std::ranges::move(reading.problems, std::back_inserter(files.problems));
    for (Value& value : reading.documents) files.documents.push_back({std::move(value), source.name});
  }
  report_emptiness(arguments, yields, files.problems);
  return files;
}

}  // namespace

InputFiles read_input_files(const std::vector<std::string>& arguments, std::istream& standard_input,
                            const InputReading& how) {
  return documents_of(load(arguments, standard_input, how), arguments, how, Lists::kWhole);
}

InputObjects read_input_objects(const std::vector<std::string>& arguments, std::istream& standard_input,
                                const InputReading& how) {
  document::Sources loaded = load(arguments, standard_input, how);
  // The rules of creation look at whole documents.
  const Lists lists = how.creation == CreationRules::kNone ? Lists::kItemByItem : Lists::kWhole;
  InputFiles files = documents_of(loaded, arguments, how, lists);
  const auto is_text = [](const kube::SourceDocument& each) { return !each.list.empty(); };
  if (std::ranges::none_of(files.documents, is_text)) {
    loaded = {};
    return {decode_input(files.documents, how), std::move(files.problems)};
  }
  if (std::optional<kube::Decoding> decoding = kube::decode_item_by_item(files.documents, how.rules)) {
    return {told_once(*std::move(decoding), how), std::move(files.problems)};
  }
  files = documents_of(loaded, arguments, how, Lists::kWhole);
  loaded = {};
  return {decode_input(files.documents, how), std::move(files.problems)};
}

kube::Decoding decode_input(const std::vector<kube::SourceDocument>& documents, const InputReading& reading) {
  kube::CustomKinds custom_kinds(documents);
  kube::Decoding decoding = kube::decode(documents, reading.rules, custom_kinds);
  Diagnostics refused = creation_problems(documents, custom_kinds, reading.creation, decoding.diagnostics);
  std::ranges::move(refused, std::back_inserter(decoding.diagnostics));
  return told_once(std::move(decoding), reading);
}

}  // namespace loadline::cli
