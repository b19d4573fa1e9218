package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"loadline/conformance/server"
)

const chart = "conformance/clients/helm/chart"

// helmSteps are what is done with a release, one after another: the arguments, and what helm must say.
var helmSteps = []struct{ arguments, said string }{
	{"install web " + chart + " --namespace helm --create-namespace --set replicas=1", "STATUS: deployed"},
	{"list --namespace helm", "web"},
	{"status web --namespace helm", "REVISION: 1"},
	{"get manifest web --namespace helm", "kind: Deployment"},
	{"upgrade web " + chart + " --namespace helm --set replicas=3,image=nginx:2", "REVISION: 2"},
	{"history web --namespace helm", "superseded"},
	{"rollback web 1 --namespace helm", "Rollback was a success"},
	{"upgrade --install web " + chart + " --namespace helm --dry-run=server --set replicas=4", "pending-upgrade"},
	{"uninstall web --namespace helm", "uninstalled"},
}

// checks of the server between steps, by the number of the step before: jsonpath queries of the Deployment and their answers.
var helmChecks = map[int][2]string{
	0: {"{.spec.replicas} {.spec.template.spec.containers[0].image}", "1 nginx:1"},
	4: {"{.spec.replicas} {.spec.template.spec.containers[0].image}", "3 nginx:2"},
	6: {"{.spec.replicas} {.spec.template.spec.containers[0].image}", "1 nginx:1"},
}

func runHelm(o *options, started *server.Server) error {
	if _, err := os.Stat(o.helm); err != nil {
		return missing("it needs " + o.helm + ", built from conformance/helm")
	}
	for number, step := range helmSteps {
		output, err := call(started, o.helm, strings.Fields(step.arguments)...)
		if err != nil {
			return err
		}
		if !strings.Contains(output, step.said) {
			return fmt.Errorf("helm %s does not say %q: %s", step.arguments, step.said, output)
		}
		if err := o.checkRelease(started, number); err != nil {
			return fmt.Errorf("after helm %s: %w", step.arguments, err)
		}
		fmt.Printf("helm: %s works\n", step.arguments)
	}
	left, err := call(started, o.programs.Kubernetes, "kubectl", "get", "all,configmaps,secrets", "--namespace=helm", "-o", "name", "-l", "app.kubernetes.io/managed-by=Helm")
	if err == nil && strings.TrimSpace(left) != "" {
		return fmt.Errorf("left over: %s", left)
	}
	return err
}

func (o *options) checkRelease(started *server.Server, number int) error {
	check, is := helmChecks[number]
	if !is {
		return nil
	}
	found, err := call(started, o.programs.Kubernetes, "kubectl", "get", "deployment", "web", "--namespace=helm", "-o", "jsonpath="+check[0])
	if err == nil && found != check[1] {
		return fmt.Errorf("the Deployment has %q, not %q", found, check[1])
	}
	return err
}

// call runs a program against the server and returns what it printed; its error holds what it complained about.
func call(started *server.Server, program string, arguments ...string) (string, error) {
	command := exec.Command(program, arguments...)
	home := filepath.Join(started.Folder, "home")
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + started.Kubeconfig}
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(arguments, " "), err, complaints.String())
	}
	return string(output), nil
}
