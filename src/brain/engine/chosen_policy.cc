#include "brain/engine/chosen_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/closest.h"
#include "foundation/base/text.h"
#include "foundation/document/writer.h"

namespace loadline::engine {
namespace {

template <class Row>
std::vector<std::string_view> names_of(std::span<const Row> rows) {
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

/// "did you mean "All"?", or all that there are.
template <class Row>
std::string hint_for(std::string_view word, std::span<const Row> rows) {
  const std::vector<std::string_view> names = names_of(rows);
  const std::string_view nearest = closest(word, names);
  return nearest.empty() ? fmt::format("one of {}", joined(names, ", ")) : fmt::format("did you mean \"{}\"?", nearest);
}

/// The row of that name, by its place; nothing if there is none.
template <class Row>
std::optional<std::size_t> find(std::string_view name, std::span<const Row> rows) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.begin());
}

class Reader {
 public:
  explicit Reader(const kube::Policy& object) : object_(object) { reading_.chosen = ChosenPolicy(object.base); }

  PolicyReading run() {
    if (object_.metadata.name != kube::kOnlyPolicy) {
      report(object_.metadata.source, "metadata.name",
             fmt::format("a cluster has one policy, and its name is \"{}\"", kube::kOnlyPolicy), "");
    }
    if (object_.base_mark.line > 0) reading_.chosen.base_at = at(object_.base_mark);
    for (const kube::PolicySetting& setting : object_.settings) take(setting);
    return std::move(reading_);
  }

 private:
  void take(const kube::PolicySetting& setting) {
    const std::string path = "spec." + setting.name;
    const std::optional<std::size_t> number = find(setting.name, switches());
    if (!number) {
      return report(at(setting.mark), path, fmt::format("there is no switch \"{}\"", setting.name),
                    hint_for(setting.name, switches()));
    }
    const Switch& row = switches()[*number];
    const std::optional<std::int64_t> value = row.read(setting.value);
    if (!value) {
      const bool is_word = setting.value.is_string() && !row.is_number();
      return report(at(setting.mark), path,
                    fmt::format("{} is no {} for this switch", document::write_json(setting.value),
                                row.is_number() ? "number" : "word"),
                    is_word ? hint_for(setting.value.string(), row.words) : row.expected());
    }
    row.set(reading_.chosen.policy, *value);
    reading_.chosen.set_at[*number] = at(setting.mark);
  }

  [[nodiscard]] SourcePosition at(document::Mark mark) const {
    return {object_.metadata.source.file, mark.line, mark.column};
  }

  void report(SourcePosition where, std::string path, std::string message, std::string hint) {
    const Severity severity = object_.metadata.uid.empty() ? Severity::kError : Severity::kWarning;
    reading_.problems.push_back({severity, std::move(where), "Policy " + object_.metadata.name, std::move(path),
                                 std::move(message), std::move(hint)});
  }

  const kube::Policy& object_;
  PolicyReading reading_;
};

}  // namespace

PolicyReading read_policy(const kube::Policy& object) { return Reader(object).run(); }

}  // namespace loadline::engine
