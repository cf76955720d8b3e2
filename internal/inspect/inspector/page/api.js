// Asking the operator. A lost connection, and a token that is asked for, are dealt with here, so that
// the views only see answers and refusals.
import { h, dialog } from "./dom.js";
import { noteClock } from "./text.js";

const base = new URL("v1/", document.baseURI);
const tokenKey = "delta-token"; // in sessionStorage: it ends with the tab

/** Refused is an answer other than the one that was asked for. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** link is how the connection is doing. */
export const link = {
  lostAt: null,
  why: "", // what a proxy says of it
  reached: false,
  onchange: () => {},
  lost(why = "") {
    this.lostAt ??= new Date();
    this.why = why;
    this.onchange();
  },
  back() {
    if (this.reached && !this.lostAt) return;
    this.reached = true;
    this.lostAt = null;
    this.onchange();
  },
};

export const token = {
  get: () => sessionStorage.getItem(tokenKey) ?? "",
  set(value) {
    if (value) sessionStorage.setItem(tokenKey, value);
    else sessionStorage.removeItem(tokenKey);
    link.onchange();
  },
};

export const sleep = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

/** isOurs tells whether an answer is the operator's, and not of something before it. */
const isOurs = (answer) => (answer.headers.get("Content-Type") ?? "").startsWith("application/json");

/** isAway tells whether a proxy, such as kubectl delta page, has not reached the operator. */
const isAway = (answer) => [502, 503, 504].includes(answer.status) && !isOurs(answer);

const patience = 10_000; // for an answer to begin
class Late extends Error {}

/** begun is the answer to a request as soon as it begins. An operator that takes a connection and says nothing is away, too. */
async function begun(url, options, signal) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    return await fetch(url, { ...options, signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]), cache: "no-store", redirect: "error" });
  } catch (error) {
    throw late.signal.aborted && !signal?.aborted ? new Late(`no answer in ${patience / 1000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** send makes a request, again and again until there is a connection and a token that counts. */
async function send(url, options, signal) {
  for (;;) {
    const used = token.get();
    const headers = { ...options.headers, ...(used && { Authorization: `Bearer ${used}` }) };
    let answer;
    let why = "";
    try {
      answer = await begun(url, { ...options, headers }, signal);
      if (isAway(answer)) {
        why = (await answer.text()).slice(0, 300).trim();
        throw new Error(why);
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof Late) why = error.message;
      link.lost(why);
      if (options.method === "POST") throw new Refused(0, "The operator can't be reached. It is not known whether it has done that.");
      await sleep(2000, signal);
      continue;
    }
    link.back();
    if (answer.status !== 401) return answer;
    await askToken(used);
    if (signal?.aborted) throw new DOMException("aborted", "AbortError");
  }
}

async function refusal(answer, method, url) {
  const text = await answer.text();
  try {
    const problem = JSON.parse(text);
    if (problem.message) return new Refused(answer.status, problem.message);
  } catch { /* it is from something before the operator */ }
  const said = `${answer.status} ${text.slice(0, 300).trim() || answer.statusText}`;
  if (answer.status !== 403) return new Refused(answer.status, said);
  return new Refused(403, `${said}. Somebody who administers the cluster can allow it, with a ClusterRole that has the verb ${method} for ${url.pathname}.`);
}

function address(path, params) {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(params ?? {})) if (value !== "" && value !== undefined && value !== null) url.searchParams.set(name, value);
  return url;
}

export async function get(path, params, signal) {
  for (;;) {
    const url = address(path, params);
    const answer = await send(url, {}, signal);
    if (!answer.ok) throw await refusal(answer, "get", url);
    let body;
    try {
      body = await answer.json();
    } catch (error) {
      if (signal?.aborted) throw error;
      link.lost(); // it broke off in the middle
      await sleep(2000, signal);
      continue;
    }
    noteClock(body.at);
    return body;
  }
}

export async function post(action, body) {
  const url = address(`actions/${action}`);
  const answer = await send(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw await refusal(answer, "post", url);
  return answer.json();
}

let asking = null;

/** askToken waits for a token other than the one that was refused. */
function askToken(refused) {
  if (token.get() !== refused) return Promise.resolve(); // somebody has given one meanwhile
  asking ??= new Promise((resolve) => {
    const input = h("input", { type: "password", name: "token", autocomplete: "off", spellcheck: "false", required: true });
    const give = () => {
      if (!input.value.trim()) { input.focus(); return; }
      token.set(input.value.trim());
      el.close();
    };
    input.addEventListener("keydown", (e) => { if (e.key === "Enter") give(); });
    const el = dialog("The operator asks who you are", () => [
      refused && h("p", { class: "problem", role: "alert" }, "The operator does not accept this token. It may have expired."),
      h("p", null, "Give a bearer token of somebody who may read the paths of this page. It is kept in this tab and nowhere else, and goes to this operator only."),
      h("label", { class: "field" }, h("span", null, "Bearer token"), input),
      h("p", { class: "note" }, "A service account's token: ", h("code", null, "kubectl create token NAME --namespace NAMESPACE")),
      h("div", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: give }, "Use this token")),
    ]);
    el.addEventListener("cancel", (e) => e.preventDefault());
    el.addEventListener("close", () => { asking = null; resolve(); });
    input.focus();
  });
  return asking;
}

/** pause keeps a view as it is. */
export const pause = { on: false };

/** poll calls read again and again while the page is seen. Some do so also while the view is paused. */
export async function poll(read, every, signal, always = false) {
  while (!signal.aborted) {
    if (!document.hidden && (always || !pause.on)) await read();
    await sleep(every, signal);
  }
}

/** follow reads the stream of deltas until the signal. EventSource can't send a token, so this reads the
 * body itself. It goes on after the last delta that it has seen. */
export async function follow(params, since, on, signal) {
  let last = since;
  let opened = false;
  while (!signal.aborted) {
    const quiet = new AbortController();
    const stop = () => quiet.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const url = address("deltas/stream", { ...params, since: last });
      const answer = await send(url, {}, quiet.signal);
      if (!answer.ok) throw await refusal(answer, "get", url);
      on.open();
      opened = true;
      await read(answer.body, (event) => {
        if (event.id) last = event.id;
        on[event.name]?.(JSON.parse(event.data));
      }, quiet);
      on.closed();
      await sleep(100, signal);
    } catch (error) {
      if (signal.aborted) return;
      on.closed();
      if (error instanceof Refused) on.refused(error);
      else link.lost();
      // Too many readers, or trouble of the operator: both pass. So does a kind that is not there yet, in an operator that has started again.
      const passes = error instanceof Refused && (error.status === 429 || error.status >= 500 || error.status === 404 && opened);
      if (error instanceof Refused && !passes) return;
      await sleep(error instanceof Refused ? 10_000 : 1000, signal);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

// The operator gives a sign of life each 15 seconds.
const silence = 40_000;

async function read(body, tell, quiet) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const timer = setTimeout(() => quiet.abort(), silence);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const one of events) {
      const event = {};
      for (const line of one.split("\n")) {
        const [, key, content] = /^(id|event|data): (.*)$/.exec(line) ?? [];
        if (key) event[key === "event" ? "name" : key] = content;
      }
      if (event.name) tell(event);
    }
  }
}
