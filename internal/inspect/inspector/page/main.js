// The frame around the views: which one is shown, keys, theme, and the connection.
import { h, dialog, draw, field, select } from "./dom.js";
import { get, link, pause, poll, token } from "./api.js";
import { tick, when } from "./text.js";
import { news, now, viewOf } from "./now.js";
import { kinds } from "./kinds.js";
import { deltas } from "./deltas.js";
import { reconciles } from "./reconciles.js";
import { queues } from "./queues.js";
import { actions } from "./actions.js";
import { object } from "./object.js";

export const views = { now, kinds, deltas, reconciles, queues, actions, object };
const order = ["now", "kinds", "deltas", "reconciles", "queues", "actions"];
const main = document.getElementById("main");
let current = null; // the AbortController of the view that is shown

function show(first) {
  const [, name, query] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? [];
  if (location.hash === "#main") return; // the link that skips the head
  if (!views[name]) {
    location.replace("#/now");
    return;
  }
  current?.abort();
  current = new AbortController();
  setPause(false);
  for (const a of document.querySelectorAll("nav a")) {
    if (a.hash === `#/${name}`) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  // Each view has a place of its own: a late answer to the one before can't draw over it.
  const place = h("div", { class: `view ${name}` });
  main.replaceChildren(place);
  main.scrollTop = 0;
  const title = views[name](place, new URLSearchParams(query ?? ""), current.signal);
  document.title = `${title} · operator`;
  if (first !== true) main.focus({ preventScroll: true });
}

const pauseButton = document.getElementById("pause");

function setPause(on) {
  pause.on = on;
  pauseButton.setAttribute("aria-pressed", String(on));
  pauseButton.firstChild.data = on ? "Go on" : "Pause";
  showLink();
}

function showLink() {
  const status = document.getElementById("link");
  const lost = document.getElementById("lost");
  const [word, mood] = link.lostAt ? ["Not connected", "bad"] : pause.on ? ["Paused", "off"] : link.reached ? ["Connected", "good"] : ["Connecting", "busy"];
  status.className = `link state ${mood}`;
  draw(status, h("span", { class: "shape", "aria-hidden": "true" }, { bad: "■", good: "●", busy: "◐", off: "○" }[mood]), h("span", { class: "word" }, word));
  lost.hidden = !link.lostAt;
  if (link.lostAt) {
    draw(lost, h("strong", null, "Cannot reach the operator"), ` since ${link.lostAt.toLocaleTimeString(undefined, { hourCycle: "h23" })}`,
      h("span", { "aria-hidden": "true" }, ", ", when(link.lostAt.toISOString())), link.why && `: ${link.why.replace(/\.$/, "")}`, ". Trying again. Everything below is as it was then.");
  }
  document.getElementById("signout").hidden = !token.get();
}

/** badge shows at a tab how many things there need attention. */
function badge(view, n) {
  const tab = document.querySelector(`nav a[href="#/${view}"]`);
  tab.querySelector(".badge")?.remove();
  if (n > 0) tab.append(h("span", { class: "badge", title: `${n} need attention` }, String(n), h("span", { class: "unseen" }, " need attention")));
}

// A view that is not shown has no other voice.
function badges(attention) {
  for (const view of ["kinds", "reconciles", "queues"]) badge(view, attention.filter((a) => viewOf(a) === view).length);
}

/** askForBadges leaves the asking to the view Now while that is shown and moves. */
async function askForBadges() {
  if (main.querySelector(".view.now") && !pause.on) return;
  try {
    badges((await get("now")).attention);
  } catch { /* the views say what is wrong */ }
}

const keys = [
  ["1 – 6", "show a view"], ["/", "go to the filter"], ["s", "find an object"], ["p", "pause or go on"], ["?", "show this help"],
  ["Tab, Enter", "go to and press anything"], ["Esc", "close a dialog"],
];

function help() {
  if (document.querySelector("dialog[open]")) return;
  dialog("Help", (close) => [
    h("table", { class: "keys" }, h("caption", { class: "unseen" }, "Keys"), h("tbody", null, keys.map(([key, what]) =>
      h("tr", null, h("th", { scope: "row" }, h("kbd", null, key)), h("td", null, what))))),
    h("p", null, "A ", h("b", null, "kind"), " is followed by one list and one watch. A ", h("b", null, "delta"), " is something that happened to an object. A ",
      h("b", null, "subscriber"), " is told the deltas, and a ", h("b", null, "reconcile"), " is a call of a controller that they led to. Secrets' values are never shown."),
    h("p", null, "A program can ask the same: ", h("a", { href: "v1/openapi.json" }, "openapi.json"), " describes how."),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: close, autofocus: true }, "Close")),
  ]);
}

/** find asks which object somebody wants to see. Its name may have its namespace before it, as kubectl has it. */
async function find() {
  const { items = [], message } = await get("kinds").catch((refused) => refused);
  if (document.querySelector("dialog[open]")) return;
  const kind = select("find-kind", "", items.map((k) => k.name), "");
  const name = h("input", { name: "find-name", type: "text", placeholder: "namespace/name", autocomplete: "off", spellcheck: "false" });
  dialog("Find an object", (close) => {
    const go = () => {
      const words = name.value.trim().split("/");
      if (!words.at(-1)) return name.focus();
      location.hash = `#/object?${new URLSearchParams({ kind: kind.value, namespace: words.length > 1 ? words[0] : "", name: words.at(-1) })}`;
      return close();
    };
    name.onkeydown = (e) => { if (e.key === "Enter") go(); };
    return [message && h("p", { class: "problem", role: "alert" }, message), field("Kind", kind), field("Name", name), h("div", { class: "buttons" }, h("button", { type: "button", onclick: close }, "Go back"),
      h("button", { type: "button", class: "main", onclick: go }, "Show it"))];
  });
  name.focus();
}

function pressed(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  if (e.target.closest?.("input, select, textarea")) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  if (order[e.key - 1]) location.hash = `#/${order[e.key - 1]}`;
  else if (e.key === "?") help();
  else if (e.key === "s") find();
  else if (e.key === "/") main.querySelector("[data-first-filter]")?.focus();
  else if (e.key === "p") (main.querySelector("[data-pause]") ?? pauseButton).click();
  else return;
  e.preventDefault();
}

const themeButton = document.getElementById("theme");
const nameTheme = (theme) => { themeButton.textContent = `Theme: ${theme}`; };
nameTheme(window.deltaTheme.read());
themeButton.onclick = () => nameTheme(window.deltaTheme.next());
pauseButton.onclick = () => setPause(!pause.on);
document.getElementById("find").onclick = find;
document.getElementById("help").onclick = help;
document.getElementById("signout").onclick = () => { token.set(""); location.reload(); };
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", show);
link.onchange = showLink;
news.onchange = badges;
setInterval(() => { tick(); if (link.lostAt) showLink(); }, 1000);
showLink();
show(true);
poll(askForBadges, 5000, new AbortController().signal, true);
