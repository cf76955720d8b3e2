// Answers the page from the recording in place of an operator. Whoever reads it asks what a page asks, and
// filters are followed; nothing is sent to anywhere.
"use strict";
(() => {
  const loaded = Date.now();
  const fields = ["kind", "namespace", "name", "op", "manager", "controller"];
  const beat = 2500; // from one delta to the next
  let told = 0; // deltas of the stream

  const answer = (body, status = 200) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
  const refuse = (status, message) => answer({ message }, status);
  const lets = (params) => (item) => fields.every((f) => !params.get(f) || item[f] === params.get(f));

  /** found is the recorded answer to a question, or to the same question without a filter. */
  function found(path, params) {
    const without = (left) => [...params].filter(([name]) => !["limit", "family"].includes(name) && !left.includes(name)).sort().map((p) => p.join("=")).join("&");
    const exact = recording.answers[`${path}?${without([])}`];
    if (exact) return exact;
    const all = ["deltas", "reconciles"].includes(path) && recording.answers[`${path}?${without(fields)}`];
    return all && { ...all, items: all.items.filter(lets(params)) };
  }

  /** stream tells what happened later, as if it happened now. */
  function stream(params, signal) {
    let timer;
    const body = new ReadableStream({
      start(to) {
        const say = (text) => to.enqueue(new TextEncoder().encode(text));
        say(": the operator is there\n\n");
        timer = setInterval(() => {
          const next = recording.later[told];
          if (!next) return say(": the operator is there\n\n");
          told += 1;
          if (lets(params)(next)) say(`id: ${next.id}\nevent: delta\ndata: ${JSON.stringify(next)}\n\n`);
        }, beat);
        signal?.addEventListener("abort", () => { clearInterval(timer); to.error(new DOMException("aborted", "AbortError")); });
      },
      cancel() { clearInterval(timer); },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }

  window.fetch = async (url, options = {}) => {
    const { pathname, searchParams: params } = new URL(url);
    const path = pathname.split("/v1/").pop();
    if (options.method === "POST") return refuse(409, "This is a recording. An operator would do that.");
    if (path === "deltas/stream") return stream(params, options.signal);
    const body = found(path, params);
    if (!body) return refuse(404, "The recording has nothing about that.");
    const news = path === "deltas" ? recording.later.slice(0, told).filter(lets(params)).reverse() : [];
    return answer({ ...body, at: new Date(Date.parse(body.at) + Date.now() - loaded).toISOString(), ...(body.items && { items: [...news, ...body.items] }) });
  };
})();
