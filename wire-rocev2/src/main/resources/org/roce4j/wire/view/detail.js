// Everything about one packet: what the rules say, every field with its bytes, and packets that belong to it.

const VERDICT = { keeps: "✓", breaks: "✗", "calls for": "→" };

function detailShow(i) {
  const box = el("detail");
  const left = i < 0 && box.contains(document.activeElement);
  box.hidden = i < 0;
  if (left) panel().focus();
  if (i < 0) return;
  const mark = markText(i);
  const title = hasHeaders(i) ? opcodeOf(i)[OP.TEXT] : "No RoCEv2 packet";
  fill(
    box,
    `
    <div class="detail-head k-${kindOf(i)}">
      <h2><span class="no">${i + 1}</span> ${esc(title)}</h2>
      <button id="close" aria-label="Close" title="Close (Esc)">×</button>
    </div>
    ${mark || fates[i] ? `<p class="pills k-${kindOf(i)}">${mark ? `<span class="pill">${esc(mark)}</span>` : ""}${fates[i] ? `<span class="pill plain">${esc(data.fates[fates[i]])}</span>` : ""}</p>` : ""}
    <dl>${facts(i).map(([name, text]) => `<dt>${name}</dt><dd>${text}</dd>`).join("")}</dl>
    <h3>What the specification says</h3>
    <ul class="rules">${rulesOf(i)}</ul>
    ${hasHeaders(i) ? `<h3>Headers</h3>${headersOf(i).map(([name, at, length]) => headerTable(data.headers[name], name, at, length)).join("")}` : ""}
    ${data.message[i] ? `<h3>Message</h3>${messageOf(i).map(([name, at, length]) => headerTable(data.messages[name], name, at, length)).join("")}` : ""}`,
  );
}

function facts(i) {
  const list = [
    ["From", esc(endText(fromEnd(i)))],
    ["To", esc(endText(toEnd(i)))],
    ["Time", `${timeText(times[i])} ${unit.name}${i ? `, ${esc(durationText(times[i] - times[i - 1]))} after packet ${link(i - 1)}` : ""}`],
  ];
  if (data.flight[i] !== undefined) list.push(["Under way", esc(durationText(data.flight[i]))]);
  if (data.files.length > 1 || framesOf(i) !== String(i + 1)) list.push([data.files.length > 1 ? "In the files" : "Frame", esc(framesOf(i))]);
  if (hasHeaders(i)) {
    const known = data.psn[i] !== null;
    const epoch = data.epoch[i] ? `, epoch ${data.epoch[i]}` : "";
    list.push(["PSN", `${psnOf(i)}${known ? ` (${data.psn[i] < 0 ? "" : "+"}${data.psn[i]} from the first${epoch})` : ""}`]);
    list.push(["Payload", esc(bytesText(data.payload[i]))]);
    if (data.next[i] !== null && data.next[i] !== undefined) list.push(["Outstanding", plural(data.next[i] - data.oldest[i], "PSN") + " after this packet"]);
    const same = samePsn(i);
    if (same.length) list.push(["Same PSN", same.map(link).join(", ")]);
  } else list.push(["What", esc(data.what[i])]);
  if (data.message[i]) list.push(["Message", esc(data.message[i])]);
  if (data.comment[i]) list.push(["Comment", esc(data.comment[i])]);
  return list;
}

const plural = (n, word) => `${countText(n)} ${word}${n === 1 ? "" : "s"}`;
const link = (i) => `<a href="#p=${i + 1}" data-goto="${i}">${i + 1}</a>`;

/** Other packets of the same exchange: the request that was sent before or again, its answers. */
function samePsn(i) {
  if (data.psn[i] === null) return [];
  const requestsOfLeft = (j) => (isRequest(j) ? 1 : 0) === 1 - sides[j];
  const found = [];
  for (let j = 0; j < size && found.length < 12; j++) {
    if (j !== i && data.psn[j] === data.psn[i] && data.connection[j] === data.connection[i] && requestsOfLeft(j) === requestsOfLeft(i)) found.push(j);
  }
  return found;
}

function rulesOf(i) {
  return data.judgements[data.judged[i]]
    .map(([rule, verdict]) => {
      const [sentence, document, section, chapter] = data.rules[rule];
      return `<li class="${verdict.replace(" ", "-")}"><span class="verdict" title="${verdict}">${VERDICT[verdict]}<span class="hidden">${verdict}: </span></span> ${esc(sentence)} <cite title="docs/specification/${document}.md, section ${section}; InfiniBand specification, ${chapter}">${document} ${section} · IBTA ${chapter}</cite></li>`;
    })
    .join("");
}

function headerTable(layout, name, at, length) {
  const rows = layout.fields
    .map((field) => {
      const [, label, first, width, format, says] = field;
      const from = first >> 3;
      const to = (first + width + 7) >> 3;
      const raw = Array.from(bytes.slice(at + from, at + to), (b) => b.toString(16).padStart(2, "0")).join(" ");
      const place = width % 8 || first % 8 ? ` <span class="bits">bit ${first % 8}${width > 1 ? "–" + ((first % 8) + width - 1) : ""}</span>` : "";
      return `<tr><th scope="row">${esc(label)}${says ? `<small>${esc(says)}</small>` : ""}</th><td>${esc(valueText(at, field))}</td><td class="raw">${fourALine(format === "data" ? dataText(raw) : raw)}${place}</td></tr>`;
    })
    .join("");
  const open = ["IPV4", "IPV6", "UDP", "MAD"].includes(name) ? "" : " open";
  const title = ["ICRC", "IPV4", "IPV6", "UDP", "ADDRESSES"].includes(name) ? layout.title : `${name.replace(/_/g, "")} · ${layout.title}`;
  return `<details class="header"${open}><summary>${esc(title)} <small>${length} bytes</small></summary><table><thead class="hidden"><tr><th>field</th><th>value</th><th>bytes</th></tr></thead>${rows}</table></details>`;
}

const fourALine = (raw) => raw.replace(/((?:\b[0-9a-f]{2} ){3}[0-9a-f]{2}) /g, "$1<br>");

/** Bytes without the zeros at their end, which are counted. */
function dataText(raw) {
  const used = raw.replace(/( ?00)+$/, "");
  const zeros = (raw.length - used.length + (used ? 0 : 1)) / 3;
  return used + (zeros ? `${used ? " and " : ""}${plural(zeros, "zero byte")}` : "");
}
