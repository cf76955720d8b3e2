{{- /* The text below each heading of all pages, and how it is looked through. */ -}}
{{- $sections := slice -}}
{{- range union (slice site.Home) site.RegularPages -}}
  {{- $at := partial "place" (cond .IsHome "README.md" (strings.TrimPrefix "/" .File.Path)) -}}
  {{- range after 1 (split (replaceRE `<h[1-6] id="` "\x1e" .Content) "\x1e") -}}
    {{- $id := index (split . "\"") 0 -}}
    {{- $rest := strings.TrimPrefix (printf "%s\">" $id) . -}}
    {{- $head := index (split $rest "</h") 0 -}}
    {{- $sections = $sections | append (dict "at" (printf "%s#%s" $at $id) "head" (plainify $head | htmlUnescape) "text" (replaceRE `\s+` " " (plainify (replaceRE `^.*?</h[1-6]>` "" $rest) | htmlUnescape))) -}}
  {{- end -}}
{{- end -}}
const sections = {{ $sections | jsonify }};
const root = new URL(".", document.currentScript.src);
const box = document.querySelector("nav input"), found = document.querySelector("nav .found");

// rank is how well a section fits the words: 0 if one of them is missing. One that has them side by side comes first, and a guide before
// a decision or the API.
function rank(section, words) {
  const head = section.head.toLowerCase(), text = section.text.toLowerCase(), phrase = words.join(" ");
  let sum = (head.includes(phrase) ? 20 : 0) + (text.includes(phrase) ? 5 : 0) + (/^docs\/[^/]*$|^docs\/guides/.test(section.at) ? 2 : 0);
  for (const word of words) {
    if (head.includes(word)) sum += 10;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function show(section, word) {
  const link = document.createElement("a");
  link.href = new URL(section.at, root);
  link.textContent = section.head;
  const around = document.createElement("small");
  const i = Math.max(0, section.text.toLowerCase().indexOf(word) - 40);
  around.textContent = section.text.slice(i, i + 120);
  const item = document.createElement("li");
  item.append(link, around);
  return item;
}

box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const best = sections.map((section) => [rank(section, words), section]).filter(([n]) => n > 0);
  best.sort(([a], [b]) => b - a);
  found.replaceChildren(...best.slice(0, 12).map(([, section]) => show(section, words[0])));
  found.hidden = words.length === 0;
  if (words.length > 0 && best.length === 0) found.append(Object.assign(document.createElement("li"), {textContent: "Nothing has all of these words."}));
});
