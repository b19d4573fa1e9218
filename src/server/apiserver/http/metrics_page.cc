#include "server/apiserver/http/metrics_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/apiserver/http/in_time.h"
#include "server/apiserver/http/responder.h"

namespace loadline::apiserver {

void MetricsPage::respond(std::shared_ptr<net::Exchange> exchange) {
  for (std::size_t index = 0; index < sources_.size(); ++index) ask(index);
  if (!is_any_awaited()) return answer(*exchange);
  waiting_.push_back(std::move(exchange));
  if (patience_ == nullptr) patience_ = wall_->after(kAnswerPatience, [this] { give_up(); });
}

/// Not twice at once: a source that is stuck would otherwise find a question of each scrape when it goes on.
void MetricsPage::ask(std::size_t index) {
  if (std::exchange(sources_[index].is_asked, true)) return;
  sources_[index].ask([this, index, alive = std::weak_ptr<int>(alive_)](std::string text) {
    if (alive.expired()) return;
    Source& source = sources_[index];
    source.last = std::move(text);
    source.is_asked = source.is_late = false;
    source.has_answered = true;
    source.answered_at = wall_->now();
    if (!is_any_awaited()) answer_all();
  });
}

bool MetricsPage::is_any_awaited() const {
  return std::ranges::any_of(sources_, [](const Source& source) { return source.is_asked && !source.is_late; });
}

void MetricsPage::give_up() {
  for (Source& source : sources_) source.is_late = source.is_asked;
  answer_all();
}

void MetricsPage::answer_all() {
  patience_.reset();
  for (const std::shared_ptr<net::Exchange>& exchange : std::exchange(waiting_, {})) answer(*exchange);
}

void MetricsPage::answer(net::Exchange& exchange) const {
  std::string text = own_();
  for (const Source& source : sources_) {
    if (source.is_late) {
      text += fmt::format("# scheduler and controllers are busy: {}\n",
                          source.has_answered ? "what follows is of " + format_rfc3339(source.answered_at)
                                              : "they have not told their figures yet");
    }
    text += source.last;
  }
  respond_text(exchange, 200, std::move(text), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
}

}  // namespace loadline::apiserver
