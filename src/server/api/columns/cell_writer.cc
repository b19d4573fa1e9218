#include "server/api/columns/cell_writer.h"

#include "foundation/document/writer.h"
#include "server/api/columns/human_duration.h"
#include "server/api/columns/reading.h"

namespace loadline::api {

void CellWriter::separate() {
  if (!is_first_) text_ += ',';
  is_first_ = false;
}

void CellWriter::text(std::string_view cell) {
  separate();
  document::append_json(text_, cell);
}

void CellWriter::integer(std::int64_t cell) {
  separate();
  text_ += std::to_string(cell);
}

void CellWriter::number(double cell) {
  separate();
  document::append_json(text_, document::Value(cell));
}

void CellWriter::boolean(bool cell) {
  separate();
  text_ += cell ? "true" : "false";
}

void CellWriter::null() {
  separate();
  text_ += "null";
}

void CellWriter::age(const document::Value& object) { text(since(time_at(object, "metadata", "creationTimestamp"))); }

std::string CellWriter::since(std::optional<Instant> at) const { return at ? human_duration(now_ - *at) : "<unknown>"; }

}  // namespace loadline::api
