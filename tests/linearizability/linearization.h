#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loadline::linearizability {

/// The data of a ConfigMap. Every value that is ever written is a new one, so data name the version that they are of.
using Data = std::map<std::string, std::string>;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

enum class Verb : std::uint8_t {
  kGet,
  kCreate,   ///< POST of {key: value}
  kReplace,  ///< PUT of {key: value}
  kMerge,    ///< a merge patch or a strategic one: {key: value}
  kTest,     ///< a JSON patch that writes the key if its value is `tested`
  kApply,    ///< forced, with a key that this manager alone applies: makes the object if there is none
  kDelete,
};

/// One request about one object, and what became of it.
struct Operation {
  Verb verb = Verb::kGet;
  std::string key;
  std::string value;
  std::string tested;
  std::optional<Data> expected;  ///< with the resourceVersion of the version that has these data
  bool is_dry_run = false;

  std::uint64_t requested = 0;
  std::uint64_t answered = kNever;  ///< kNever: it is unknown whether it happened
  std::uint64_t until = kNever;     ///< then: it did not happen later than that
  int status = 0;
  std::optional<Data>
      found;  ///< of an answer that shows the object; of an unknown outcome: if it happened, what came of it
  std::int64_t version = 0;  ///< its resourceVersion

  [[nodiscard]] bool is_known() const { return answered != kNever; }
};

/// "12-15 merge a=v7 if {a=v3}: 409".
std::string describe(const Operation& operation);

/// Whether there is an order of the operations, each at one moment between its request and its answer, that explains
/// every answer, from the object not being there on. Operations of unknown outcome happened at one moment before
/// `until`, or never. (Wing and Gong 1993, with Lowe's memory of what was tried.) At most 512 operations.
bool is_linearizable(const std::vector<Operation>& operations);

/// The first answer that cannot be explained together with those before it; null if all of them can.
const Operation* first_unexplained(const std::vector<Operation>& operations);

}  // namespace loadline::linearizability
