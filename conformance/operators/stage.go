package operators

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"loadline/conformance/server"
)

// stage is a server with an operator on it, and with us as its kubelets.
type stage struct {
	server   *server.Server
	typed    kubernetes.Interface
	dynamic  dynamic.Interface
	kubelet  *kubelet
	observer *observer
	custom   map[string]bool // kinds that are custom resources
	canaries *canaries
	operated bool // the real operator is here
	collects bool // and the garbage collector
}

const startTime = 60 * time.Second

// newStage starts a server: the real one with the operator and the built-in controllers that it needs, or ours, which is to be all of them.
func newStage(ctx context.Context, target string, programs server.Programs, folder string, wanted *operator) (_ *stage, err error) {
	started, err := server.Start(server.WithOperators(target), programs)
	if err != nil {
		return nil, err
	}
	s := &stage{server: started}
	defer func() {
		if err != nil {
			started.Stop()
		}
	}()
	config := started.Config()
	config.WarningHandler = rest.NoWarnings{}
	if s.typed, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	s.kubelet = &kubelet{s.typed, s.knownPod}
	if target == "real" {
		if err := s.startOperator(ctx, folder, wanted); err != nil {
			return nil, err
		}
		s.operated, s.collects = true, slices.Contains(wanted.controllers, "garbage-collector-controller")
	}
	if err := s.kubelet.addNodes(ctx); err != nil {
		return nil, err
	}
	custom := map[schema.GroupVersionResource]string{}
	s.custom = map[string]bool{}
	for _, k := range kinds {
		if k.operator == wanted {
			custom[k.resource] = k.objectKind()
			s.custom[k.objectKind()] = true
		}
	}
	s.observer, err = observe(ctx, s.dynamic, custom, func(pod *unstructured.Unstructured) {
		go s.kubelet.end(ctx, pod.GetNamespace(), pod.GetName())
	})
	return s, err
}

func (s *stage) knownPod(namespace, name string) (*corev1.Pod, error) {
	object := s.observer.object(namespace, "Pod/"+name)
	if object == nil {
		return nil, errors.NewNotFound(corev1.Resource("pods"), name)
	}
	var pod corev1.Pod
	return &pod, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pod)
}

var (
	definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	admissionResources = map[string]schema.GroupVersionResource{
		"ValidatingWebhookConfiguration": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"},
		"MutatingWebhookConfiguration":   {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"},
	}
)

// startOperator starts what makes objects: the operator, after its definitions are there, and the built-in controllers that it needs.
func (s *stage) startOperator(ctx context.Context, folder string, wanted *operator) error {
	module, err := moduleFolder(wanted.module)
	if err != nil {
		return err
	}
	if err := s.define(ctx, module, wanted.definitions); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	authority, err := writeCertificate(s.server.Folder)
	if err != nil {
		return err
	}
	program := filepath.Join(folder, wanted.name)
	if err := s.server.StartOperator(wanted.name, program, fmt.Sprintf("--webhook-port=%d", port), "--certificates="+s.server.Folder); err != nil {
		return err
	}
	if len(wanted.controllers) > 0 {
		if err := s.server.StartControllerManager("--controllers=" + strings.Join(wanted.controllers, ",")); err != nil {
			return err
		}
	}
	if wanted.webhooks == "" {
		return nil
	}
	if err := s.waitForPort(ctx, port); err != nil {
		return err
	}
	return s.installWebhooks(ctx, filepath.Join(module, wanted.webhooks), wanted.podsWith, port, authority)
}

// moduleFolder is where the module cache has a module.
func moduleFolder(module string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside of any module: no go.mod is changed
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := command.Output()
	var answer struct{ Dir, Error string }
	if json.Unmarshal(out, &answer) != nil || answer.Error != "" || err != nil {
		return "", fmt.Errorf("download %s: %s (%v)", module, answer.Error, err)
	}
	return answer.Dir, nil
}

// documents reads the objects in YAML files.
func documents(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, document := range bytes.Split(text, []byte("\n---")) {
		object := map[string]any{}
		converted, err := yaml.YAMLToJSON(document)
		if err == nil {
			err = json.Unmarshal(converted, &object)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if object["kind"] != nil {
			found = append(found, &unstructured.Unstructured{Object: object})
		}
	}
	return found, nil
}

// define makes the custom resources of files, and waits until they are served.
func (s *stage) define(ctx context.Context, module string, patterns []string) error {
	var names []string
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil || len(paths) == 0 {
			return fmt.Errorf("no files match %s (%v)", pattern, err)
		}
		for _, path := range paths {
			objects, err := documents(path)
			if err != nil {
				return err
			}
			for _, object := range objects {
				if object.GetKind() != "CustomResourceDefinition" {
					continue
				}
				unstructured.RemoveNestedField(object.Object, "spec", "conversion")
				if err := patiently(func() error {
					_, err := s.dynamic.Resource(definitionResource).Create(ctx, object, v1.CreateOptions{})
					return err
				}); err != nil && !errors.IsAlreadyExists(err) {
					return fmt.Errorf("%s: %w", path, err)
				}
				names = append(names, object.GetName())
			}
		}
	}
	for _, name := range names {
		if err := s.waitUntilEstablished(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// patiently tries again what a busy machine had no time for.
func patiently(try func() error) error {
	for tries := 0; ; tries++ {
		err := try()
		if err == nil || tries == 10 || !isLate(err) {
			return err
		}
		time.Sleep(time.Second)
	}
}

func isLate(err error) bool {
	return errors.IsTimeout(err) || errors.IsServerTimeout(err) || errors.IsTooManyRequests(err) || strings.Contains(err.Error(), "context deadline exceeded") ||
		strings.Contains(err.Error(), "Timeout: request did not complete")
}

func (s *stage) waitUntilEstablished(ctx context.Context, name string) error {
	return s.wait(ctx, "the definition of "+name, func() bool {
		object, err := s.dynamic.Resource(definitionResource).Get(ctx, name, v1.GetOptions{})
		if err != nil {
			return false
		}
		conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, condition := range conditions {
			if c, _ := condition.(map[string]any); c["type"] == "Established" && c["status"] == "True" {
				return true
			}
		}
		return false
	})
}

func (s *stage) waitForPort(ctx context.Context, port int) error {
	return s.wait(ctx, "the operator's webhooks", func() bool {
		connection, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
}

func (s *stage) wait(ctx context.Context, what string, ready func() bool) error {
	for end := time.Now().Add(startTime); !ready(); {
		if err := s.server.Crashed(); err != nil {
			return err
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("%s: not ready within %s", what, startTime)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// installWebhooks makes the operator's configurations, with its address on loopback in place of a service, and asks about its own pods alone, as its
// installation does by patches of this file.
func (s *stage) installWebhooks(ctx context.Context, path, podsWith string, port int, authority []byte) error {
	objects, err := documents(path)
	if err != nil {
		return err
	}
	for _, object := range objects {
		resource, ok := admissionResources[object.GetKind()]
		if !ok {
			continue
		}
		webhooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		for _, webhook := range webhooks {
			path, _, _ := unstructured.NestedString(webhook.(map[string]any), "clientConfig", "service", "path")
			if strings.HasSuffix(path, "--v1-pod") {
				webhook.(map[string]any)["objectSelector"] = map[string]any{"matchExpressions": []any{map[string]any{"key": podsWith, "operator": "Exists"}}}
			}
			webhook.(map[string]any)["clientConfig"] = map[string]any{"url": fmt.Sprintf("https://127.0.0.1:%d%s", port, path),
				"caBundle": base64.StdEncoding.EncodeToString(authority)}
			webhook.(map[string]any)["timeoutSeconds"] = int64(30)
		}
		if err := unstructured.SetNestedSlice(object.Object, webhooks, "webhooks"); err != nil {
			return err
		}
		if _, err := s.dynamic.Resource(resource).Create(ctx, object, v1.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	time.Sleep(2 * time.Second) // until the server knows them
	return nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// writeCertificate makes a certificate for loopback that is its own authority, as tls.crt and tls.key.
func writeCertificate(folder string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "webhooks"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), text, 0o600); err != nil {
		return nil, err
	}
	return text, os.WriteFile(filepath.Join(folder, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600)
}
