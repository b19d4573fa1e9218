// Writes files, compressed, as a C++ source that defines loadline::schema::embedded_files: a step of the build.
//
//   loadline_embed OUT.cc ROOT FILE...     each file is known by its path below ROOT
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "foundation/document/gzip.h"

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(std::ostream& out, std::size_t index, const std::string& bytes) {
  out << "constexpr unsigned char kFile" << index << "[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 32 == 0) out << '\n';
    out << static_cast<unsigned>(static_cast<unsigned char>(bytes[i])) << ',';
  }
  out << "\n};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: loadline_embed OUT.cc ROOT FILE...\n";
    return 2;
  }
  std::ofstream out(argv[1], std::ios::binary);
  out << "#include \"objects/schema/embedded.h\"\n\nnamespace loadline::schema {\nnamespace {\n\n";
  std::string table;
  for (int i = 3; i < argc; ++i) {
    const std::string text = read_file(argv[i]);
    if (text.empty()) {
      std::cerr << "loadline_embed: cannot read " << argv[i] << '\n';
      return 1;
    }
    const auto index = static_cast<std::size_t>(i - 3);
    write_bytes(out, index, loadline::document::compress_gzip(text));
    const std::string name = std::filesystem::path(argv[i]).lexically_relative(argv[2]).generic_string();
    table += "    {\"" + name + "\", {kFile" + std::to_string(index) + ", sizeof kFile" + std::to_string(index) +
             "}, " + std::to_string(text.size()) + "},\n";
  }
  out << "\nconstexpr EmbeddedFile kFiles[] = {\n"
      << table << "};\n\n}  // namespace\n\n"
      << "std::span<const EmbeddedFile> embedded_files() { return kFiles; }\n\n}  // namespace loadline::schema\n";
  return out.flush() ? 0 : 1;
}
