// The page of the lab: each action goes to the server, which answers what there is then. The ladder is the page of `roce4j view`.

const FAULTS = [["drop", "drop"], ["delay", "delay=1ms"], ["duplicate", "duplicate"], ["corrupt", "corrupt-payload"], ["mark CE", "mark-ecn"]];
const SPOKEN = 6; // events that a screen reader is told of one action
const EXAMPLES = ["connect a b", "connect a b service=UD", "connect a b timeout=10 rnr_retry=3", "create a", "modify a1 state=INIT", "modify a1 state=RTR peer=b1",
  "send a1 text=hello", "send a1 bytes=1024", "write a1 text=hello at=64", "read a1 at=64 into=512 bytes=8", "fetch_add a1 at=8 add=5",
  "compare_swap a1 at=8 compare=5 swap=7", "receive b1", "key a1 value=0x1234", "register b rights=read", "port b down", "run for=1ms", "step times=2"];

/** How often a page that is looked at asks whether another page has played. */
const LOOK_MS = 1000;

let state = null;
let before = null;
let working = Promise.resolve();

// ---- doing

/** One request after the other, however fast the clicks come. */
function ask(path, body) {
  working = working.then(async () => {
    const answer = await fetch(path(), body === undefined ? {} : { method: "POST", body });
    if (!answer.ok) throw new Error(await answer.text());
    const told = await answer.json();
    before = state;
    state = told;
    show();
  }).catch((e) => gone(` (${e.message})`));
  return working;
}
// What the server has done since this page looked is seen before anything is done on top of it.
const act = (line) => ask(() => `act?seen=${state.turn}`, line);
const back = () => ask(() => `back?seen=${state.turn}`, "");

/** Another page may play the same lab. Like everything it waits for its turn, so that no answer is taken for another's. */
function look() {
  if (document.hidden) return;
  working = working.then(async () => {
    const turn = await (await fetch("turn")).json();
    if (turn !== state?.turn) ask(() => "state");
  }).catch(() => {
    clearInterval(looking);
    gone("");
  });
}
const gone = (why) => problem(`The lab does not answer${why}. Has it ended, or was it started anew? It prints its address.`);

function problem(text) {
  el("problem").hidden = !text;
  el("problem").textContent = text;
}

// ---- showing

const us = (ns) => (ns / 1000).toFixed(3) + "\u202fµs";
/** A button that does nothing now keeps the focus, so that the keyboard does not lose its place. */
const off = (id, nothingToDo) => (el(id).ariaDisabled = nothingToDo);
const isOff = (button) => button.ariaDisabled === "true";

/** What the focus that has lost its place goes to. */
const panel = () => el("step");

const changed = (now, then) => (then !== undefined && now !== then ? ' class="changed"' : "");

function show() {
  document.title = state.title + " – roce4j lab";
  el("title").textContent = state.title;
  el("clock").textContent = `${us(state.nowNs)}; ` + (state.nextNs === null ? "nothing is left to happen" : `next at ${us(state.nextNs)}`);
  off("step", state.nextNs === null);
  off("run", state.nextNs === null);
  off("back", !state.actions);
  problem(state.problem);
  hideMenu();
  showFlying();
  fill(el("devices"), state.devices.map(deviceHtml).join(""));
  showLog();
  showLadder();
  document.body.dataset.actions = state.actions;
}

function showFlying() {
  const html = state.underWay.length
    ? state.underWay.map((p) => `<div class="flyer" data-flyer="${p.number}"><span class="what"><b>${p.number}</b> ${esc(p.from)} → ${esc(p.to)} ${esc(p.what)} <small>arrives at ${us(p.endNs)}${p.comment ? ", " + esc(p.comment) : ""}</small></span>${faults(p.number)}</div>`).join("")
    : state.happenings.some((h) => h.kind === "PACKET")
      ? '<p class="none">No packet is under way.</p>'
      : state.devices.length > 1
        ? '<p class="none">Nothing was sent yet. <b>Connect</b> two devices, post a <b>receive</b> on one and a <b>send</b> on the other, then press <b>Step</b>: each step lets one packet arrive or one timer end. <b>Back</b> undoes; in the line above any action can be written.</p>'
        : '<p class="none">Nothing was sent yet.</p>';
  fill(el("flying"), html);
}

const faults = (number) => `<span class="faults">${FAULTS.map(([text, fault]) => `<button data-act="packet ${number} ${fault}" aria-label="${text} packet ${number}">${text}</button>`).join("")}</span>`;

function deviceHtml(device, d) {
  const then = before?.devices[d];
  return `<article class="device" data-device="${esc(device.name)}"><h2>${esc(device.name)}</h2><p>${esc(device.address)} · key <span${changed(device.key, then?.key)}>${device.key}</span></p>` +
    device.queuePairs.map((qp) => qpHtml(qp, then?.queuePairs.find((q) => q.name === qp.name))).join("") +
    (device.queuePairs.length ? "" : `<div class="posts" role="group" aria-label="${esc(device.name)}">${creators(device.name)}</div>`) +
    memoryHtml(device.memory, then?.memory) + "</article>";
}

function creators(name) {
  const other = state.devices.find((d) => d.name !== name)?.name;
  if (!other) return button("create " + name, "create a queue pair");
  return name === state.devices[0].name ? ["RC", "UC", "UD", "XRC"].map((s) => button(`connect ${name} ${other} service=${s}`, `connect to ${other}: ${s}`)).join("") + button("create " + name, "create a queue pair") : button("create " + name, "create a queue pair");
}

const button = (line, text) => `<button data-act="${esc(line)}" title="${esc(line)}">${esc(text)}</button>`;

/** What the rows of a queue pair mean. */
const TERMS = {
  unacknowledged: "PSNs of its requests that the peer has not acknowledged yet",
  "sends next": "the PSN of the next packet that it sends for the first time",
  expects: "the PSN of the next request that it takes; a lower one is a duplicate, a higher one shows a gap",
  "retries left": "how often it sends again after a timeout, and after an RNR NAK, before the request fails",
  timers: "when it acts by itself, if nothing comes before",
  "send queue": "posted and not completed, the oldest first",
  "receive queue": "posted receives that no message has taken, the oldest first",
  "peer's key": "the key that its WRITEs, READs and atomics name; the peer lets them in if it is the key of its device",
};

function qpHtml(qp, then) {
  const row = (name, value, old) => `<dt title="${esc(TERMS[name])}">${name}</dt><dd><span${changed(value, old)}>${esc(value)}</span></dd>`;
  const value = (q, f) => (q ? f(q) : undefined);
  const unacknowledged = (q) => (q.oldest === q.never ? "none" : q.never - q.oldest === 1 ? `PSN ${q.oldest}` : `PSN ${q.oldest} to ${q.never - 1}`);
  const timers = (q) => [q.ackTimer !== null && `ACK timeout at ${us(q.ackTimer)}`, q.rnrTimer !== null && `RNR timer at ${us(q.rnrTimer)}`].filter(Boolean).join(", ") || "none runs";
  const retries = (q) => `${q.retries}; RNR ${q.rnrRetries === 7 ? "without end" : q.rnrRetries}`;
  const list = (lines) => lines.join("\n") || "empty";
  const reliable = qp.service === "RC" || qp.service.startsWith("XRC");
  return `<section class="qp" data-qp="${qp.name}"><h3>${qp.name} <span class="tag ${qp.state}"><span${changed(qp.state, then?.state)}>${qp.state}</span></span> <small>${qp.service} ${qp.number}${qp.peer ? " ↔ " + esc(qp.peer) : ""}</small></h3><dl>` +
    (reliable ? row("unacknowledged", unacknowledged(qp), value(then, unacknowledged)) : "") +
    row("sends next", "PSN " + qp.next, value(then, (q) => "PSN " + q.next)) + row("expects", "PSN " + qp.expected, value(then, (q) => "PSN " + q.expected)) +
    (reliable ? row("retries left", retries(qp), value(then, retries)) + row("timers", timers(qp), value(then, timers)) : "") +
    row("send queue", list(qp.sends), value(then, (q) => list(q.sends))) + row("receive queue", list(qp.receives), value(then, (q) => list(q.receives))) +
    (reliable && qp.peer ? row("peer's key", qp.key, then?.key) : "") + `</dl><div class="posts" role="group" aria-label="${qp.name}">${posts(qp)}</div></section>`;
}

function posts(qp) {
  const all = [["receive", `receive ${qp.name}`], ["send", `send ${qp.name} text=hello`]];
  if (qp.service !== "UD") all.push(["send 4 packets", `send ${qp.name} bytes=1024`], ["write", `write ${qp.name} text=hello at=64`]);
  if (qp.service === "RC" || qp.service === "XRC_SEND") all.push(["read", `read ${qp.name} at=64 into=512 bytes=8`], ["fetch_add", `fetch_add ${qp.name} at=8 into=520 add=1`], ["wrong key", `key ${qp.name} value=0x1234`], ["right key", `key ${qp.name}`]);
  const wanted = qp.service === "XRC_SEND" ? all.slice(1) : qp.service === "XRC_RECV" ? all.slice(0, 1) : all;
  return wanted.map(([text, line]) => button(line, text)).join("");
}

/** Rows of eight bytes in which one is not zero, or was. */
function memoryHtml(memory, then) {
  const rows = [];
  const zero = "0".repeat(16);
  for (let at = 0; at < Math.max(memory.length, then?.length ?? 0); at += 16) {
    const now = memory.slice(at, at + 16).padEnd(16, "0");
    const old = then === undefined ? now : then.slice(at, at + 16).padEnd(16, "0");
    if (now === zero && old === zero) continue;
    const bytes = now.match(/../g);
    const cells = bytes.map((b, k) => (b === old.slice(2 * k, 2 * k + 2) ? (b === "00" ? b : `<i>${b}</i>`) : `<i class="changed">${b}</i>`));
    const text = bytes.map((b) => { const c = parseInt(b, 16); return c > 31 && c < 127 ? String.fromCharCode(c) : "."; }).join("");
    rows.push(`${String(at / 2).padStart(5)}  ${cells.join(" ")}  ${esc(text)}`);
  }
  return rows.length ? `<pre class="memory" tabindex="0" aria-label="Memory">${rows.join("\n")}</pre>` : "";
}

function showLog() {
  const list = state.happenings;
  const textOf = (h) => (h.kind === "ACTION" ? "› " + h.what : (h.who ? h.who + ": " : "") + h.what);
  const news = list.slice(list.findLastIndex((h) => h.kind === "ACTION") + 1);
  el("said").textContent = (news.length > SPOKEN ? `${news.length} events, at last: ` : "") + news.slice(-SPOKEN).map(textOf).join("; ");
  el("happenings").style.setProperty("--longest", us(list.at(-1)?.atNs ?? 0).length + "ch");
  el("happenings").innerHTML = list.map((h) => {
    const kind = h.kind === "COMPLETION" ? (h.what.includes(" fails: ") ? "fails" : "completes") : h.kind;
    return `<li class="${kind}"${h.kind === "ACTION" ? ` data-action="${h.action}"` : ""}><time>${us(h.atNs)}</time><span>${esc(textOf(h))}</span></li>`;
  }).join("");
  el("log").scrollTop = el("log").scrollHeight;
}

// ---- the ladder

/** The page is loaded beside the one that is shown, and takes its place. */
function showLadder() {
  const frames = el("frames");
  frames.querySelectorAll(".coming").forEach((frame) => frame.remove());
  const frame = document.createElement("iframe");
  frame.title = "Ladder of the packets";
  frame.className = "coming";
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    const style = page.createElement("style");
    style.textContent = "header, #bar { display: none } #legend { padding-top: 6px }";
    page.head.append(style);
    page.addEventListener("pointerover", (e) => under(e, frame));
    page.addEventListener("keydown", (e) => e.key !== "r" && keys(e)); // r has a meaning there
    const scroll = page.getElementById("scroll");
    const focused = document.activeElement === shown();
    shown()?.remove();
    frame.classList.remove("coming");
    if (focused) frame.focus();
    requestAnimationFrame(() => (scroll.scrollTop = scroll.scrollHeight));
  });
  frame.src = "view";
  frames.append(frame);
}

/** The packet under the mouse, if it can still meet a fault. */
function under(e, frame) {
  const number = Number(e.target.closest?.("[data-packet]")?.dataset.packet ?? 0);
  const packet = state.underWay.find((p) => p.number === number);
  if (!packet) return hideMenu();
  const box = frame.getBoundingClientRect();
  const menu = el("menu");
  menu.innerHTML = `<b>packet ${number}</b>${faults(number)}`;
  menu.hidden = false;
  menu.style.left = Math.min(box.left + e.clientX, innerWidth - menu.offsetWidth - 8) + "px";
  menu.style.top = Math.min(box.top + e.clientY + 10, innerHeight - menu.offsetHeight - 8) + "px";
}

/** The ladder that is shown, once it is, and its document. */
const shown = () => el("frames").querySelector("iframe:not(.coming)");
const inside = () => shown().contentDocument;

const hideMenu = () => (el("menu").hidden = true);

// ---- events

function keys(e) {
  if (e.target.matches?.("input")) return e.key === "Escape" && el("step").focus();
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const todo = { s: () => el("step").click(), r: () => el("run").click(), b: () => el("back").click(), Escape: hideMenu }[e.key];
  if (todo) {
    e.preventDefault();
    todo();
  }
}

document.addEventListener("keydown", keys);
document.addEventListener("click", (e) => {
  const button = e.target.closest("[data-act]");
  if (button && !isOff(button)) act(button.dataset.act);
});
el("back").addEventListener("click", () => !isOff(el("back")) && back());
el("bar").addEventListener("submit", (e) => {
  e.preventDefault();
  const line = el("line").value.trim();
  if (line) act(line).then(() => !state.problem && (el("line").value = ""));
});
// Paper gets the whole ladder, which the page inside prepares as for its own paper.
addEventListener("beforeprint", () => {
  const page = shown()?.contentWindow;
  if (!page) return;
  page.paperFill();
  el("paper").innerHTML = page.document.getElementById("paper").innerHTML;
});
addEventListener("afterprint", () => (el("paper").innerHTML = ""));
el("examples").innerHTML = EXAMPLES.map((line) => `<option value="${esc(line)}">`).join("");
ask(() => "state");
const looking = setInterval(look, LOOK_MS);
document.addEventListener("visibilitychange", look);
