// Package policy writes kube-apiserver's default roles and bindings down as the table that our server creates them
// from at start, one object a line, and proves that the table is complete.
package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// Table is the C++ header with all default objects, in the order in which upstream lists them. It panics on an object
// that its lines cannot express, so that nothing is left out silently.
func Table() string {
	// Our server serves PodGroups and Workloads.
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.GenericWorkload): true}); err != nil {
		panic(err)
	}
	var lines []string
	for _, role := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		lines = append(lines, clusterRole(role))
	}
	for _, binding := range append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...) {
		lines = append(lines, line(head("ClusterRoleBinding", binding.ObjectMeta), bound(binding.RoleRef, binding.Subjects)))
	}
	roles := bootstrappolicy.NamespaceRoles()
	for _, namespace := range slices.Sorted(maps.Keys(roles)) {
		for _, role := range roles[namespace] {
			lines = append(lines, line(head("Role", role.ObjectMeta), rules(role.Rules)))
		}
	}
	bindings := bootstrappolicy.NamespaceRoleBindings()
	for _, namespace := range slices.Sorted(maps.Keys(bindings)) {
		for _, binding := range bindings[namespace] {
			lines = append(lines, line(head("RoleBinding", binding.ObjectMeta), bound(binding.RoleRef, binding.Subjects)))
		}
	}
	return header + strings.Join(lines, "\n") + footer
}

const header = `#pragma once

#include <string_view>

namespace loadline::apiserver {

/// The default roles and bindings of Kubernetes 1.36, one object a line; bootstrap_policy.h says what the words mean.
/// Written by conformance/policy (go test ./policy -update) from upstream's package bootstrappolicy.
inline constexpr std::string_view kDefaultRoles = R"policy(`

const footer = `
)policy";

}  // namespace loadline::apiserver
`

func clusterRole(role rbacv1.ClusterRole) string {
	parts := head("ClusterRole", role.ObjectMeta)
	if role.AggregationRule != nil {
		for _, selector := range role.AggregationRule.ClusterRoleSelectors {
			if len(selector.MatchLabels) != 1 || len(selector.MatchExpressions) != 0 {
				panic(fmt.Sprintf("%s: a selector of another form", role.Name))
			}
			parts = append(parts, "aggregate "+labels(selector.MatchLabels)[0])
		}
	}
	return line(parts, rules(role.Rules))
}

// head names the object; the label and the annotation that every default object bears are not written.
func head(kind string, metadata metav1.ObjectMeta) []string {
	if metadata.Labels["kubernetes.io/bootstrapping"] != "rbac-defaults" || len(metadata.Annotations) != 1 ||
		metadata.Annotations["rbac.authorization.kubernetes.io/autoupdate"] != "true" {
		panic(fmt.Sprintf("%s %s: not marked as the others are", kind, metadata.Name))
	}
	parts := []string{kind + " " + place(metadata.Namespace, metadata.Name)}
	for _, label := range labels(metadata.Labels) {
		if !strings.HasPrefix(label, "kubernetes.io/bootstrapping=") {
			parts = append(parts, "label "+label)
		}
	}
	return parts
}

func labels(of map[string]string) []string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		texts = append(texts, key+"="+of[key])
	}
	return texts
}

func rules(of []rbacv1.PolicyRule) []string {
	var parts []string
	for _, rule := range of {
		switch {
		case len(rule.NonResourceURLs) > 0 && len(rule.Resources) == 0 && len(rule.APIGroups) == 0:
			parts = append(parts, fmt.Sprintf("visit %s %s", list(rule.Verbs), list(rule.NonResourceURLs)))
		case len(rule.NonResourceURLs) == 0 && len(rule.ResourceNames) > 0:
			parts = append(parts, fmt.Sprintf("allow %s %s %s named %s", list(rule.Verbs), list(rule.APIGroups), list(rule.Resources), list(rule.ResourceNames)))
		case len(rule.NonResourceURLs) == 0:
			parts = append(parts, fmt.Sprintf("allow %s %s %s", list(rule.Verbs), list(rule.APIGroups), list(rule.Resources)))
		default:
			panic(fmt.Sprintf("a rule of both kinds: %v", rule))
		}
	}
	return parts
}

func bound(role rbacv1.RoleRef, subjects []rbacv1.Subject) []string {
	if role.APIGroup != rbacv1.GroupName {
		panic("a role of another group: " + role.String())
	}
	parts := []string{"role " + role.Kind + " " + role.Name}
	for _, subject := range subjects {
		if (subject.Kind == rbacv1.ServiceAccountKind) != (subject.APIGroup == "") {
			panic("a subject of another group: " + subject.String())
		}
		parts = append(parts, "subject "+subject.Kind+" "+place(subject.Namespace, subject.Name))
	}
	return parts
}

func place(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// list joins items; the core group, which has no name, is written as core.
func list(items []string) string {
	if len(items) == 0 {
		panic("an empty list")
	}
	var texts []string
	for _, item := range items {
		if strings.ContainsAny(item, ",; ") || item == "core" {
			panic("an item that the table cannot hold: " + item)
		}
		if item == "" {
			item = "core"
		}
		texts = append(texts, item)
	}
	return strings.Join(texts, ",")
}

func line(head, rest []string) string { return strings.Join(append(head, rest...), " ; ") }
