package main

import "testing"

func TestCommandLinesGoOn(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"status"}, "kubectl delta status --x y"},
		{[]string{"why", "apps/v1 Deployment/web"}, "kubectl delta why 'apps/v1 Deployment/web' --x y"},
		{[]string{"why", "--", "-a/b"}, "kubectl delta why --x y -- -a/b"},
		{[]string{"watch", "--name", "it's;rm -r $HOME", ""}, `kubectl delta watch --name 'it'\''s;rm -r $HOME' '' --x y`},
		{[]string{"status", "--token", "secret", "-n", "a"}, "kubectl delta status --token TOKEN -n a --x y"},
		{[]string{"status", "--token=secret", "--token-file", "f"}, "kubectl delta status --token=TOKEN --token-file f --x y"},
	} {
		if got := again(test.args, []string{"--x", "y"}); got != test.want {
			t.Errorf("%q goes on as %s, want %s", test.args, got, test.want)
		}
	}
}
