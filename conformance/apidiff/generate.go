package apidiff

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// generator makes requests by chance: the same seed, the same requests. They go to few objects of few kinds, so that they meet what earlier ones left.
type generator struct {
	dice *rand.Rand
	made int
}

// kind is what is generated: a valid body, fields that requests change, and values for them, good and bad.
type kind struct {
	resource string // path below the namespace's
	group    string // path of the group-version
	body     string // without metadata
	fields   []string
	values   []string
}

var kinds = []kind{
	{"configmaps", "/api/v1", `"data":{"a":"1"}`, []string{"data.a", "data.b", "immutable", "binaryData.x", "data"},
		[]string{`"x"`, `null`, `true`, `1`, `"eA=="`, `{}`, `{"a":"2","c":null}`, `[]`}},
	{"pods", "/api/v1", `"spec":{"containers":[{"name":"c","image":"nginx:1"}]}`,
		[]string{"spec.containers", "spec.nodeName", "spec.priorityClassName", "spec.tolerations", "spec.activeDeadlineSeconds", "status.phase", "spec.restartPolicy", "spec.schedulingGates"},
		[]string{`null`, `"x"`, `"Never"`, `[]`, `[{"name":"c","image":"nginx:2"}]`, `[{"name":"d","image":"x"}]`, `[{"key":"k","operator":"Exists"}]`, `10`, `-1`, `{}`}},
	{"services", "/api/v1", `"spec":{"ports":[{"port":80}],"selector":{"a":"b"},"clusterIP":"None"}`,
		[]string{"spec.ports", "spec.selector", "spec.type", "spec.sessionAffinity"},
		[]string{`null`, `[{"port":81,"name":"x"}]`, `[{"port":0}]`, `{"c":"d"}`, `"ClientIP"`, `"Foo"`, `"ExternalName"`, `[{"port":1,"name":"x"},{"port":2,"name":"x"}]`}},
	{"deployments", "/apis/apps/v1", `"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"x"}]}}}`,
		[]string{"spec.replicas", "spec.strategy", "spec.selector", "spec.paused", "spec.template.spec.containers", "spec.minReadySeconds", "spec.revisionHistoryLimit"},
		[]string{`null`, `3`, `-1`, `true`, `{"type":"Recreate"}`, `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"50%","maxUnavailable":0}}`, `{"matchLabels":{"x":"y"}}`, `[{"name":"c","image":"y","env":[{"name":"A","value":"1"}]}]`, `"3"`}},
	{"jobs", "/apis/batch/v1", `"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"x"}]}}}`,
		[]string{"spec.parallelism", "spec.completions", "spec.suspend", "spec.backoffLimit", "spec.ttlSecondsAfterFinished", "spec.completionMode"},
		[]string{`null`, `2`, `-1`, `true`, `"Indexed"`, `0`}},
	{"resourcequotas", "/api/v1", `"spec":{"hard":{"configmaps":"100"}}`, []string{"spec.hard", "spec.scopes"},
		[]string{`{"secrets":"5"}`, `{"foo":"1"}`, `{"cpu":"-1"}`, `null`, `["BestEffort"]`, `{"pods":"1.5"}`}},
}

// generate makes a script of a number of requests.
func generate(seed uint64, count int) *script {
	g := &generator{dice: rand.New(rand.NewPCG(seed, 0))}
	s := &script{name: "generated"}
	for range count {
		s.requests = append(s.requests, g.request())
	}
	return s
}

func pick[T any](g *generator, choices ...T) T { return choices[g.dice.IntN(len(choices))] }

// request makes one. Its name is its number, and the path of an object is remembered by its name, so that later ones can refer to its version.
func (g *generator) request() *request {
	g.made++
	k := &kinds[g.dice.IntN(len(kinds))]
	name := pick(g, "a", "b", "c")
	r := &request{name: fmt.Sprint(g.made), header: http.Header{}}
	object := fmt.Sprintf("%s/namespaces/{{ns}}/%s/%s", k.group, k.resource, name)
	collection := strings.TrimSuffix(object, "/"+name)
	switch g.dice.IntN(12) {
	case 0, 1, 2:
		g.create(r, k, collection, name)
	case 3, 4:
		g.mergePatch(r, k, object)
	case 5:
		g.jsonPatch(r, k, object)
	case 6:
		g.strategicPatch(r, k, object)
	case 7, 8:
		g.apply(r, k, object, name)
	case 9:
		r.method, r.path = http.MethodGet, object
	case 10:
		g.list(r, collection)
	case 11:
		g.remove(r, object)
	}
	r.completeHeader()
	return r
}

func (g *generator) parameters(choices ...string) string {
	chosen := pick(g, choices...)
	if chosen == "" {
		return ""
	}
	return "?" + chosen
}

func (g *generator) create(r *request, k *kind, collection, name string) {
	r.method, r.path = http.MethodPost, collection+g.parameters("", "", "", "", "dryRun=All", "fieldValidation=Strict", "fieldManager=m1", "dryRun=Some")
	extra := pick(g, "", "", "", `,"foo":1`, `,"apiVersion":"v9","kind":"Foo"`)
	label := pick(g, "x", "y", "-", "z")
	r.body = fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"l":%q}},%s%s}`, name, label, k.body, extra)
}

// change is a field of a kind with a value, as an object: {"spec":{"replicas":3}}.
func (g *generator) change(k *kind) string {
	parts := strings.Split(pick(g, k.fields...), ".")
	text := pick(g, k.values...)
	for i := len(parts) - 1; i >= 0; i-- {
		text = fmt.Sprintf("{%q:%s}", parts[i], text)
	}
	return text
}

func (g *generator) mergePatch(r *request, k *kind, object string) {
	r.method, r.path = http.MethodPatch, object+pick(g, "", "", "", "/status")+g.parameters("", "", "dryRun=All", "fieldManager=m2", "fieldValidation=Strict")
	r.header.Set("Content-Type", shortTypes["merge"])
	r.body = pick(g, g.change(k), g.change(k), `{"metadata":{"labels":{"l":"w","m":null}}}`, `{"metadata":{"annotations":{"n":"1"},"finalizers":null}}`, `{"metadata":{"resourceVersion":"1"}}`)
}

func (g *generator) jsonPatch(r *request, k *kind, object string) {
	r.method, r.path = http.MethodPatch, object
	r.header.Set("Content-Type", shortTypes["json"])
	path := "/" + strings.ReplaceAll(pick(g, append(k.fields, "metadata.labels.l", "metadata.labels", "metadata.annotations.q")...), ".", "/")
	operation := pick(g, "add", "replace", "remove", "test", "copy")
	r.body = fmt.Sprintf(`[{"op":%q,"path":%q,"from":"/metadata/name","value":%s}]`, operation, path, pick(g, k.values...))
}

func (g *generator) strategicPatch(r *request, k *kind, object string) {
	r.method, r.path = http.MethodPatch, object
	r.header.Set("Content-Type", shortTypes["strategic"])
	r.body = pick(g, g.change(k), g.change(k), `{"metadata":{"labels":{"$patch":"replace","k":"v"}}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["x/y"]}}`, `{"metadata":{"finalizers":["x/y"]}}`)
}

var manifestKinds = map[string]string{"configmaps": "ConfigMap", "pods": "Pod", "services": "Service", "deployments": "Deployment", "jobs": "Job", "resourcequotas": "ResourceQuota"}

func (g *generator) apply(r *request, k *kind, object, name string) {
	r.method, r.path = http.MethodPatch, object+"?fieldManager="+pick(g, "m1", "m2", "m3")+pick(g, "", "", "&force=true", "&dryRun=All")
	r.header.Set("Content-Type", shortTypes["apply"])
	version := strings.TrimPrefix(strings.TrimPrefix(k.group, "/apis/"), "/api/")
	r.body = fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"labels":{"l":%q}},%s}`, version, manifestKinds[k.resource], name, pick(g, "x", "y"),
		pick(g, k.body, k.body, strings.TrimSuffix(strings.TrimPrefix(g.change(k), "{"), "}")))
}

func (g *generator) list(r *request, collection string) {
	r.method, r.path = http.MethodGet, collection+g.parameters("", "limit=1", "labelSelector=l%3Dx", "labelSelector=l+in+(x,y)", "labelSelector=!l", "labelSelector=l%3D%3D%3D",
		"fieldSelector=metadata.name%3Da", "fieldSelector=metadata.name!%3Da", "fieldSelector=spec.foo%3Da", "resourceVersion=x", "limit=-1")
	r.header.Set("Accept", pick(g, "application/json", "application/json", "table", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"))
}

func (g *generator) remove(r *request, object string) {
	r.method, r.path = http.MethodDelete, object+g.parameters("", "", "gracePeriodSeconds=0", "dryRun=All", "propagationPolicy=Orphan", "propagationPolicy=Foo")
	r.body = pick(g, "", "", `{"propagationPolicy":"Background"}`, `{"preconditions":{"uid":"x"}}`, `{"preconditions":{"resourceVersion":"1"}}`)
}
