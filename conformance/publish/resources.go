package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// preview are the versions below GA that are published, too: what schedulers read and no GA version has.
var preview = []string{"scheduling.k8s.io/v1alpha2"}

// group is one API group as discovery lists it, with the versions that are published.
type group struct {
	Name     string
	Versions []string
}

// subresource is what lies below an object's path.
type subresource struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Verbs []string `json:"verbs"`
}

// resource is one line of the tables.
type resource struct {
	Version        string        `json:"version"`
	Kind           string        `json:"kind"`
	Plural         string        `json:"plural"`
	Singular       string        `json:"singular,omitempty"`
	Namespaced     bool          `json:"namespaced,omitempty"`
	Verbs          []string      `json:"verbs"`
	ShortNames     []string      `json:"shortNames,omitempty"`
	Categories     []string      `json:"categories,omitempty"`
	StorageVersion string        `json:"storageVersion"`
	StorageHash    string        `json:"storageHash,omitempty"`
	ReturnsDeleted bool          `json:"returnsDeleted,omitempty"` // DELETE answers with the object, not a Status
	Subresources   []subresource `json:"subresources,omitempty"`
}

func readJSON(path string, into any) error {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, into)
}

// groups reads which groups and versions are published, in the order of discovery; core comes first.
func groups(discovery string) ([]group, error) {
	var list metav1.APIGroupList
	if err := readJSON(filepath.Join(discovery, "apis.json"), &list); err != nil {
		return nil, err
	}
	out := []group{{"", []string{"v1"}}}
	for _, entry := range list.Groups {
		one := group{Name: entry.Name}
		for _, version := range entry.Versions {
			if isStable(version.Version) || slices.Contains(preview, version.GroupVersion) {
				one.Versions = append(one.Versions, version.Version)
			}
		}
		if len(one.Versions) > 0 {
			out = append(out, one)
		}
	}
	// Served by an aggregated API server in real clusters, hence after all others.
	return append(out, group{"metrics.k8s.io", []string{"v1beta1"}}), nil
}

func isStable(version string) bool { return !strings.ContainsAny(version[1:], "ab") }

// groupVersion is "v1" or "apps/v1".
func groupVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// fileName is how upstream names a group-version's files: "api__v1", "apis__apps__v1".
func fileName(group, version string) string {
	if group == "" {
		return "api__" + version
	}
	return "apis__" + group + "__" + version
}

// resources reads one version's resources from upstream's recorded discovery.
func resources(discovery string, of group, version string) ([]resource, error) {
	if of.Name == "metrics.k8s.io" {
		return metricsResources(), nil
	}
	var list metav1.APIResourceList
	if err := readJSON(filepath.Join(discovery, fileName(of.Name, version)+".json"), &list); err != nil {
		return nil, err
	}
	var out []resource
	byPlural := map[string]int{}
	for _, entry := range list.APIResources {
		plural, below, isSubresource := strings.Cut(entry.Name, "/")
		kindVersion := list.GroupVersion
		if entry.Version != "" {
			kindVersion = groupVersion(entry.Group, entry.Version)
		}
		if isSubresource {
			index, found := byPlural[plural]
			if !found {
				return nil, fmt.Errorf("%s comes before %s", entry.Name, plural)
			}
			out[index].Subresources = append(out[index].Subresources,
				subresource{below, kindVersion + " " + entry.Kind, entry.Verbs})
			continue
		}
		byPlural[plural] = len(out)
		out = append(out, resource{
			Version: list.GroupVersion, Kind: entry.Kind, Plural: entry.Name, Singular: entry.SingularName,
			Namespaced: entry.Namespaced, Verbs: entry.Verbs, ShortNames: entry.ShortNames, Categories: entry.Categories,
			StorageVersion: storageVersion(of, version, entry), StorageHash: entry.StorageVersionHash,
		})
	}
	return out, nil
}

// storageVersion finds the version whose hash discovery shows.
func storageVersion(of group, version string, entry metav1.APIResource) string {
	for _, candidate := range of.Versions {
		if storageHash(of.Name, candidate, entry.Kind) == entry.StorageVersionHash {
			return candidate
		}
	}
	return version
}

// storageHash is how the API server makes storageVersionHash (apiserver's discovery.StorageVersionHash).
func storageHash(group, version, kind string) string {
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// metricsResources are those of metrics-server, which is no part of the API server's recorded discovery.
func metricsResources() []resource {
	read := []string{"get", "list"}
	return []resource{
		{Version: "metrics.k8s.io/v1beta1", Kind: "NodeMetrics", Plural: "nodes", Verbs: read, StorageVersion: "v1beta1"},
		{Version: "metrics.k8s.io/v1beta1", Kind: "PodMetrics", Plural: "pods", Namespaced: true, Verbs: read,
			StorageVersion: "v1beta1"},
	}
}
