#include "objects/kube/codec.h"

#include "objects/kube/custom_kinds.h"
#include "objects/kube/object_reader.h"

namespace loadline::kube {

Decoding decode(const std::vector<SourceDocument>& documents, RetiredVersions retired) {
  Decoding decoding;
  CustomKinds custom_kinds(documents);
  ObjectReader reader(decoding.objects, decoding.diagnostics, retired, custom_kinds);
  for (const SourceDocument& source : documents) reader.read(source.value, source.file);
  return decoding;
}

}  // namespace loadline::kube
