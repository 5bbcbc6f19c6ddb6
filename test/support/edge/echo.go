// A service that knows nothing of Sabika: it answers with the request as JSON. Prints its port.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, http.HandlerFunc(echo)))
}

func echo(w http.ResponseWriter, r *http.Request) {
	bytes, _ := io.ReadAll(r.Body)
	body := string(bytes)
	if len(body) > 1000 {
		body = fmt.Sprintf("%d bytes", len(body))
	}
	headers := [][2]string{}
	for name, values := range r.Header {
		for _, value := range values {
			headers = append(headers, [2]string{name, value})
		}
	}
	request := map[string]any{
		"method": r.Method, "target": r.RequestURI, "headers": headers, "body": body,
	}
	json.NewEncoder(os.Stdout).Encode(request)
	json.NewEncoder(w).Encode(request)
}
