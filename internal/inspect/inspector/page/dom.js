// Building and updating the page. Data only ever becomes text or an attribute.

/** h makes an element. Handlers are properties, so that morph can carry them over. */
export const h = (tag, props, ...children) => build(document.createElement(tag), props, children);

/** svg makes an element of a picture, as the one in the head is. */
export const svg = (tag, props, ...children) => build(document.createElementNS(document.querySelector("svg").namespaceURI, tag), props, children);

function build(el, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) el[name] = value;
    else el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return el;
}

const handlers = ["onclick", "onchange", "oninput", "onsubmit"];

/** draw makes the children of a place those given, and changes only what differs. So the focus, a
 * selection and what somebody types stay as they are. */
export function draw(place, ...children) {
  const wanted = document.createElement(place.nodeName);
  wanted.append(...children.flat(Infinity).filter(Boolean));
  morphChildren(place, wanted);
}

function morph(old, now) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== now.data) old.data = now.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "style" && !now.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of now.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  // The policy of the page forbids the attribute, and not the property.
  if (old.style.cssText !== now.style.cssText) old.style.cssText = now.style.cssText;
  for (const name of handlers) {
    if (old[name] !== now[name]) old[name] = now[name];
  }
  if (old.nodeName !== "SELECT") morphChildren(old, now);
  else morphSelect(old, now);
}

/** morphSelect keeps what is chosen. Options that move from one select to another each become the
 * chosen one on their way. */
function morphSelect(old, now) {
  const had = old.options.length > 0;
  const value = old.value;
  morphChildren(old, now);
  const all = [...old.options];
  const keep = (had && all.find((o) => o.value === value)) || all.find((o) => o.hasAttribute("selected")) || all[0];
  if (keep && !keep.selected) keep.selected = true;
}

const keyOf = (node) => node.dataset?.key;

/** key is the key of something with a name of several parts. Each part may have any character. */
export const key = (...parts) => JSON.stringify(parts);

const alike = (a, b) => a.nodeName === b.nodeName && keyOf(a) === keyOf(b) && a.type === b.type;

function morphChildren(old, now) {
  const keyed = new Map(); // several of one key stay in their order
  for (const child of old.children) if (keyOf(child) !== undefined) keyed.set(keyOf(child), [...(keyed.get(keyOf(child)) ?? []), child]);
  let at = old.firstChild;
  for (const wanted of [...now.childNodes]) {
    const same = keyed.get(keyOf(wanted))?.[0];
    if (same && alike(same, wanted)) {
      keyed.get(keyOf(wanted)).shift();
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      morph(same, wanted);
    } else if (at && keyOf(at) === undefined && alike(at, wanted)) {
      morph(at, wanted);
      at = at.nextSibling;
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** isSelecting tells whether somebody is about to copy text of a place. */
export function isSelecting(place) {
  const s = document.getSelection();
  return Boolean(s && !s.isCollapsed && place.contains(s.anchorNode));
}

/** table makes a table that becomes cards on a narrow screen. A row is {key, cells, detail}. The roles
 * are said, because browsers forget them when the style changes how a table is displayed. */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return h("p", { class: "empty" }, empty);
  return h("div", { class: "scroll" }, h("table", { role: "table" },
    h("caption", { class: "unseen" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
      columns.map((c) => h("th", { role: "columnheader", scope: "col", class: c.class }, c.label || h("span", { class: "unseen" }, c.name))))),
    h("tbody", { role: "rowgroup" }, rows.map((row) => [
      h("tr", { role: "row", "data-key": row.key, class: row.class },
        row.cells.map((cell, i) => h("td", { role: "cell", "data-label": columns[i].label, class: columns[i].class }, h("div", null, cell)))),
      row.detail && h("tr", { role: "row", "data-key": row.key + " detail", class: "detail" },
        h("td", { role: "cell", colspan: columns.length }, row.detail)),
    ]))));
}

/** more is the button that shows a row's details. */
export function more(opened, key, label, redraw) {
  const open = opened.has(key);
  return h("button", {
    type: "button", class: "more", "aria-expanded": String(open), "aria-label": `Details of ${label}`,
    onclick: () => { if (!opened.delete(key)) opened.add(key); redraw(); },
  }, h("span", { "aria-hidden": "true" }, open ? "▾" : "▸"));
}

/** state shows a state by word and shape; the colour only helps. */
export function state(word, mood) {
  return h("span", { class: `state ${mood}` }, h("span", { class: "shape", "aria-hidden": "true" }, { good: "●", plain: "✓", busy: "◐", warn: "▲", bad: "■", off: "○" }[mood]), word);
}

/** field is an input with its label. */
export function field(label, input) {
  return h("label", { class: "field" }, h("span", null, label), input);
}

/** select is a choice. The first option chooses all. */
export function select(name, all, values, chosen, onchange) {
  const list = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  return h("select", { name, onchange },
    all && h("option", { value: "" }, all),
    list.map((v) => h("option", { value: v, selected: v === chosen, "data-key": v }, v)));
}

/** dialog shows a dialog and removes it when it is closed. */
export function dialog(title, build) {
  const heading = h("h2", { id: `dialog-${Math.random().toString(36).slice(2)}` }, title);
  const el = h("dialog", { "aria-labelledby": heading.id }, heading);
  const close = () => el.close();
  el.append(...build(close).filter(Boolean));
  el.addEventListener("close", () => el.remove());
  document.body.append(el);
  el.showModal();
  return el;
}
