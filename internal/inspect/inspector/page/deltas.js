// What happens to objects, live.
import { h, draw, table, more, field, select, state, isSelecting } from "./dom.js";
import { get, follow, sleep } from "./api.js";
import { object, oclock, diff, brief, shortKind, facts, plural } from "./text.js";

const most = 300; // rows; an older one goes when a new one comes
const atOnce = matchMedia("(max-width: 760px)").matches ? 30 : most; // rows that are shown at first, and with each press on the button below
const ops = ["Added", "Updated", "Deleted", "Sync", "OutOfScope"];
const shapes = { Added: "+", Updated: "~", Deleted: "−", Sync: "↻", OutOfScope: "⊘" };
const names = ["kind", "namespace", "name", "op", "manager"];

const columns = [
  { name: "Details", label: "" }, { label: "Seen" }, { label: "What" }, { label: "Kind" }, { label: "Object" }, { label: "Manager" }, { label: "Change", class: "wide" },
];

export const opBadge = (op) => h("span", { class: `op ${op}` }, h("span", { class: "shape", "aria-hidden": "true" }, shapes[op] ?? "?"), op);

/** remark is what there is to say of a delta in which no field changed. */
function remark(d) {
  const text = d.op === "Sync" ? "shown again, unchanged" : d.missed ? "no event told of it" : d.relisted ? "seen in a list" : "";
  return text && h("span", { class: "note" }, text);
}

/** deltaRow shows one delta. One that is newer than the number loaded came while somebody looked. */
export function deltaRow(d, opened, redraw, loaded = Infinity) {
  const key = `delta ${d.id}`;
  return {
    key, class: [d.id > loaded && "fresh", opened.has(key) && "opened"].filter(Boolean).join(" ") || null,
    cells: [
      more(opened, key, `${d.op} ${d.kind} ${d.name}`, redraw), oclock(d.seen), opBadge(d.op), h("span", { title: d.kind }, shortKind(d.kind)),
      object(d.kind, d.namespace, d.name), d.manager || h("span", { class: "none" }, "–"),
      brief(d.edits) ?? remark(d),
    ],
    detail: opened.has(key) && [
      facts([["Kind", d.kind], ["Version", h("span", { class: "mono" }, d.resourceVersion || "–")], ["Number", h("span", { class: "mono" }, String(d.id))],
        ["Seen in a list", d.relisted && "yes"], ["No event told of it", d.missed && "yes"]]),
      d.op === "Updated" ? diff(d.edits, d.editsLeftOut) : null,
    ],
  };
}

export function deltas(place, params, signal) {
  const filter = Object.fromEntries(names.map((n) => [n, params.get(n) ?? ""]));
  const s = { rows: [], held: [], lost: [], paused: false, live: "connecting", refused: null, kinds: [], loaded: 0, asked: false };
  const opened = new Set();
  let stopStream = new AbortController();
  let drawing = false, drawnAt = 0;

  let count = atOnce;
  const redraw = () => draw(place, h("h1", null, "Deltas"), controls(), notes(), s.refused
    ? h("p", { class: "problem", role: "alert" }, s.refused.message)
    : !s.asked ? h("p", { class: "empty" }, "Asking the operator")
    : [table("Deltas, the newest first", columns, s.rows.slice(0, count).map((d) => deltaRow(d, opened, redraw, s.loaded)), "Nothing has happened that the filter lets through. New deltas show up here."),
      s.rows.length > count && h("p", { class: "note after" }, h("button", { type: "button", onclick: () => { count += atOnce; redraw(); } }, `Show ${Math.min(atOnce, s.rows.length - count)} more`))]);
  // One delta is drawn at once, and a flood four times a second.
  const redrawSoon = async () => {
    if (drawing) return;
    drawing = true;
    await sleep(Math.max(0, drawnAt + 250 - Date.now()), signal);
    [drawing, drawnAt] = [false, Date.now()];
    if (!signal.aborted && !isSelecting(place)) redraw();
  };

  const pause = () => {
    s.paused = !s.paused;
    if (!s.paused) {
      take(s.held);
      s.held = [];
    }
    redraw();
  };
  const take = (news) => { s.rows = [...news.toReversed(), ...s.rows].slice(0, most); };
  const controls = () => h("div", { class: "filters", role: "search", "aria-label": "Filter the deltas" },
    field("Kind", firstFilter(select("kind", "all kinds", s.kinds, filter.kind, changed))),
    field("Namespace", text("namespace")), field("Name", text("name")),
    field("What", select("op", "everything", ops, filter.op, changed)), field("Manager", text("manager")),
    h("div", { class: "side" },
      s.paused ? state("paused", "off") : state(s.live, s.live === "live" ? "good" : "busy"),
      h("button", { type: "button", "data-pause": true, "aria-keyshortcuts": "p", onclick: pause }, s.paused ? `Go on${s.held.length ? ` (${s.held.length} new)` : ""}` : "Pause")));
  const firstFilter = (el) => { el.dataset.firstFilter = ""; return el; };
  const text = (name) => h("input", { name, type: "text", value: filter[name], placeholder: "all", autocomplete: "off", spellcheck: "false", onchange: changed });
  const notes = () => s.lost.map((n, i) => h("p", { class: "warning", "data-key": `lost ${i}`, role: "status" }, n));

  const changed = (e) => {
    filter[e.target.name] = e.target.value.trim();
    const query = new URLSearchParams(Object.entries(filter).filter(([, v]) => v));
    history.replaceState(null, "", `#/deltas${query.size ? `?${query}` : ""}`);
    begin();
  };

  const begin = async () => {
    stopStream.abort();
    const mine = stopStream = new AbortController();
    // What was asked for before stays until the answer is there.
    Object.assign(s, { held: [], lost: [], refused: null, live: "connecting" });
    redraw();
    try {
      const list = await get("deltas", { ...filter, limit: most }, mine.signal);
      Object.assign(s, { rows: list.items, asked: true, lost: list.cut ? [list.cut] : [] });
      s.loaded = list.items[0]?.id ?? 0;
      redraw();
      await follow(filter, list.cursor, {
        open: () => { Object.assign(s, { live: "live", refused: null }); redrawSoon(); },
        closed: () => { s.live = "connecting"; redrawSoon(); },
        refused: (error) => { s.refused = error; redrawSoon(); },
        delta: (d) => {
          if (s.paused) s.held = [...s.held, d].slice(-most);
          else take([d]);
          redrawSoon();
        },
        lost: (l) => {
          if (l.restarted) {
            Object.assign(s, { rows: [], held: [], loaded: 0 });
            s.lost = ["The operator has started again. Deltas from before that are gone."];
          }
          if (l.count) s.lost = [...s.lost.slice(-2), `${plural(l.count, "delta")} came faster than this page took them, and are not shown.`];
          redrawSoon();
        },
      }, mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      s.refused = error;
      redraw();
      if (error.status !== 429 && !(error.status >= 500)) return;
      await sleep(10_000, mine.signal); // it passes
      if (!mine.signal.aborted) begin();
    }
  };

  signal.addEventListener("abort", () => stopStream.abort());
  begin();
  get("kinds", {}, signal).then((list) => { s.kinds = list.items.map((k) => k.name); redraw(); }, () => {});
  return "Deltas";
}
