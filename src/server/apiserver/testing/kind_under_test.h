#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "server/api/defaults/defaults.h"
#include "server/apiserver/kinds/strategy.h"
#include "server/apiserver/metadata.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// The strategy of one kind, asked as the verbs ask it: documents conform, are defaulted, prepared and validated.
class KindUnderTest {
 public:
  KindUnderTest(std::string_view group, std::string_view plural)
      : resource_(*catalog().find_resource(group, plural)),
        strategy_(make_strategy(resource_)),
        store_(std::move(*store::Store::open(loop_, {}))) {}

  /// Like `{metadata: {name: x}, spec: {…}}`: what goes without saying is added. `uid` is of the new object.
  [[nodiscard]] document::Value read(std::string_view yaml) const {
    const document::Reading reading = document::read_yaml(yaml, "test");
    if (reading.documents.size() != 1) throw std::runtime_error("no document: " + std::string(yaml));
    document::Value object = reading.documents.front();
    object = object.with("apiVersion", document::Value(resource_.kind.api_version()));
    object = object.with("kind", document::Value(resource_.kind.kind));
    object = with_metadata(object, "uid", document::Value("u-1"));
    if (resource_.is_namespaced) object = with_metadata(object, "namespace", document::Value("default"));
    return completed(object);
  }

  document::Value create(std::string_view yaml) {
    StrategyContext context = this->context();
    const document::Value created = strategy_->prepare_for_create(read(yaml), context);
    errors_ = strategy_->validate(created, context);
    return created;
  }

  /// What is wrong with a new object.
  std::vector<std::string> refusals(std::string_view yaml) {
    create(yaml);
    return texts();
  }

  /// `created` after a merge patch, as PATCH and PUT make it.
  document::Value change(const document::Value& created, std::string_view patch) {
    StrategyContext context = this->context();
    const document::Value wanted = patched(created, patch);
    const document::Value changed = strategy_->prepare_for_update(wanted, created, context);
    errors_ = strategy_->validate_update(changed, created, context);
    return changed;
  }
  std::vector<std::string> change_refusals(const document::Value& created, std::string_view patch) {
    change(created, patch);
    return texts();
  }

  document::Value change_status(const document::Value& created, std::string_view patch) {
    StrategyContext context = this->context();
    const document::Value changed = strategy_->prepare_for_status_update(patched(created, patch), created, context);
    errors_ = strategy_->validate_status_update(changed, created, context);
    return changed;
  }
  std::vector<std::string> status_refusals(const document::Value& created, std::string_view patch) {
    change_status(created, patch);
    return texts();
  }

  User user{"jane", {}, {"system:authenticated"}, {}};
  std::vector<std::string> warnings;

 private:
  static const schema::Catalog& catalog() {
    static const schema::Catalog* published = new schema::Catalog(schema::Catalog::published());
    return *published;
  }
  static const api::Defaults& defaults() {
    static const api::Defaults* made = new api::Defaults(catalog());
    return *made;
  }

  StrategyContext context() { return {resource_, *store_, loop_.now(), rng_, user, warnings}; }

  [[nodiscard]] document::Value completed(const document::Value& object) const {
    const schema::Conformed conformed = schema::conform(object, *resource_.type);
    if (!conformed.error.empty()) throw std::runtime_error(conformed.error);
    return defaults().set(conformed.value, resource_, loop_.now());
  }

  [[nodiscard]] document::Value patched(const document::Value& object, std::string_view patch) const {
    const document::Reading reading = document::read_yaml(patch, "test");
    const document::PatchResult merged = document::merge_patch(object, reading.documents.front());
    if (!merged) throw std::runtime_error("no patch: " + std::string(patch));
    return completed(*merged);
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const kube::FieldError& error : errors_) texts.push_back(error.path + ": " + error.message);
    return texts;
  }

  VirtualLoop loop_;
  Rng rng_{1};
  const schema::Resource& resource_;
  std::unique_ptr<const Strategy> strategy_;
  std::unique_ptr<store::Store> store_;
  kube::FieldErrors errors_;
};

}  // namespace loadline::apiserver
