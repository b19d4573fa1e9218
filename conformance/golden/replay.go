package golden

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"loadline/conformance/server"
)

// replay is one session on one fresh server.
type replay struct {
	session *session
	server  *server.Server
	client  *http.Client // without credentials
	known   *learned
}

// caseTime bounds one request: watches end by themselves after a second.
const caseTime = 20 * time.Second

func newReplay(part *session, target *server.Server) (*replay, error) {
	client, err := rest.HTTPClientFor(target.Anonymous())
	if err != nil {
		return nil, err
	}
	client.Timeout = caseTime
	// Go asks for compression by itself, and the recorder did not.
	if transport, ok := client.Transport.(*http.Transport); ok {
		transport.DisableCompression = true
	}
	return &replay{part, target, client, newLearned()}, nil
}

// begin waits until the server has made its own objects.
func (r *replay) begin() error { return r.await(beginning) }

func (r *replay) await(paths []string) error {
	deadline := time.Now().Add(30 * time.Second)
	for _, path := range paths {
		probe := &Case{Name: "await", Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"application/json"}}}
		for {
			status, _, _, err := r.send(probe)
			if err == nil && status == http.StatusOK {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s: still %d (%v)", path, status, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

// send sends a recorded request, with this run's names in it.
func (r *replay) send(c *Case) (int, http.Header, []byte, error) {
	request, err := http.NewRequest(c.Method, r.server.URL+r.known.request(c.Path), nil)
	if err != nil {
		return 0, nil, nil, err
	}
	if c.Body != nil {
		body := []byte(r.known.request(string(c.Body)))
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	request.Header = c.Header.Clone()
	request.Header.Set("User-Agent", "") // The recorder sent none, and managers of fields are named after it.
	authorization, special := credentials[c.Name]
	if !special {
		authorization = "Bearer " + r.server.Token
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, body, err
}

// run sends one case and compares its answer.
func (r *replay) run(c *Case) []Difference {
	status, header, body, err := r.send(c)
	if err != nil {
		return []Difference{{Where: "request", Recorded: "an answer", Actual: err.Error()}}
	}
	found := r.judge(c, status, header, body)
	if r.server.Name == "real" {
		time.Sleep(pauses[c.Name])
	}
	if err := r.await(awaited[c.Name]); err != nil {
		found = append(found, Difference{Where: "afterwards", Recorded: "takes effect", Actual: err.Error()})
	}
	return found
}

func (r *replay) judge(c *Case, status int, header http.Header, body []byte) []Difference {
	if !r.session.statusOnly {
		return compare(c, status, header, body, r.known)
	}
	if status == c.Status {
		return nil
	}
	return []Difference{{Where: "status", Recorded: fmt.Sprint(c.Status), Actual: fmt.Sprintf("%d %s", status, body)}}
}
