#include "hosts/simulator/runtime_class_notes.h"

#include <cstddef>
#include <map>
#include <string>

#include "brain/admission/runtime_class.h"
#include "foundation/base/text.h"
#include "foundation/document/yaml_scalar.h"

namespace loadline::simulator {
namespace {

Diagnostic about_runtime(const std::string& name) {
  Diagnostic note;
  note.severity = Severity::kWarning;
  note.subject = "RuntimeClass " + name;
  return note;
}

Diagnostic missing(const std::string& name, std::size_t pods) {
  Diagnostic note = about_runtime(name);
  note.message = "is not in the input, so the API server refuses " + counted(pods, "pod");
  note.hint = "add it, as your cluster has it (kubectl get runtimeclass " + name + " -o yaml" +
              (name == "nvidia" ? "; the GPU operator makes it" : "") +
              "), or in its plainest form\n"
              "apiVersion: node.k8s.io/v1\n"
              "kind: RuntimeClass\n"
              "metadata: {name: " +
              document::scalar_text(name) + "}\nhandler: " + document::scalar_text(kube::handler_for(name));
  return note;
}

Diagnostic unseen(const std::string& name, std::size_t pods) {
  Diagnostic note = about_runtime(name);
  note.message = "is not in the dump of the cluster, which holds no RuntimeClasses at all: it is taken to exist for " +
                 counted(pods, "pod") + ", without overhead and without a choice of nodes";
  note.hint = "make the dump with loadline dump, which takes them along";
  return note;
}

}  // namespace

Diagnostics note_runtime_classes(const kube::Objects& objects, const std::vector<Arrival>& pods) {
  const admission::RuntimeClasses classes(objects);
  std::map<std::string, std::size_t> refused;
  std::map<std::string, std::size_t> taken;
  for (const Arrival& arrival : pods) {
    const kube::PodSpec& spec = *arrival.pod.spec;
    if (spec.runtime_class_name.empty() || arrival.pod.metadata.from_cluster()) continue;
    if (classes.is_unseen(spec)) {
      ++taken[spec.runtime_class_name];
    } else if (arrival.rejection && arrival.rejection->plugin == admission::Plugin::kRuntimeClass &&
               !classes.has(spec.runtime_class_name)) {
      ++refused[spec.runtime_class_name];
    }
  }
  Diagnostics notes;
  for (const auto& [name, count] : refused) notes.push_back(missing(name, count));
  for (const auto& [name, count] : taken) notes.push_back(unseen(name, count));
  return notes;
}

}  // namespace loadline::simulator
