#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/outline.h"
#include "foundation/document/value.h"
#include "objects/schema/catalog.h"
#include "server/api/json_path/json_path.h"

namespace loadline::api {

/// One column of a Table, as clients see it.
struct TableColumn {
  std::string_view name;
  std::string_view type = "string";  ///< string, integer, number, boolean, date
  std::string_view format = {};      ///< "name" for the column of names
  std::string_view description = {};
  std::int32_t priority = 0;  ///< above 0: shown by `-o wide` only; clients always get all
};

/// What a row says about its object (`includeObject`).
enum class IncludeObject : std::uint8_t { kMetadata, kNone, kObject };

/// `includeObject`'s word, or nothing if it is no such word; empty means Metadata.
std::optional<IncludeObject> parse_include_object(std::string_view word);

/// What a list says about itself. Empty and absent members are not written, as Go's omitempty.
struct ListMeta {
  std::string_view resource_version;
  std::string_view continue_token = {};
  std::optional<std::int64_t> remaining_item_count = std::nullopt;
};

class CellWriter;

/// The columns of one kind: upstream's for built-in kinds, additionalPrinterColumns for custom ones, Name and Created
/// At for kinds that upstream has no printer for. Immutable; make it once for each resource and share it. Source:
/// k8s.io/kubernetes/pkg/printers/internalversion, apiextensions-apiserver's tableconvertor, v1.36.
class TableColumns {
 public:
  /// A printer column whose path cannot be parsed ends the list of columns, as upstream.
  explicit TableColumns(const schema::Resource& resource);
  /// Of a built-in kind that is no resource of its own (Scale), or of one.
  explicit TableColumns(const schema::GroupVersionKind& kind);

  [[nodiscard]] const std::vector<TableColumn>& columns() const { return columns_; }

 private:
  friend class TableWriter;
  struct CustomColumn {
    std::string type;
    JsonPath path;
  };
  using Cells = void (*)(const document::Value& object, CellWriter& cells);

  void use_built_in(std::string_view group, std::string_view kind);
  void use_custom(const std::vector<schema::PrinterColumn>& columns);
  void write_cells(const document::Value& object, CellWriter& cells) const;

  std::vector<TableColumn> columns_;
  Cells cells_ = nullptr;  // null: a custom kind
  document::OutlineWish needs_{.cut = "metadata"};
  bool empty_is_null_ = false;
  std::vector<CustomColumn> custom_;
  std::shared_ptr<const std::vector<schema::PrinterColumn>> texts_;  // what columns_ points into, for a custom kind
};

/// How a client wants its Table.
struct TableOptions {
  std::string_view version = "v1";  ///< of meta.k8s.io: v1 or v1beta1
  IncludeObject include = IncludeObject::kMetadata;
  bool has_definitions = true;  ///< false after the first event of a watch
};

/// Writes one Table as JSON at the end of a text, in pieces: begin, a row for each object, end. Between the calls the
/// text may be taken away and emptied. Cost of a row: its cells, plus the JSON of the object's metadata or object.
///
///     TableWriter table(columns, {.include = IncludeObject::kNone}, now, body);
///     table.begin({.resource_version = "209"});
///     for (const Value& pod : pods) table.add(pod);
///     table.end();
class TableWriter {
 public:
  /// `columns` and `text` must outlive the writer. Ages are those at `now`.
  TableWriter(const TableColumns& columns, TableOptions options, Instant now, std::string& text)
      : columns_(columns), options_(options), now_(now), text_(text) {}

  void begin(const ListMeta& list);
  /// Cells from `object`; `shown` is what IncludeObject::kObject shows of it: the document in the version asked for,
  /// with apiVersion and kind.
  void add(const document::Value& object, const document::Value& shown);
  void add(const document::Value& object) { add(object, object); }
  /// The same for an object of which write_json made `json`: read as far as its cells need it.
  void add_text(std::string_view json);
  void end();

 private:
  void begin_row(const document::Value& object);

  const TableColumns& columns_;
  TableOptions options_;
  Instant now_;
  std::string& text_;
  std::size_t rows_ = 0;
};

/// The whole Table of one object: what a get answers, and the object of a watch event.
void append_table(std::string& text, const TableColumns& columns, const TableOptions& options, Instant now,
                  const document::Value& object);

}  // namespace loadline::api
