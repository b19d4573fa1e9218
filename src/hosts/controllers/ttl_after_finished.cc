#include "hosts/controllers/ttl_after_finished.h"

#include <string>
#include <utility>

#include "brain/workloads/job.h"
#include "foundation/document/at.h"

namespace loadline::controllers {
namespace {

class TtlAfterFinishedController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "ttl-after-finished-controller"; }

  void subscribe(Subscriptions& to) override { to.on<kube::Job>(own_key<kube::Job>); }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const ObjectPtr<kube::Job> job = context.caches.of<kube::Job>().find(key);
    if (job == nullptr || job->is_being_deleted() || !job->view.spec.ttl_seconds_after_finished) return result;
    const kube::JobCondition* end = workloads::finished_condition(job->view);
    if (end == nullptr || !end->last_transition_time) return result;
    const Instant expiry = *end->last_transition_time + Duration::seconds(*job->view.spec.ttl_seconds_after_finished);
    if (expiry > context.now) {
      result.wake_after(expiry - context.now);
      return result;
    }
    kube::DeleteOptions options;
    options.propagation = kube::DeleteOptions::Propagation::kForeground;
    // Of that very version: its time to live may have been changed.
    options.resource_version = std::string(document::text_at(job->document, {"metadata", "resourceVersion"}));
    result.then(remove(kind_name<kube::Job>(), key, job->metadata().uid, std::move(options)));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_ttl_after_finished_controller() {
  return std::make_unique<TtlAfterFinishedController>();
}

}  // namespace loadline::controllers
