package server

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// startReal starts etcd and kube-apiserver as the recordings' server was started: users from a file of tokens, RBAC, and pods without service accounts.
func (s *Server) startReal() error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	s.Token = randomToken()
	s.URL = fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	if err := s.writeSecrets(); err != nil {
		return err
	}
	if err := s.launchEtcd(ports[0], ports[1]); err != nil {
		return err
	}
	if err := s.launchAPIServer(ports[0], ports[2]); err != nil {
		return err
	}
	return s.writeKubeconfig()
}

func (s *Server) launchEtcd(client, peer int) error {
	clients, peers := fmt.Sprintf("http://127.0.0.1:%d", client), fmt.Sprintf("http://127.0.0.1:%d", peer)
	program, arguments := s.programs.Kubernetes, []string{"etcd", "--unsafe-no-fsync"}
	if s.programs.Etcd != "" {
		program, arguments = s.programs.Etcd, nil
	}
	return s.launch("etcd", program, append(arguments, "--name=default", "--data-dir="+s.path("etcd"), "--listen-client-urls="+clients, "--advertise-client-urls="+clients,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)...)
}

func (s *Server) launchAPIServer(etcd, port int) error {
	return s.launch("kube-apiserver", s.programs.Kubernetes, "kube-apiserver", "--etcd-servers=http://127.0.0.1:"+strconv.Itoa(etcd),
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port), "--cert-dir="+s.path("certificates"), "--advertise-address=192.0.2.2",
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC", "--token-auth-file="+s.path("tokens.csv"),
		"--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+s.path("service-accounts.key"), "--service-account-signing-key-file="+s.path("service-accounts.key"),
		"--shutdown-delay-duration=0s", "--allow-privileged=true", "--v=1")
}

func (s *Server) path(name string) string { return filepath.Join(s.Folder, name) }

func (s *Server) writeSecrets() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	if err := os.WriteFile(s.path("service-accounts.key"), pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	return os.WriteFile(s.path("tokens.csv"), []byte(s.Token+",admin,admin-uid,system:masters\n"), 0o600)
}

// writeKubeconfig waits for the certificate that the server makes, which is its own authority, then for the server.
func (s *Server) writeKubeconfig() error {
	certificate := filepath.Join(s.path("certificates"), "apiserver.crt")
	key := filepath.Join(s.path("certificates"), "apiserver.key") // Written after the certificate.
	var authority []byte
	if err := poll(startTime, waitForFile, func() (err error) {
		if crashed := s.Crashed(); crashed != nil {
			return fmt.Errorf("%w: %w", errFinal, crashed)
		}
		if _, err := os.Stat(key); err != nil {
			return err
		}
		authority, err = os.ReadFile(certificate)
		return err
	}); err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["server"] = &api.Cluster{Server: s.URL, CertificateAuthorityData: authority}
	config.AuthInfos["admin"] = &api.AuthInfo{Token: s.Token}
	config.Contexts["server"] = &api.Context{Cluster: "server", AuthInfo: "admin"}
	config.CurrentContext = "server"
	if err := clientcmd.WriteToFile(*config, s.path("kubeconfig")); err != nil {
		return err
	}
	return s.attach(s.path("kubeconfig"))
}

func randomToken() string {
	bytes := make([]byte, 16)
	rand.Read(bytes)
	return hex.EncodeToString(bytes)
}

// freePorts finds ports that no process listens on now.
func freePorts(count int) ([]int, error) {
	ports := make([]int, 0, count)
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // Held until all are found, so that they differ.
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
