package golden

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"loadline/conformance/answer"
	"loadline/conformance/server"
)

// replay is one session on one fresh server.
type replay struct {
	session *session
	server  *server.Server
	client  *http.Client // without credentials
	known   *answer.Names
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
	return &replay{part, target, client, answer.NewNames()}, nil
}

// begin waits until the server has made its own objects.
func (r *replay) begin() error { return r.await(beginning) }

func (r *replay) await(paths []string) error {
	deadline := time.Now().Add(30 * time.Second)
	for _, path := range paths {
		probe := &Case{Name: "await", Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"application/json"}}}
		for {
			found, err := r.send(probe)
			if err == nil && found.Status == http.StatusOK {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s does not answer 200 (%v)", path, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

// send sends a recorded request, with this run's names in it.
func (r *replay) send(c *Case) (*answer.Answer, error) {
	request, err := http.NewRequest(c.Method, r.server.URL+r.known.Request(c.Path), nil)
	if err != nil {
		return nil, err
	}
	if c.Body != nil {
		body := []byte(r.known.Request(string(c.Body)))
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
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return &answer.Answer{Status: response.StatusCode, Header: response.Header, Body: body}, err
}

// run sends one case and compares its answer.
func (r *replay) run(c *Case) []answer.Difference {
	actual, err := r.send(c)
	if err != nil {
		return []answer.Difference{{Where: "request", Expected: "an answer", Actual: err.Error()}}
	}
	found := r.judge(c, actual)
	if r.server.Name == "real" {
		time.Sleep(pauses[c.Name])
	}
	if err := r.await(awaited[c.Name]); err != nil {
		found = append(found, answer.Difference{Where: "afterwards", Expected: "takes effect", Actual: err.Error()})
	}
	return found
}

func (r *replay) judge(c *Case, actual *answer.Answer) []answer.Difference {
	if !r.session.statusOnly {
		return answer.Compare(&c.Answer, actual, r.known)
	}
	if actual.Status == c.Answer.Status {
		return nil
	}
	return []answer.Difference{{Where: "status", Expected: fmt.Sprint(c.Answer.Status), Actual: fmt.Sprintf("%d %s", actual.Status, actual.Body)}}
}
