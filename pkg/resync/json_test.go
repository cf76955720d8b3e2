package resync

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

func TestPoliciesReadWellAsJSON(t *testing.T) {
	for want, p := range map[string]Policy{
		`{}`:                 {},
		`{"period":"never"}`: {Period: Never},
		`{"period":"10m0s","jitter":0.1,"spread":"OverPeriod","rate":50,"selector":"app=web","namespaces":["a"],"onlyIfNotReconciledFor":"1h0m0s","asUpdate":true}`: {
			Period: 10 * time.Minute, Jitter: 0.1, Spread: OverPeriod, Rate: 50, Selector: labels.SelectorFromSet(labels.Set{"app": "web"}),
			Namespaces: []string{"a"}, OnlyIfNotReconciledFor: time.Hour, AsUpdate: true,
		},
		`{"spread":"AllAtOnce","selector":"(everything)","except":["b"]}`: {Spread: AllAtOnce, Selector: labels.Everything(), Except: []string{"b"}},
		`{"selector":"(nothing)"}`:                                        {Selector: labels.Nothing()},
	} {
		got, err := json.Marshal(p)
		if err != nil || string(got) != want {
			t.Errorf("%+v is %s, %v, want %s", p, got, err, want)
		}
	}
}
