#include "objects/schema/embedded.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/gzip.h"

namespace loadline::schema {

std::string embedded_text(std::string_view name) {
  const auto files = embedded_files();
  const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
  REQUIRES(file != files.end());
  const std::string_view bytes(reinterpret_cast<const char*>(file->compressed.data()), file->compressed.size());
  Result<std::string> text = document::decompress_gzip(bytes, file->size);
  REQUIRES(text.has_value());
  return std::move(*text);
}

}  // namespace loadline::schema
