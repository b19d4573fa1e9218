#include "foundation/document/unrendered.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace loadline::document {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChart = "Chart.yaml";
constexpr std::array<const char*, 3> kKustomizations = {"kustomization.yaml", "kustomization.yml", "Kustomization"};

bool has_file(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(folder / name, error);
}

/// A name for the release, which Helm wants to be told: the chart's folder's, where it may be one.
std::string release_name(const fs::path& chart) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(chart, error);
  const std::string name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  return is_name ? name : "NAME";
}

}  // namespace

Renderer renderer_of(const fs::path& folder) {
  if (has_file(folder, kChart)) return Renderer::kHelm;
  const bool is_kustomized =
      std::ranges::any_of(kKustomizations, [&](const char* name) { return has_file(folder, name); });
  return is_kustomized ? Renderer::kKustomize : Renderer::kNone;
}

Renderer renderer_of_file(const fs::path& file) {
  const fs::path name = file.filename();
  if (name == kChart) return Renderer::kHelm;
  const bool is_kustomization = std::ranges::any_of(kKustomizations, [&](const char* each) { return name == each; });
  return is_kustomization ? Renderer::kKustomize : Renderer::kNone;
}

fs::path enclosing_chart(const fs::path& path) {
  constexpr int kLevels = 3;  // chart/templates/tests/pod.yaml
  fs::path folder = path;
  for (int level = 0; level <= kLevels; ++level) {
    if (has_file(folder, kChart)) return folder;
    const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    if (parent == folder) break;
    folder = parent;
  }
  return {};
}

std::string render_command(Renderer renderer, const fs::path& folder, std::string_view pipe_into) {
  const std::string command = renderer == Renderer::kHelm
                                  ? "helm template " + release_name(folder) + " " + folder.string()
                                  : "kubectl kustomize " + folder.string();
  return command + " | " + std::string(pipe_into);
}

}  // namespace loadline::document
