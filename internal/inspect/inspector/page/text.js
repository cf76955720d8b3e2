// Times, numbers and the forms that several views show.
import { h } from "./dom.js";

/** known tells whether a time is one. Go writes a time that is not set as year 1. */
export const known = (time) => Boolean(time) && !time.startsWith("0001-");

const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/** span is a length of time in one unit, or two where that says more. */
export function span(seconds) {
  const s = Math.abs(seconds);
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  const at = units.findIndex(([, size]) => s >= size);
  const [unit, size] = units[at];
  const whole = Math.floor(s / size);
  const rest = at < 3 && whole < 10 ? Math.floor((s - whole * size) / units[at + 1][1]) : 0;
  return `${whole} ${unit}${rest ? ` ${rest} ${units[at + 1][0]}` : ""}`;
}

// The clocks of the operator and of the browser may differ. Each answer corrects that.
let ahead = 0;
export function noteClock(at) {
  if (known(at)) ahead = Date.parse(at) - Date.now();
}

export function relative(time) {
  const seconds = (Date.now() + ahead - Date.parse(time)) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const text = span(Math.round(seconds));
  const short = Math.abs(seconds) < 10 ? `${Math.round(Math.abs(seconds))} s` : text;
  return seconds < 0 ? `in ${short}` : `${short} ago`;
}

/** policy makes the durations of a resync policy readable, as 6h0m0s and 9h13m18.118816312s are not. */
export const policy = (text) => text.replace(/\b(every|for) (?:(\d+)h)?(?:(\d+)m)?(\d+(?:\.\d+)?)s\b/g,
  (_, word, hours, minutes, seconds) => `${word} ${span((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + Number(seconds)).replace(".0 ", " ")}`);

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 1, hourCycle: "h23" });

/** lasting says for how long something has been so. */
const lasting = (time) => `for ${span(Math.max(1, Math.round((Date.now() + ahead - Date.parse(time)) / 1000))).replace(".0", "")}`;

/** when shows a time as it is seen from now. It is kept up to date by tick. */
export function when(time, otherwise = "–") {
  if (!known(time)) return h("span", { class: "none" }, otherwise);
  return h("time", { datetime: time, title: absolute.format(new Date(time)) }, relative(time));
}

/** forHow shows how long ago something began that still is so. */
export function forHow(time, otherwise = "–") {
  if (!known(time)) return h("span", { class: "none" }, otherwise);
  return h("time", { datetime: time, title: `since ${absolute.format(new Date(time))}`, "data-lasting": true }, lasting(time));
}

/** oclock shows the time of day, for lists in which the order counts. */
export function oclock(time) {
  return h("span", { class: "clock" }, clock.format(new Date(time)), " ", when(time));
}

export function tick() {
  for (const el of document.querySelectorAll("time[datetime]")) {
    const text = "lasting" in el.dataset ? lasting(el.dateTime) : relative(el.dateTime);
    if (el.textContent !== text) el.textContent = text;
  }
}

export const number = (n) => new Intl.NumberFormat("en").format(n ?? 0).replaceAll(",", " ");

export function bytes(n) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (n >= size) return `${(n / size).toFixed(1)} ${unit}`;
  }
  return `${n} B`;
}

/** counts leaves out what has not happened. */
export const counts = (map, words = {}) => Object.entries(map ?? {}).filter(([, n]) => n > 0).sort().map(([name, n]) => `${words[name] ?? name} ${number(n)}`).join(", ");

export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

export const shortKind = (kind) => (kind ?? "").replace(/^\S+ /, "");

export const path = (o) => (o.namespace ? `${o.namespace}/${o.name}` : o.name);

/** object links to what is known of an object. */
export function object(kind, namespace, name, label) {
  const query = new URLSearchParams({ kind, namespace: namespace ?? "", name });
  return h("a", { class: "mono", href: `#/object?${query}` }, label ?? path({ namespace, name }));
}

/** value shows one side of an edit. */
const value = (v, hidden) => (hidden ? "(hidden)" : v || "(none)");

/** clip cuts what would fill a row. The details have all of it. */
const clip = (text) => (text.length > 90 ? `${text.slice(0, 88)}…` : text);

/** gist cuts the middle of an error, between words. The cause is at the end. */
export const gist = (text) => (text.length > 170 ? `${text.slice(0, 50).replace(/ \S*$/, "")} … ${text.slice(-115).replace(/^\S* /, "")}` : text);

/** diff shows the fields that changed, before and after. */
export function diff(edits, leftOut) {
  if (!edits?.length) return h("p", { class: "empty" }, leftOut ? "This answer leaves out what changed. Ask for less at a time: choose a kind or a name." : "No field changed.");
  return h("div", { class: "diff" }, edits.map((e) => h("div", { class: "edit" },
    h("div", { class: "path mono" }, e.path),
    e.op !== "added" && h("div", { class: "del mono" }, h("span", { class: "sign" }, "−", h("span", { class: "unseen" }, "before ")), value(e.before, e.hidden)),
    e.op !== "removed" && h("div", { class: "add mono" }, h("span", { class: "sign" }, "+", h("span", { class: "unseen" }, "after ")), value(e.after, e.hidden)))),
  leftOut && h("p", { class: "note" }, "There are more changed fields than are kept."));
}

/** brief is a diff in one line. */
export function brief(edits) {
  if (!edits?.length) return null;
  const [e, ...rest] = edits;
  const [before, after] = [clip(value(e.before, e.hidden)), clip(value(e.after, e.hidden))];
  const text = e.op === "added" ? `+ ${after}` : e.op === "removed" ? "removed" : `${before} → ${after}`;
  return h("span", { class: "brief mono" }, h("b", null, e.path), ` ${text}`, rest.length > 0 && h("span", { class: "note" }, `  and ${plural(rest.length, "more field")}`));
}

/** change says in a line why a reconciler is called. */
export function change(c) {
  return h("span", { class: "change" },
    h("b", null, (c.causes ?? []).join(", ")), " ",
    c.name && [`${shortKind(c.kind)} `, object(c.kind, c.namespace, c.name), " "],
    c.op && c.op !== "Sync" && [c.op, " "], c.manager && ["by ", c.manager, " "],
    c.own && h("span", { class: "tag" }, "own write"), c.again && h("span", { class: "tag" }, "told again"),
    c.deltas > 1 && h("span", { class: "note" }, plural(c.deltas, "delta")));
}

/** changes shows all of them, with what changed, and says how many more there are. */
export function changes(list, leftOut) {
  if (!list?.length && !leftOut) return h("p", { class: "empty" }, "No change is known.");
  return h("ul", { class: "changes" }, (list ?? []).map((c) => h("li", null, change(c), c.edits?.length > 0 && diff(c.edits, c.editsLeftOut))),
    leftOut > 0 && h("li", { class: "note" }, `and ${number(leftOut)} more`));
}

/** main is the change to speak of: what a call that is repeated was for, and not that it is. */
export const main = (list) => list.find((c) => !c.causes?.includes("Retry")) ?? list[0];

/** firstOf shows the main change, and says how many more there are. */
export function firstOf(list, leftOut = 0) {
  const first = main(list);
  const more = Math.max(0, list.length - 1) + leftOut;
  return [first ? change(first) : h("span", { class: "none" }, "not known"), more > 0 && h("span", { class: "note" }, ` and ${plural(more, "more change")}`)];
}

/** cut says what is missing of an answer. */
export const cut = (answer) => answer?.cut && h("p", { class: "note", role: "status" }, answer.cut);

/** facts is a list of names and values; those without a value are left out. */
export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, v]) => v !== null && v !== undefined && v !== "" && v !== false)
    .map(([name, v]) => h("div", null, h("dt", null, name), h("dd", null, v))));
}
