#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace loadline::document {

/// What makes manifests of a folder whose files are none yet.
enum class Renderer : std::uint8_t { kNone, kHelm, kKustomize };

/// A folder with a Chart.yaml is a Helm chart, as `helm` sees it; one with a kustomization is `kubectl kustomize`'s.
Renderer renderer_of(const std::filesystem::path& folder);

/// What renders the folder that a file of this name describes: Chart.yaml, kustomization.yaml.
Renderer renderer_of_file(const std::filesystem::path& file);

/// The chart that a file or folder belongs to: the nearest folder from `path` upward, three levels at most, with a
/// Chart.yaml. Empty if there is none.
std::filesystem::path enclosing_chart(const std::filesystem::path& path);

/// "helm template my-app charts/my-app | loadline plan -f -".
std::string render_command(Renderer renderer, const std::filesystem::path& folder, std::string_view pipe_into);

}  // namespace loadline::document
