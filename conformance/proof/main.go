// Command proof proves Loadline's API server against the real one: recorded answers, kubectl's command lists, the same requests to both, clients, and
// the real controllers. Run it in the repository's root.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"loadline/conformance/apidiff"
	"loadline/conformance/clients"
	goclient "loadline/conformance/clients/go"
	"loadline/conformance/controllers"
	"loadline/conformance/golden"
	"loadline/conformance/kubectl"
	"loadline/conformance/operators"
	"loadline/conformance/tour"
)

// proofs by name. Each takes its own flags and returns whether all was as it should be; an error says that it could not be asked.
var proofs = map[string]func(arguments []string) (bool, error){
	"apidiff":     apidiff.Run,
	"client-go":   goclient.Run,
	"controllers": controllers.Run,
	"clients":     clients.Run,
	"golden":      golden.Run,
	"kubectl":     kubectl.Run,
	"operators":   operators.Run,
	"serve":       serve,
	"tour":        tour.Run,
}

func main() {
	if len(os.Args) < 2 || proofs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: proof golden|kubectl|apidiff|client-go|clients|controllers|operators|serve|tour [--server loadline|real] [OPTION...]")
		os.Exit(2)
	}
	ok, err := proofs[os.Args[1]](os.Args[2:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "proof %s: %v\n", os.Args[1], err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}
