// Objects that an API server accepts and no author of manifests would write, created in a live cluster: whatever they
// contain, the cluster neither crashes nor writes for ever.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "api_robustness/metered_client.h"
#include "api_robustness/mutation.h"
#include "brain/capacity/node_template_text.h"
#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/embedded/cluster.h"
#include "hosts/kubelet/virtual_nodes.h"

namespace loadline::api_robustness {
namespace {

using document::Value;

constexpr std::uint64_t kObjects = 8;  // made in one run, of those in objects.yaml
constexpr std::uint64_t kChanges = 4;
constexpr std::uint64_t kMostMutations = 3;  // of one object

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

std::vector<Value> read_objects() {
  std::ifstream file("tests/api_robustness/objects.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  document::Reading reading = document::read_yaml(text, "objects.yaml");
  if (!reading.problems.empty()) throw std::runtime_error(reading.problems.front().message);
  return reading.documents;
}

bool is_of_the_cluster(std::string_view kind) {
  return kind == "Node" || kind == "Namespace" || kind == "PersistentVolume" || kind == "StorageClass" ||
         kind == "Stage" || kind == "PriorityClass";
}

kube::ResourceReference reference_to(const Value& object, std::string subresource = {}) {
  const std::string version(document::text_at(object, {"apiVersion"}));
  const std::string kind(document::text_at(object, {"kind"}));
  kube::ResourceReference of;
  const std::size_t slash = version.find('/');
  of.group = slash == std::string::npos ? "" : version.substr(0, slash);
  of.version = slash == std::string::npos ? version : version.substr(slash + 1);
  for (const char c : kind) of.plural += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  of.plural += kind.ends_with("s") ? "es" : "s";
  if (!is_of_the_cluster(kind)) of.name_space = "default";
  of.name = document::text_at(object, {"metadata", "name"});
  of.subresource = std::move(subresource);
  return of;
}

/// One cluster, and the client that creates and changes such objects.
class Ordeal {
 public:
  Ordeal(const std::vector<Value>& objects, std::uint64_t seed) : objects_(objects), random_(seed), meter_(loop_) {
    embedded::ClusterOptions options;
    options.plane.seed = seed;
    options.plane.commits_on_loop = true;
    options.wire = [this](std::unique_ptr<kube::Client> client) {
      return std::make_unique<MeteredClient>(std::move(client), meter_);
    };
    kubelet::NodeGeneration nodes;
    nodes.templates.push_back(capacity::parse_node_template("3").value());
    nodes.templates.push_back(capacity::parse_node_template("1:gpu=a100:8").value());
    nodes.now = loop_.now();
    options.nodes = kubelet::generate_nodes(nodes).value();
    cluster_ = std::move(embedded::Cluster::open(loop_, std::move(options)).value());
    client_ = cluster_->client("people");
    cluster_->when_ready([](const Result<void>&) {});
    loop_.run_until_idle();
  }

  void run() {
    for (std::uint64_t count = 0; count < kObjects; ++count) make();
    loop_.advance(Duration::seconds(40));
    for (std::uint64_t count = 0; count < kChanges; ++count) {
      change();
      loop_.advance(Duration::seconds(20));
    }
    loop_.advance(Duration::seconds(300));
    for (const Value& object : made_) {
      client_->remove(reference_to(object), {}, [](const kube::Answer<Value>&) {});
      loop_.advance(Duration::seconds(5));
    }
    loop_.advance(Duration::seconds(120));
  }

  [[nodiscard]] const std::string& story() const { return story_; }
  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  Value distorted(Value object) {
    for (std::uint64_t count = random_.below(kMostMutations + 1); count > 0; --count) object = mutated(object, random_);
    return object;
  }

  void make() {
    const Value& original = objects_.at(random_.below(objects_.size()));
    const Value object = distorted(original);
    story_ += "create " + document::write_json(object) + "\n";
    client_->create(reference_to(original), object, [this](const kube::Answer<Value>& answer) {
      note(answer);
      if (answer) made_.push_back(*answer);
    });
    loop_.run_until_idle();
  }

  void change() {
    if (made_.empty()) return;
    const Value& object = made_.at(random_.below(made_.size()));
    client_->get(reference_to(object), [this](const kube::Answer<Value>& now) {
      if (!now) return;
      const std::string subresource = random_.below(3) == 0 ? "status" : "";
      const Value changed = distorted(*now);
      story_ += "update " + subresource + " " + document::write_json(changed) + "\n";
      client_->update(reference_to(*now, subresource), changed,
                      [this](const kube::Answer<Value>& answer) { note(answer); });
    });
    loop_.run_until_idle();
  }

  void note(const kube::Answer<Value>& answer) {
    ++(answer ? accepted_ : refused_);
    if (!answer) story_ += "  " + answer.error().message + "\n";
    if (answer || answer.error().code < 500) return;
    // Upstream says 500 where a resourceVersion is no number.
    if (!answer.error().message.starts_with("strconv.ParseUint"))
      throw std::runtime_error("the server failed: " + answer.error().message);
  }

  const std::vector<Value>& objects_;
  VirtualLoop loop_{Instant{1'767'225'600'000'000'000}};
  Rng random_;
  Meter meter_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
  std::vector<Value> made_;
  std::string story_;
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
};

TEST(ApiRobustness, ObjectsAreBorne) {
  const std::uint64_t first = number_of("LOADLINE_ROBUSTNESS_FIRST_SEED", 1);
  const std::uint64_t seeds = number_of("LOADLINE_ROBUSTNESS_SEEDS", 100);
  const bool goes_on = number_of("LOADLINE_ROBUSTNESS_GOES_ON", 0) != 0;
  const std::vector<Value> objects = read_objects();
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    if (goes_on) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    Ordeal ordeal(objects, seed);
    try {
      ordeal.run();
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << "LOADLINE_ROBUSTNESS_FIRST_SEED=" << seed << ": " << error.what() << '\n' << ordeal.story();
      if (!goes_on) return;
    }
    accepted += ordeal.accepted();
    refused += ordeal.refused();
  }
  std::printf("%llu objects and changes accepted, %llu refused\n", static_cast<unsigned long long>(accepted),
              static_cast<unsigned long long>(refused));
  // Else this tests validation, which others do.
  EXPECT_GT(accepted, seeds * (kObjects + kChanges) / 4);
  EXPECT_GT(refused, seeds);
}

}  // namespace
}  // namespace loadline::api_robustness
