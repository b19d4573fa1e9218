#include "hosts/trace/csv_work.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/trace/csv_columns.h"
#include "hosts/trace/place.h"
#include "hosts/trace/work_fields.h"

namespace loadline::trace {
namespace {

std::vector<std::string_view> csv_work_columns() {
  std::vector<std::string_view> known;
  for (const WorkField& field : kWorkFields) known.push_back(field.name);
  known.insert(known.end(), kPodFields.begin(), kPodFields.end());
  return known;
}

/// Reads rows; what they say of pods is looked up by its text, so that a row costs no parsing of amounts.
class CsvWorks final : public WorkSource {
 public:
  explicit CsvWorks(std::unique_ptr<Lines> lines) : lines_(std::move(lines)), records_(*lines_) {}

  Result<void> read_header() {
    auto columns = CsvColumns::read(records_, csv_work_columns(), is_resource_field);
    if (!columns) return tl::unexpected(columns.error());
    columns_ = *std::move(columns);
    if (!columns_.find("time") && !columns_.names().empty()) {
      return failure_at(records_.at(), {}, "there is no column time", "it says when each work arrives");
    }
    for (std::size_t i = 0; i < columns_.names().size(); ++i) {
      const std::string& name = columns_.names()[i];
      const auto field = std::ranges::find(kWorkFields, name, &WorkField::name);
      if (field == kWorkFields.end()) {
        pod_columns_.push_back(i);
      } else {
        work_columns_.emplace_back(i, field->text);
      }
    }
    return {};
  }

  Result<std::optional<Work>> next() override {
    if (has_ended_) return std::nullopt;
    has_ended_ = true;  // unless all is well
    const auto is_there = columns_.next(records_);
    if (!is_there) return tl::unexpected(is_there.error());
    if (!*is_there) return std::nullopt;
    auto work = read_row();
    if (!work) return failure_at(place_of(work.error()), work.error().field, work.error().message, work.error().hint);
    has_ended_ = false;
    return *std::move(work);
  }

 private:
  FieldResult<Work> read_row() {
    WorkTexts texts;
    for (const auto& [index, text] : work_columns_) texts.*text = trim(records_.fields()[index].text);
    auto work = maker_.make(texts);
    if (!work) return work;
    const auto pod = pod_of_row(work->tenant);
    if (!pod) return tl::unexpected(pod.error());
    work->pods.front().pod = *pod;
    return work;
  }

  FieldResult<std::shared_ptr<const kube::Pod>> pod_of_row(const std::string& tenant) {
    key_ = tenant;
    for (const std::size_t index : pod_columns_) {
      key_ += '\0';
      key_ += records_.fields()[index].text;
    }
    if (const auto known = by_text_.find(key_); known != by_text_.end()) return known->second;
    PodOfOneContainer row;
    for (const std::size_t index : pod_columns_) {
      const auto good = set_pod_field(row, columns_.names()[index], trim(records_.fields()[index].text));
      if (!good) return tl::unexpected(good.error());
    }
    auto pod = pods_.pod(row, tenant);
    if (auto wrong = fault_of(row, *pod)) return tl::unexpected(*std::move(wrong));
    by_text_.emplace(key_, pod);
    return pod;
  }

  [[nodiscard]] SourcePosition place_of(const FieldFault& fault) const {
    const auto index = columns_.find(fault.field);
    return index ? records_.at(records_.fields()[*index]) : records_.at();
  }

  std::unique_ptr<Lines> lines_;
  CsvRecords records_;
  CsvColumns columns_;
  std::vector<std::pair<std::size_t, std::optional<std::string_view> WorkTexts::*>> work_columns_;
  std::vector<std::size_t> pod_columns_;
  WorkMaker maker_;
  PodsOfOneContainer pods_;
  std::unordered_map<std::string, std::shared_ptr<const kube::Pod>> by_text_;
  std::string key_;
  bool has_ended_ = false;
};

}  // namespace

bool is_csv_header(std::string_view line) {
  const std::vector<std::string_view> known = csv_work_columns();
  return std::ranges::any_of(
      split(line, ","), [&](std::string_view name) { return std::ranges::find(known, trim(name)) != known.end(); });
}

Result<std::unique_ptr<WorkSource>> read_csv_work(std::unique_ptr<Lines> lines) {
  auto works = std::make_unique<CsvWorks>(std::move(lines));
  if (auto good = works->read_header(); !good) return tl::unexpected(good.error());
  return works;
}

}  // namespace loadline::trace
