package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"loadline/conformance/server"
)

// volcano is the module whose definitions are built in (conformance/publish); it carries the file that its manual has applied.
const volcano = "volcano.sh/volcano@v1.15.1"

// runVolcano installs Volcano over the kinds that are built in, as its manual says: kubectl apply -f volcano-development.yaml. Its definitions take the place
// of ours, and its Jobs are still taken.
func runVolcano(o *options, started *server.Server) error {
	folder, err := moduleFolder(volcano)
	if err != nil {
		return missing(err.Error())
	}
	installer := filepath.Join(folder, "installer", "volcano-development.yaml")
	for _, step := range []struct{ arguments, said string }{
		{"apply -f " + installer, "customresourcedefinition.apiextensions.k8s.io/jobs.batch.volcano.sh created"},
		{"get deployment volcano-scheduler -n volcano-system -o name", "deployment.apps/volcano-scheduler"},
		{"wait --for=condition=Established crd/jobs.batch.volcano.sh --timeout=30s", "condition met"},
		{"apply -f conformance/clients/volcano/job.yaml", "job.batch.volcano.sh/pair created"},
		{"get vcjob pair -o name", "job.batch.volcano.sh/pair"},
		{"delete --ignore-not-found -f " + installer, "namespace \"volcano-system\" deleted"},
	} {
		output, err := call(started, o.programs.Kubernetes, append([]string{"kubectl"}, strings.Fields(step.arguments)...)...)
		if err != nil {
			return fmt.Errorf("kubectl %s: %w: %s", step.arguments, err, output)
		}
		if !strings.Contains(output, step.said) {
			return fmt.Errorf("kubectl %s does not say %q: %s", step.arguments, step.said, output)
		}
	}
	return nil
}

// moduleFolder is where Go keeps the module, which it fetches if need be.
func moduleFolder(module string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside of any module: go.mod stays as it is
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := command.Output()
	var answer struct{ Dir, Error string }
	if json.Unmarshal(out, &answer) != nil || answer.Error != "" || err != nil {
		return "", fmt.Errorf("it needs Go's module %s: %s (%v)", module, answer.Error, err)
	}
	return answer.Dir, nil
}
