package apidiff

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"loadline/conformance/answer"
	"loadline/conformance/server"
)

// side is one of the two servers.
type side struct {
	server *server.Server
	client *http.Client
}

// mostAnswered bounds an answer.
const mostAnswered = 64 << 20

func newSide(specification string, programs server.Programs) (*side, error) {
	target, err := server.Start(server.WithoutControllers(specification), programs)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(target.Anonymous())
	if err != nil {
		target.Stop()
		return nil, err
	}
	client.Timeout = 30 * time.Second
	if transport, ok := client.Transport.(*http.Transport); ok {
		transport.DisableCompression = true
	}
	return &side{target, client}, nil
}

// send sends a request with this side's values in it, and keeps the answer for later requests.
func (s *side) send(r *request, namespace string, answers map[string]any) (*answer.Answer, error) {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(fill(r.body, namespace, answers))
	}
	sent, err := http.NewRequest(r.method, s.server.URL+fill(r.path, namespace, answers), body)
	if err != nil {
		return nil, err
	}
	sent.Header = r.header.Clone()
	if sent.Header.Get("Authorization") == "" {
		sent.Header.Set("Authorization", "Bearer "+s.server.Token)
	}
	response, err := s.client.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, mostAnswered))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	var value any
	if json.Unmarshal(text, &value) == nil {
		answers[r.name] = value
	}
	return &answer.Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}
