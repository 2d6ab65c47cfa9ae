package fetch

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Version asks a server for its version.
func Version(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("version: %s", response.Status)
	}
	var answer struct{ Version string }
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Version, err
}
