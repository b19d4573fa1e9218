#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

namespace loadline::kube {

/// Reads and decodes one text as the file "f".
inline Decoding decode_text(std::string_view text, RetiredVersions retired = RetiredVersions::kRefused) {
  document::Reading reading = document::read(text, "f");
  std::vector<SourceDocument> documents;
  for (document::Value& value : reading.documents) documents.push_back({std::move(value), "f"});
  Decoding decoding = decode(documents, retired);
  decoding.diagnostics.insert(decoding.diagnostics.begin(), reading.problems.begin(), reading.problems.end());
  return decoding;
}

/// The same of a scheduler configuration with these fields; the first line of them is line 3.
inline Decoding decode_configuration(std::string_view fields) {
  return decode_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
                     std::string(fields));
}

/// `3:5 error path: message`, one a diagnostic: what tables compare.
inline std::vector<std::string> lines_of(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string line = std::to_string(diagnostic.at.line) + ":" + std::to_string(diagnostic.at.column);
    line += " " + std::string(severity_word(diagnostic.severity)) + " ";
    line += diagnostic.path + (diagnostic.path.empty() ? "" : ": ") + diagnostic.message;
    lines.push_back(std::move(line));
  }
  return lines;
}

inline std::vector<std::string> hints_of(const Diagnostics& diagnostics) {
  std::vector<std::string> hints;
  for (const Diagnostic& diagnostic : diagnostics) hints.push_back(diagnostic.hint);
  return hints;
}

}  // namespace loadline::kube
