package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// Case is a cluster's roles and bindings, and what upstream's authorizer says about them.
type Case struct {
	Roles               []rbacv1.Role               `json:"roles"`
	ClusterRoles        []rbacv1.ClusterRole        `json:"clusterroles"`
	RoleBindings        []rbacv1.RoleBinding        `json:"rolebindings"`
	ClusterRoleBindings []rbacv1.ClusterRoleBinding `json:"clusterrolebindings"`
	Questions           []Question                  `json:"questions"`
	Grants              []Grant                     `json:"grants"`
}

// Question asks the authorizer.
type Question struct {
	User        string   `json:"user"`
	Groups      []string `json:"groups"`
	Verb        string   `json:"verb"`
	Group       string   `json:"group,omitempty"`
	Resource    string   `json:"resource,omitempty"`
	Subresource string   `json:"subresource,omitempty"`
	Name        string   `json:"name,omitempty"`
	Namespace   string   `json:"namespace,omitempty"`
	Path        string   `json:"path,omitempty"`
	Allowed     bool     `json:"allowed,omitempty"`
	Reason      string   `json:"reason,omitempty"`
}

// Grant is a user's attempt to create a Role with these rules; Why is empty if they may.
type Grant struct {
	User      string              `json:"user"`
	Groups    []string            `json:"groups"`
	Namespace string              `json:"namespace"`
	Rules     []rbacv1.PolicyRule `json:"rules"`
	Why       string              `json:"why,omitempty"`
}

// Cases makes the given number of cases, each a line of JSON, the same ones every time.
func Cases(count int) string {
	var text strings.Builder
	for i := range count {
		line, err := json.Marshal(newCase(rand.New(rand.NewPCG(uint64(i), 36))))
		if err != nil {
			panic(err)
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	return text.String()
}

func newCase(random *rand.Rand) Case {
	made := Case{}
	namespaces := []string{"a", "b"}
	for i := range 3 {
		made.ClusterRoles = append(made.ClusterRoles, rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}, Rules: someRules(random)})
		made.Roles = append(made.Roles, rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("r", i), Namespace: pick(random, namespaces)}, Rules: someRules(random)})
	}
	for i := range 3 {
		metadata := metav1.ObjectMeta{Name: fmt.Sprint("b", i)}
		made.ClusterRoleBindings = append(made.ClusterRoleBindings, rbacv1.ClusterRoleBinding{ObjectMeta: metadata, RoleRef: someRole(random), Subjects: someSubjects(random)})
		metadata.Namespace = pick(random, namespaces)
		made.RoleBindings = append(made.RoleBindings, rbacv1.RoleBinding{ObjectMeta: metadata, RoleRef: someRole(random), Subjects: someSubjects(random)})
	}
	for range 16 {
		made.Questions = append(made.Questions, made.ask(random))
	}
	for range 2 {
		made.Grants = append(made.Grants, made.grant(random))
	}
	return made
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func some(random *rand.Rand, from ...string) []string {
	var taken []string
	for _, each := range from {
		if random.IntN(2) == 0 {
			taken = append(taken, each)
		}
	}
	if taken == nil {
		taken = []string{pick(random, from)}
	}
	return taken
}

func someRules(random *rand.Rand) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for range 1 + random.IntN(3) {
		rule := rbacv1.PolicyRule{Verbs: some(random, "get", "list", "create", "*")}
		if random.IntN(4) == 0 {
			rule.NonResourceURLs = some(random, "/healthz", "/healthz/*", "/api*", "/logs/**")
		} else {
			rule.APIGroups = some(random, "", "apps", "x.io", "*")
			rule.Resources = some(random, "pods", "pods/log", "*/scale", "pods/*", "deployments", "*")
			if random.IntN(3) == 0 {
				rule.ResourceNames = some(random, "x", "y")
			}
		}
		rules = append(rules, rule)
	}
	return rules
}

func someRole(random *rand.Rand) rbacv1.RoleRef {
	kind, letter := "ClusterRole", "c"
	if random.IntN(2) == 0 {
		kind, letter = "Role", "r"
	}
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: fmt.Sprint(letter, random.IntN(7)/2)} // The fourth does not exist.
}

func someSubjects(random *rand.Rand) []rbacv1.Subject {
	all := []rbacv1.Subject{
		{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "bob"},
		{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "dev"},
		{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "qa"},
		{Kind: rbacv1.ServiceAccountKind, Name: "robot", Namespace: "a"},
		{Kind: rbacv1.ServiceAccountKind, Name: "robot"},
		{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "system:serviceaccount:b:robot"},
		{Kind: "Robot", Name: "bob"},
	}
	return []rbacv1.Subject{pick(random, all), pick(random, all), pick(random, all)}
}

func someUser(random *rand.Rand) (string, []string) {
	name := pick(random, []string{"bob", "eve", "system:serviceaccount:a:robot", "system:serviceaccount:b:robot"})
	return name, append([]string{}, some(random, "dev", "qa", "ops")...)
}

func (c Case) ask(random *rand.Rand) Question {
	asked := Question{Verb: pick(random, []string{"get", "list", "create", "delete"})}
	asked.User, asked.Groups = someUser(random)
	if random.IntN(4) == 0 {
		asked.Path = pick(random, []string{"/healthz", "/healthz/ping", "/apis", "/api", "/logs/", "/logs"})
	} else {
		asked.Group = pick(random, []string{"", "apps"})
		asked.Resource = pick(random, []string{"pods", "deployments"})
		asked.Subresource = pick(random, []string{"", "", "log", "scale"})
		asked.Name = pick(random, []string{"", "x", "z"})
		asked.Namespace = pick(random, []string{"", "a", "b", "a", "b", "nowhere"})
	}
	decision, reason, _ := c.authorizer("").Authorize(context.Background(), authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: asked.User, Groups: asked.Groups}, Verb: asked.Verb, Namespace: asked.Namespace, APIGroup: asked.Group,
		APIVersion: "v1", Resource: asked.Resource, Subresource: asked.Subresource, Name: asked.Name, ResourceRequest: asked.Path == "", Path: asked.Path,
	})
	asked.Allowed, asked.Reason = decision == authorizer.DecisionAllow, reason
	return asked
}

func (c Case) grant(random *rand.Rand) Grant {
	grant := Grant{Namespace: pick(random, []string{"a", "b"}), Rules: someRules(random)}
	grant.User, grant.Groups = someUser(random)
	requester := &user.DefaultInfo{Name: grant.User, Groups: grant.Groups}
	decision, _, _ := c.authorizer("").Authorize(context.Background(), authorizer.AttributesRecord{
		User: requester, Verb: "escalate", Namespace: grant.Namespace, APIGroup: rbacv1.GroupName, APIVersion: "*", Resource: "roles", ResourceRequest: true,
	})
	if decision == authorizer.DecisionAllow {
		return grant
	}
	ctx := genericapirequest.WithNamespace(genericapirequest.WithUser(context.Background(), requester), grant.Namespace)
	found := objects{c, "roles"}
	if err := validation.ConfirmNoEscalation(ctx, validation.NewDefaultRuleResolver(found, found, found, found), grant.Rules); err != nil {
		grant.Why = err.Error()
	}
	return grant
}

func (c Case) authorizer(resource string) *rbac.RBACAuthorizer {
	found := objects{c, resource}
	return rbac.New(found, found, found, found)
}

// objects finds a case's objects; resource is what a missing role is called, as the registry calls it by what a request
// is about. Empty: as an informer does.
type objects struct {
	of       Case
	resource string
}

func (o objects) missing(resource, name string) error {
	if o.resource != "" {
		resource = o.resource
	}
	return apierrors.NewNotFound(rbacv1.Resource(resource), name)
}

func (o objects) GetRole(_ context.Context, namespace, name string) (*rbacv1.Role, error) {
	i := slices.IndexFunc(o.of.Roles, func(role rbacv1.Role) bool { return role.Namespace == namespace && role.Name == name })
	if i < 0 {
		return nil, o.missing("role", name)
	}
	return &o.of.Roles[i], nil
}

func (o objects) GetClusterRole(_ context.Context, name string) (*rbacv1.ClusterRole, error) {
	i := slices.IndexFunc(o.of.ClusterRoles, func(role rbacv1.ClusterRole) bool { return role.Name == name })
	if i < 0 {
		return nil, o.missing("clusterrole", name)
	}
	return &o.of.ClusterRoles[i], nil
}

func (o objects) ListRoleBindings(_ context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	var list []*rbacv1.RoleBinding
	for i := range o.of.RoleBindings {
		if o.of.RoleBindings[i].Namespace == namespace {
			list = append(list, &o.of.RoleBindings[i])
		}
	}
	return list, nil
}

func (o objects) ListClusterRoleBindings(context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	var list []*rbacv1.ClusterRoleBinding
	for i := range o.of.ClusterRoleBindings {
		list = append(list, &o.of.ClusterRoleBindings[i])
	}
	return list, nil
}
