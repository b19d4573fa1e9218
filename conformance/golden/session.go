package golden

import "time"

// session is a part of the recordings that was made on one fresh server.
type session struct {
	name        string
	first, last string // prefixes of names, both within
	// statusOnly: what the objects held came from requests before the recording, so only the outcome can be compared.
	statusOnly bool
	// twice: the objects existed already when this was recorded, so it is sent once before.
	twice bool
}

var sessions = []session{
	{name: "basics", first: "001", last: "140"},
	{name: "edges", first: "201", last: "267"},
	{name: "seeds", first: "901", last: "919", statusOnly: true, twice: true},
}

func (s *session) has(c *Case) bool {
	number := c.Name[:3]
	return s.first <= number && number <= s.last
}

// credentials of cases that were not sent as the administrator: the value of Authorization, empty for none.
var credentials = map[string]string{
	"022-unauth":       "Bearer wrong",
	"023-anon":         "",
	"024-anon-version": "",
}

// pauses are what kube-apiserver's caches need after a case until they know of what it did. They stand in the recordings' times, too.
var pauses = map[string]time.Duration{
	"081-quota":    time.Second,
	"082-quota-st": time.Second,
	"204-lr":       time.Second,
	"207-lr-del":   time.Second,
}

// awaited are paths that must answer 200 after a case before the next one is sent: a definition takes effect a little later.
var awaited = map[string][]string{
	"104-crd": {"/apis/example.com/v1/namespaces/default/widgets", "/openapi/v3/apis/example.com/v1"},
}

// beginning are paths that answer 200 once a fresh server has made the objects it makes by itself.
var beginning = []string{
	"/api/v1/namespaces/default", "/api/v1/namespaces/kube-system", "/api/v1/namespaces/kube-public", "/api/v1/namespaces/kube-node-lease",
	"/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
}
