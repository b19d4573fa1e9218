#include "server/api/columns/table.h"

#include <utility>

#include "foundation/base/time.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/api/columns/cell_writer.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/reading.h"
#include "server/api/partial_metadata.h"

namespace loadline::api {

using schema::GroupVersionKind;
using schema::PrinterColumn;
using schema::Resource;
namespace {

using document::Value;

constexpr TableColumn kCreatedAt = {"Created At", "date", "", "When the object was created."};

void write_name_and_creation(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  const auto created = time_at(object, "metadata", "creationTimestamp");
  cells.text(created ? format_rfc3339(*created) : "0001-01-01T00:00:00Z");
}

void write_date(const Value& value, CellWriter& cells) {
  if (!value.is_string()) return cells.null();
  if (value.string().empty() || value.string() == "null") return cells.text("<unknown>");
  const auto at = parse_rfc3339(value.string());
  cells.text(at ? cells.since(at) : "<invalid>");
}

/// A value as a column of that type shows it; null where the types differ.
void write_typed(const Value& value, std::string_view type, CellWriter& cells) {
  if (type == "string") return cells.text(printed(value));
  if (type == "integer" && value.is_integer()) return cells.integer(value.integer());
  if (type == "integer" && value.is_float()) {
    const double number = value.number();
    if (number > -9.2e18 && number < 9.2e18) return cells.integer(static_cast<std::int64_t>(number));
  }
  if (type == "number" && value.is_number()) return cells.number(value.number());
  if (type == "boolean" && value.is_boolean()) return cells.boolean(value.boolean());
  if (type == "date") return write_date(value, cells);
  cells.null();
}

void append_definition(std::string& text, const TableColumn& column) {
  const auto member = [&text](std::string_view before, std::string_view value) {
    text += before;
    document::append_json(text, value);
  };
  member(R"({"name":)", column.name);
  member(R"(,"type":)", column.type);
  member(R"(,"format":)", column.format);
  member(R"(,"description":)", column.description);
  text += R"(,"priority":)" + std::to_string(column.priority) + "}";
}

void append_conditions(std::string& text, const CellWriter& cells) {
  if (cells.reason().empty()) return;
  text += R"(,"conditions":[{"type":"Completed","status":"True","reason":)";
  document::append_json(text, cells.reason());
  text += R"(,"message":)";
  document::append_json(text, cells.message());
  text += "}]";
}

}  // namespace

std::optional<IncludeObject> parse_include_object(std::string_view word) {
  if (word.empty() || word == "Metadata") return IncludeObject::kMetadata;
  if (word == "None") return IncludeObject::kNone;
  if (word == "Object") return IncludeObject::kObject;
  return std::nullopt;
}

TableColumns::TableColumns(const Resource& resource) {
  if (resource.is_custom) {
    use_custom(resource.columns);
  } else {
    use_built_in(resource.kind.group, resource.kind.kind);
  }
}

TableColumns::TableColumns(const GroupVersionKind& kind) { use_built_in(kind.group, kind.kind); }

void TableColumns::use_built_in(std::string_view group, std::string_view kind) {
  if (const KindColumns* found = find_columns(group, kind)) {
    columns_.assign(found->columns.begin(), found->columns.end());
    cells_ = found->cells;
    needs_.kept = found->kept;
    needs_.left_out = found->left_out;
    return;
  }
  columns_ = {kName, kCreatedAt};
  cells_ = write_name_and_creation;
  empty_is_null_ = true;
}

void TableColumns::use_custom(const std::vector<PrinterColumn>& columns) {
  auto texts = std::make_shared<std::vector<PrinterColumn>>(columns);
  if (texts->empty()) {
    texts->push_back({"Age", "date", "", std::string(kAge.description), 0, ".metadata.creationTimestamp"});
  }
  columns_ = {kName};
  for (PrinterColumn& column : *texts) {
    auto path = JsonPath::parse(column.json_path);
    if (!path) break;
    if (column.description.empty()) {
      column.description = "Custom resource definition column (in JSONPath format): " + column.json_path;
    }
    custom_.push_back({column.type, std::move(*path)});
    columns_.push_back({column.name, column.type, column.format, column.description, column.priority});
  }
  texts_ = std::move(texts);
}

void TableColumns::write_cells(const Value& object, CellWriter& cells) const {
  if (cells_ != nullptr) return cells_(object, cells);
  cells.text(name_of(object));
  for (const CustomColumn& column : custom_) {
    const auto found = column.path.find(object);
    if (found && !found->empty()) {
      write_typed(*found->front(), column.type, cells);
    } else {
      cells.null();
    }
  }
}

void TableWriter::begin(const ListMeta& list) {
  text_ += R"({"kind":"Table","apiVersion":"meta.k8s.io/)";
  text_ += options_.version;
  text_ += R"(","metadata":)";
  append_list_meta(text_, list);
  text_ += R"(,"columnDefinitions":)";
  if (options_.has_definitions) {
    char separator = '[';
    for (const TableColumn& column : columns_.columns()) {
      text_ += separator;
      append_definition(text_, column);
      separator = ',';
    }
    text_ += ']';
  } else {
    text_ += "null";
  }
  text_ += R"(,"rows":)";
}

void TableWriter::begin_row(const Value& object) {
  text_ += rows_++ == 0 ? R"([{"cells":[)" : R"(,{"cells":[)";
  CellWriter cells(text_, now_);
  columns_.write_cells(object, cells);
  text_ += ']';
  append_conditions(text_, cells);
  text_ += R"(,"object":)";
}

void TableWriter::add(const Value& object, const Value& shown) {
  begin_row(object);
  switch (options_.include) {
    case IncludeObject::kNone:
      text_ += "null";
      break;
    case IncludeObject::kMetadata:
      append_partial_metadata(text_, shown, options_.version);
      break;
    case IncludeObject::kObject:
      document::append_json(text_, shown);
      break;
  }
  text_ += '}';
}

void TableWriter::add_text(std::string_view json) {
  const document::Outline outline = document::read_outline(json, columns_.needs_);
  if (outline.object.is_null()) {
    const std::vector<Value> documents = document::read_json(json, {}).documents;
    return add(documents.empty() ? Value() : documents.front());
  }
  begin_row(outline.object);
  switch (options_.include) {
    case IncludeObject::kNone:
      text_ += "null";
      break;
    case IncludeObject::kMetadata:
      append_partial_metadata_of(text_, outline.cut, options_.version);
      break;
    case IncludeObject::kObject:
      text_ += json;
      break;
  }
  text_ += '}';
}

void TableWriter::end() {
  if (rows_ == 0) {
    // Upstream's default printer leaves Go's list unmade when there is nothing to put in.
    text_ += columns_.empty_is_null_ ? "null}" : "[]}";
  } else {
    text_ += "]}";
  }
}

void append_table(std::string& text, const TableColumns& columns, const TableOptions& options, Instant now,
                  const Value& object) {
  TableWriter table(columns, options, now, text);
  table.begin({.resource_version = text_at(object, "metadata", "resourceVersion")});
  table.add(object);
  table.end();
}

}  // namespace loadline::api
