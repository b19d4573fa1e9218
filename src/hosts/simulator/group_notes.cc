#include "hosts/simulator/group_notes.h"

#include <fmt/format.h>

#include <string_view>

#include "brain/admission/priority.h"
#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "foundation/base/closest.h"

namespace loadline::simulator {

std::string GroupOfNoClass::message() const {
  return fmt::format("there is no PriorityClass {}, so the group has the priority of its pods", name_of_class);
}

std::vector<GroupOfNoClass> groups_of_no_class(const kube::Objects& objects) {
  std::vector<GroupOfNoClass> groups;
  SymbolTable symbols;
  const admission::PriorityClasses classes(objects.of<kube::PriorityClass>());
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) {
      const cluster::GroupDescription said = cluster::spellings::describe(object, symbols);
      const std::string& name = said.rules.priority_class;
      if (name.empty() || said.rules.priority || classes.value_of(name)) continue;
      groups.push_back(
          {fmt::format("{} {}/{}", cluster::spellings::word_for(said.group.spelling), said.name_space, said.group.name),
           &object.metadata, name});
    }
  });
  return groups;
}

Diagnostics note_group_priorities(const kube::Objects& objects) {
  const admission::PriorityClasses classes(objects.of<kube::PriorityClass>());
  Diagnostics notes;
  for (const GroupOfNoClass& group : groups_of_no_class(objects)) {
    Diagnostic& note = notes.emplace_back();
    note.severity = Severity::kWarning;
    note.at = group.object->source;
    note.subject = group.subject;
    note.path = kPathOfClass;
    note.message = group.message();
    const std::string_view near = closest(group.name_of_class, classes.names());
    if (!near.empty()) note.hint = fmt::format("did you mean {}?", near);
  }
  return notes;
}

}  // namespace loadline::simulator
