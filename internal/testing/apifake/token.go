package apifake

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// token says where a list that is read in pages goes on. Clients must not look inside, but
// may hand in whatever they like.
type token struct {
	Form    string `json:"v"`
	Version int64  `json:"rv"` // below zero is the newest
	From    string `json:"start"`
}

const (
	form   = "meta.k8s.io/v1"
	newest = -1
)

// next is the token for what comes behind key.
func next(version int64, key string) string {
	content, err := json.Marshal(token{Form: form, Version: version, From: key + "\x00"})
	if err != nil {
		panic(fmt.Sprintf("BUG: encode a continue token: %v", err))
	}
	return base64.RawURLEncoding.EncodeToString(content)
}

func readToken(text string) (token, error) {
	content, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return token{}, badToken(err.Error())
	}
	var t token
	if err := json.Unmarshal(content, &t); err != nil {
		return token{}, badToken(err.Error())
	}
	switch from := "/" + strings.TrimPrefix(t.From, "/"); {
	case t.Form != form:
		return token{}, badToken("unknown form " + t.Form)
	case t.Version == 0:
		return token{}, badToken("no version")
	case t.From == "":
		return token{}, badToken("no key")
	case path.Clean(from) != from:
		return token{}, badToken("strange key " + t.From)
	}
	return t, nil
}

func badToken(why string) error { return apierrors.NewBadRequest("read the continue token: " + why) }

// expiredPage is the answer to a token whose version is forgotten. It comes with one for
// the rest of the list as it is now.
func expiredPage(t token) error {
	err := apierrors.NewResourceExpired(fmt.Sprintf("version %d of the continue token is forgotten", t.Version))
	err.ErrStatus.Continue = next(newest, strings.TrimSuffix(t.From, "\x00"))
	return err
}
