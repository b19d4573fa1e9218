#include "hosts/replay/arrangements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "hosts/trace/openb.h"
#include "objects/kube/core/node.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"

namespace loadline::replay {
namespace {

/// Above 0 and below 1.
double uniform(Rng& rng) {
  constexpr double kSteps = 9007199254740992.0;  // 2^53
  return (static_cast<double>(rng.next() >> 11) + 0.5) / kSteps;
}

/// Fisher and Yates' method, in Knuth's form.
template <class Item>
void shuffle(std::vector<Item>& items, Rng& rng) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.below(i)]);
}

std::int64_t milli_gpus_of(const trace::Work& work) {
  std::int64_t sum = 0;
  for (const trace::PodsAlike& alike : work.pods) {
    const kube::ResourceList requests = kube::pod_requests(*alike.pod->spec, nullptr, {});
    std::int64_t whole = 0;
    for (const auto& [name, amount] : requests) {
      if (kube::is_gpu_resource(name)) whole += 1000 * amount.value();
    }
    const auto shares = requests.find(trace::kGpuMilli);
    sum += static_cast<std::int64_t>(alike.count) * (shares == requests.end() ? whole : shares->second.value());
  }
  return sum;
}

/// Works one second after the other, for ever.
class Arrivals final : public trace::WorkSource {
 public:
  explicit Arrivals(std::vector<trace::Work> works) : works_(std::move(works)) {}
  Result<std::optional<trace::Work>> next() override {
    if (next_ == works_.size()) return std::nullopt;
    trace::Work work = std::move(works_[next_]);
    work.arrives = Duration::seconds(static_cast<std::int64_t>(next_++));
    work.run_time.reset();
    work.deleted.reset();
    return work;
  }

 private:
  std::vector<trace::Work> works_;
  std::size_t next_ = 0;
};

/// Leaves out random works until those that are left ask for `surplus` less, at least.
void leave_out(std::vector<trace::Work>& works, std::int64_t surplus, Rng& rng) {
  while (surplus > 0) {
    const std::size_t index = rng.below(works.size());
    surplus -= milli_gpus_of(works[index]);
    works.erase(works.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

/// Adds copies of random works until the next draw would ask for more than `room`.
void inflate(std::vector<trace::Work>& works, std::int64_t room, Rng& rng) {
  const std::size_t originals = works.size();
  for (std::size_t copies = 0;; ++copies) {
    trace::Work copy = works[rng.below(originals)];
    room -= milli_gpus_of(copy);
    if (room < 0) return;
    copy.name += fmt::format("-copy-{}", copies);
    works.push_back(std::move(copy));
  }
}

Result<std::vector<trace::Work>> read_all(trace::WorkSource& source) {
  std::vector<trace::Work> works;
  while (true) {
    Result<std::optional<trace::Work>> work = source.next();
    if (!work) return tl::unexpected(work.error());
    if (!*work) return works;
    works.push_back(**std::move(work));
  }
}

}  // namespace

double standard_normal(Rng& rng) {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(uniform(rng)));
  return radius * std::cos(kTwoPi * uniform(rng));
}

void shuffle_nodes(kube::Objects& objects, std::uint64_t seed) {
  Rng rng(seed);
  shuffle(objects.of<kube::Node>(), rng);
}

Result<std::optional<trace::Work>> NoisyWorks::next() {
  Result<std::optional<trace::Work>> work = source_->next();
  if (!work || !*work) return work;
  const double factor = std::exp(sigma_ * standard_normal(rng_));
  if (std::optional<Duration>& run_time = (*work)->run_time; run_time) {
    const double seconds = std::round(static_cast<double>(run_time->nanoseconds) / 1e9 * factor);
    run_time = Duration::seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds)));
  }
  return work;
}

Result<std::unique_ptr<trace::WorkSource>> fill_cluster(trace::WorkSource& source, std::int64_t gpus, double ratio,
                                                        std::uint64_t seed) {
  Result<std::vector<trace::Work>> read = read_all(source);
  if (!read) return tl::unexpected(read.error());
  std::vector<trace::Work> works = *std::move(read);
  const auto wanted = static_cast<std::int64_t>(std::llround(ratio * static_cast<double>(gpus)));
  std::int64_t total = 0;
  for (const trace::Work& work : works) total += milli_gpus_of(work);
  if (total == 0) return failure("no work of the trace asks for a GPU, so GPUs cannot be filled with it");
  Rng rng(seed);
  shuffle(works, rng);
  if (total > wanted) {
    leave_out(works, total - wanted, rng);
  } else {
    inflate(works, wanted - total, rng);
  }
  return std::make_unique<Arrivals>(std::move(works));
}

}  // namespace loadline::replay
