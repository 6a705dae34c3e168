// Prints an access token: go run token.go work
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"
)

func ask(request, reply any) error {
	path := os.Getenv("KEYRACK_SOCKET")
	if path == "" {
		path = os.Getenv("XDG_RUNTIME_DIR") + "/keyrack/keyrack.sock"
	}
	daemon, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer daemon.Close()
	daemon.SetDeadline(time.Now().Add(35 * time.Second)) // a refresh may take its time
	if err := json.NewEncoder(daemon).Encode(request); err != nil {
		return err
	}
	return json.NewDecoder(daemon).Decode(reply)
}

func main() {
	var reply struct {
		OK    bool
		Token string `json:"access_token"`
		Error struct{ Code, Message string }
	}
	if err := ask(map[string]string{"op": "token", "account": os.Args[1]}, &reply); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	if !reply.OK {
		// Programs decide by the code; the message and the hint are for people.
		fmt.Fprintf(os.Stderr, "%s: %s\n", reply.Error.Code, reply.Error.Message)
		if reply.Error.Code == "login_required" {
			os.Exit(3)
		}
		os.Exit(1)
	}
	fmt.Println(reply.Token)
}
