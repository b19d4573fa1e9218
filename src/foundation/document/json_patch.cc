#include "foundation/document/json_patch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "foundation/document/mutable_tree.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

using enum PatchError::Kind;
using StepResult = tl::expected<void, std::string>;

constexpr std::size_t kMostMeasured = 64;
constexpr const char* kMissing = ": missing value";
constexpr const char* kBadIndex = ": invalid index referenced";

tl::unexpected<std::string> fault(std::string message) { return tl::unexpected<std::string>(std::move(message)); }

/// A reference token without its escapes: first "~1" is "/", then "~0" is "~".
std::string unescape(std::string_view token) {
  std::string text;
  text.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    text += is_escape ? (token[++i] == '0' ? '~' : '/') : token[i];
  }
  return text;
}

/// What Go's strconv.Atoi makes of a token.
tl::expected<std::int64_t, std::string> parse_index(std::string_view token) {
  const std::string_view digits = !token.empty() && token[0] == '+' ? token.substr(1) : token;
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool has_two_signs = digits.size() != token.size() && !digits.empty() && digits[0] == '-';
  const std::string quoted = "strconv.Atoi: parsing " + write_json(Value(token));
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size() || has_two_signs) {
    return fault(quoted + ": invalid syntax");
  }
  if (error == std::errc::result_out_of_range) return fault(quoted + ": value out of range");
  return index;
}

/// The place that a token names among `size` places, the negative ones counted from the end.
tl::expected<std::size_t, std::string> place(std::int64_t index, std::size_t size) {
  const auto places = static_cast<std::int64_t>(size);
  if (index >= places || index < -places) {
    return fault("Unable to access invalid index: " + std::to_string(index) + kBadIndex);
  }
  return static_cast<std::size_t>(index < 0 ? index + places : index);
}

tl::expected<std::size_t, std::string> find_place(std::string_view token, std::size_t size) {
  return parse_index(token).and_then([size](std::int64_t index) { return place(index, size); });
}

/// A container and the token that names something in it; no container: the path leads nowhere.
struct Target {
  MutableTree* container = nullptr;
  std::string key;
  std::size_t depth = 0;  ///< tokens of the path
};

/// The document while the operations run.
class Application {
 public:
  explicit Application(const Value& document) : root_(document), depth_bound_(depth_of(document)) {}

  StepResult run(const Value& operation);
  [[nodiscard]] Value result() const { return root_.value(); }

 private:
  Target find(std::string_view path);
  StepResult add(const Value& operation);
  StepResult remove(const Value& operation);
  StepResult replace(const Value& operation);
  StepResult move(const Value& operation);
  StepResult copy(const Value& operation);
  StepResult test(const Value& operation);
  StepResult replace_root(const Value* value);

  StepResult insert(const Target& target, MutableTree tree);
  StepResult note_depth(std::size_t depth);
  static tl::expected<MutableTree*, std::string> get(const Target& target);
  static StepResult erase(const Target& target);

  MutableTree root_;
  std::size_t depth_bound_;   // never below the depth of root_
  std::size_t measured_ = 0;  // how often the depth was
  std::size_t copied_bytes_ = 0;
};

/// "op", "path" or "from"; null if there is none.
const std::string* text_of(const Value& operation, std::string_view name) {
  const Value* value = operation.find(name);
  return value != nullptr && value->is_string() ? &value->string() : nullptr;
}

Value value_of(const Value& operation) {
  const Value* value = operation.find("value");
  return value == nullptr ? Value() : *value;
}

StepResult Application::run(const Value& operation) {
  const std::string* kind = text_of(operation, "op");
  if (kind != nullptr) {
    if (*kind == "add") return add(operation);
    if (*kind == "remove") return remove(operation);
    if (*kind == "replace") return replace(operation);
    if (*kind == "move") return move(operation);
    if (*kind == "copy") return copy(operation);
    if (*kind == "test") return test(operation);
  }
  return fault("Unexpected kind: " + (kind == nullptr ? "unknown" : *kind));
}

Target Application::find(std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return {};
  Target target{&root_, {}, 1};
  // Whatever stands before the first slash is ignored, as upstream does.
  std::string_view rest = path.substr(first + 1);
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    target.key = unescape(rest.substr(0, slash));
    const auto next = get(target);
    if (!next || *next == nullptr || !(*next)->is_container()) return {};
    target.container = *next;
    ++target.depth;
    rest.remove_prefix(slash + 1);
  }
  target.key = unescape(rest);
  return target;
}

/// Null for a member that is absent.
tl::expected<MutableTree*, std::string> Application::get(const Target& target) {
  MutableTree& container = *target.container;
  if (container.is_object()) return container.find(target.key);
  return find_place(target.key, container.size()).map([&](std::size_t at) { return &container.at(at); });
}

StepResult Application::erase(const Target& target) {
  MutableTree& container = *target.container;
  if (container.is_object()) {
    if (!container.erase(target.key)) return fault("Unable to remove nonexistent key: " + target.key + kMissing);
    return {};
  }
  return find_place(target.key, container.size()).map([&](std::size_t at) { container.erase(at); });
}

StepResult Application::insert(const Target& target, MutableTree tree) {
  MutableTree& container = *target.container;
  if (container.is_object()) {
    container.set(target.key, std::move(tree));
    return {};
  }
  const std::size_t size = container.size();
  if (target.key == "-") {
    container.insert(size, std::move(tree));
    return {};
  }
  const auto index = parse_index(target.key);
  if (!index) return fault("value was not a proper array index: '" + target.key + "': " + index.error());
  return place(*index, size + 1).map([&](std::size_t at) { container.insert(at, std::move(tree)); });
}

/// A patch may nest a document into itself again and again; everything that walks documents relies on a limit.
/// To measure it after each operation would cost too much: the bound is exact only when it matters.
StepResult Application::note_depth(std::size_t depth) {
  depth_bound_ = std::max(depth_bound_, depth);
  if (depth_bound_ <= JsonPatch::kMaxDepth) return {};
  // A patch that keeps the document at the limit is not worth measuring it thousands of times.
  if (++measured_ <= kMostMeasured) depth_bound_ = root_.depth();
  if (depth_bound_ <= JsonPatch::kMaxDepth) return {};
  return fault("the patched document is nested too deeply");
}

StepResult Application::add(const Value& operation) {
  const std::string* path = text_of(operation, "path");
  if (path == nullptr) return fault(std::string("add operation failed to decode path") + kMissing);
  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("add operation does not apply: doc is missing path: \"" + *path + "\"" + kMissing);
  }
  const Value value = value_of(operation);
  const StepResult inserted = insert(target, MutableTree(value));
  if (!inserted) return fault("error in add for path: '" + *path + "': " + inserted.error());
  return note_depth(target.depth + depth_of(value));
}

StepResult Application::remove(const Value& operation) {
  const std::string* path = text_of(operation, "path");
  if (path == nullptr) return fault(std::string("remove operation failed to decode path") + kMissing);
  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("remove operation does not apply: doc is missing path: \"" + *path + "\"" + kMissing);
  }
  const StepResult erased = erase(target);
  if (!erased) return fault("error in remove for path: '" + *path + "': " + erased.error());
  return {};
}

StepResult Application::replace_root(const Value* value) {
  if (value == nullptr || !(value->is_object() || value->is_array())) {
    return fault("replace operation value must be object or array");
  }
  root_ = MutableTree(*value);
  return note_depth(depth_of(*value));
}

StepResult Application::replace(const Value& operation) {
  const std::string* path = text_of(operation, "path");
  if (path == nullptr) {
    return fault(std::string("replace operation failed to decode path: operation missing path field") + kMissing);
  }
  if (path->empty()) return replace_root(operation.find("value"));
  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("replace operation does not apply: doc is missing path: " + *path + kMissing);
  }
  const auto found = get(target);
  if (!found) return fault("replace operation does not apply: doc is missing key: " + *path + kMissing);
  const Value value = value_of(operation);
  if (*found != nullptr) {
    **found = MutableTree(value);
  } else {
    target.container->set(target.key, MutableTree(value));
  }
  return note_depth(target.depth + depth_of(value));
}

StepResult Application::move(const Value& operation) {
  const std::string* from = text_of(operation, "from");
  if (from == nullptr) {
    return fault(std::string("move operation failed to decode from: operation, missing from field") + kMissing);
  }
  const Target source = find(*from);
  if (source.container == nullptr) {
    return fault("move operation does not apply: doc is missing from path: " + *from + kMissing);
  }
  const auto found = get(source);
  if (!found) return fault("error in move for path: '" + source.key + "': " + found.error());
  MutableTree moved{Value()};
  if (*found != nullptr) moved = std::move(**found);
  const StepResult erased = erase(source);
  if (!erased) return fault("error in move for path: '" + source.key + "': " + erased.error());

  const std::string* path = text_of(operation, "path");
  if (path == nullptr) {
    return fault(std::string("move operation failed to decode path: operation missing path field") + kMissing);
  }
  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("move operation does not apply: doc is missing destination path: " + *path + kMissing);
  }
  const StepResult inserted = insert(target, std::move(moved));
  if (!inserted) return fault("error in move for path: '" + *path + "': " + inserted.error());
  // What was moved is no deeper than all there was below its former place.
  const std::size_t depth = depth_bound_ > source.depth ? depth_bound_ - source.depth : 0;
  return note_depth(target.depth + depth);
}

StepResult Application::copy(const Value& operation) {
  const std::string* from = text_of(operation, "from");
  if (from == nullptr) {
    return fault(std::string("copy operation failed to decode from: operation, missing from field") + kMissing);
  }
  const Target source = find(*from);
  if (source.container == nullptr) {
    return fault("copy operation does not apply: doc is missing from path: " + *from + kMissing);
  }
  const auto found = get(source);
  if (!found) return fault("error in copy for from: '" + *from + "': " + found.error());
  const Value value = *found == nullptr ? Value() : (*found)->value();

  const std::string* path = text_of(operation, "path");
  if (path == nullptr) return fault(std::string("copy operation failed to decode path") + kMissing);
  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("copy operation does not apply: doc is missing destination path: " + *path + kMissing);
  }
  if (*found != nullptr) copied_bytes_ += write_json(value).size();
  if (copied_bytes_ > JsonPatch::kMaxCopiedBytes) {
    return fault("Unable to complete the copy, the accumulated size increase of copy is " +
                 std::to_string(copied_bytes_) + ", exceeding the limit " + std::to_string(JsonPatch::kMaxCopiedBytes));
  }
  const StepResult inserted = insert(target, MutableTree(value));
  if (!inserted) return fault("error while adding value during copy: " + inserted.error());
  return note_depth(target.depth + depth_of(value));
}

StepResult Application::test(const Value& operation) {
  const std::string* path = text_of(operation, "path");
  if (path == nullptr) {
    return fault(std::string("test operation failed to decode path: operation missing path field") + kMissing);
  }
  const auto failed = [path] { return fault("testing value " + *path + " failed: test failed"); };
  const Value expected = value_of(operation);
  if (path->empty()) return same_document(root_.value(), expected) ? StepResult() : failed();

  const Target target = find(*path);
  if (target.container == nullptr) {
    return fault("test operation does not apply: is missing path: " + *path + kMissing);
  }
  const auto found = get(target);
  if (!found) return fault("error in test for path: '" + *path + "': " + found.error());
  const Value actual = *found == nullptr ? Value() : (*found)->value();
  return same_document(actual, expected) ? StepResult() : failed();
}

std::string cannot_unmarshal(const Value& value, const std::string& where) {
  return "error decoding patch: json: cannot unmarshal " + std::string(value.type_name()) + " into Go " + where;
}

}  // namespace

tl::expected<JsonPatch, PatchError> JsonPatch::decode(const Value& patch) {
  JsonPatch decoded;
  if (patch.is_null()) return decoded;
  if (!patch.is_array()) return refuse(kMalformed, cannot_unmarshal(patch, "value of type []handlers.jsonPatchOp"));
  constexpr std::array<std::string_view, 3> kTexts{"op", "path", "from"};
  for (std::size_t i = 0; i < patch.array().size(); ++i) {
    const Value& operation = patch.array()[i];
    if (!operation.is_object() && !operation.is_null()) {
      return refuse(kMalformed, cannot_unmarshal(operation, "value of type handlers.jsonPatchOp"));
    }
    for (const Member& member : operation.is_null() ? Object{} : operation.object()) {
      const bool is_text = std::ranges::find(kTexts, member.key) != kTexts.end();
      if (is_text && !member.value.is_string() && !member.value.is_null()) {
        const std::string field = "struct field jsonPatchOp." + member.key + " of type string";
        return refuse(kMalformed, cannot_unmarshal(member.value, field));
      }
      if (!is_text && member.key != "value") {
        decoded.strict_errors_.push_back("json patch unknown field \"[" + std::to_string(i) + "]." + member.key + "\"");
      }
    }
  }
  if (patch.array().size() > kMaxOperations) {
    return refuse(kTooLarge, "The allowed maximum operations in a JSON patch is " + std::to_string(kMaxOperations) +
                                 ", got " + std::to_string(patch.array().size()));
  }
  decoded.operations_ = patch.array();
  return decoded;
}

PatchResult JsonPatch::apply(const Value& document) const {
  Application application(document);
  for (const Value& operation : operations_) {
    const StepResult outcome = application.run(operation);
    if (!outcome) return refuse(kDoesNotApply, outcome.error());
  }
  return application.result();
}

PatchResult json_patch(const Value& document, const Value& patch) {
  return JsonPatch::decode(patch).and_then([&](const JsonPatch& decoded) { return decoded.apply(document); });
}

}  // namespace loadline::document
