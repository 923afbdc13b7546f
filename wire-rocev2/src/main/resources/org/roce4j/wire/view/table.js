// The same packets as rows of a table, for reading aloud, copying and comparing.

const TABLE_ROW = 27;
const tableColumns = [
  ["No.", (i) => i + 1, "number"],
  ["Time, " + unit.name, (i) => timeText(times[i]), "number"],
  ["From", (i) => fromEnd(i)[0]],
  ["To", (i) => toEnd(i)[0]],
  ["Opcode", (i) => (hasHeaders(i) ? opcodeOf(i)[OP.TEXT] : data.what[i])],
  ["Mark", (i) => markText(i), "mark"],
  ["Fate", (i) => (fates[i] ? data.fates[fates[i]] : ""), "fate"],
  ["To QP", (i) => (hasHeaders(i) ? hex(destQpOf(i), 6) : "")],
  ["PSN", (i) => (hasHeaders(i) ? psnOf(i) : ""), "number"],
  ["from first", (i) => (data.psn[i] === null ? "" : (data.psn[i] < 0 ? "" : "+") + data.psn[i]), "number"],
  ["Payload", (i) => (hasHeaders(i) ? countText(data.payload[i]) : ""), "number"],
  ["Syndrome", (i) => syndromeText(i)],
  ["ICRC", (i) => ICRC[icrcs[i]]],
  ["Comment", (i) => data.comment[i] ?? data.message[i] ?? ""],
];
const table = { shown: [] };

function tableShow(shown) {
  table.shown = shown;
  el("table").innerHTML = `<table aria-rowcount="${shown.length + 1}"><caption>Packets</caption>${tableHead()}<tbody></tbody></table>`;
  tableDraw();
}

function tableHead() {
  const head = tableColumns.map(([name, , style]) => `<th scope="col" class="${style ?? ""}">${esc(name)}</th>`).join("");
  return `<thead><tr aria-rowindex="1">${head}</tr></thead>`;
}

function tableRow(k) {
  const i = table.shown[k];
  const cells = tableColumns.map(([, text, style]) => `<td class="${style ?? ""}">${esc(text(i))}</td>`).join("");
  const current = i === ui.packet ? ' aria-current="true"' : "";
  return `<tr data-packet="${i + 1}" aria-rowindex="${k + 2}"${current} class="k-${kindOf(i)}${fates[i] === FATE.lost ? " lost" : ""}${i === ui.packet ? " chosen" : ""}">${cells}</tr>`;
}

function tableDraw() {
  const box = el("table");
  const body = box.querySelector("tbody");
  if (!body || box.hidden) return;
  const { shown } = table;
  const first = Math.max(0, Math.floor(box.scrollTop / TABLE_ROW) - 10);
  const last = Math.min(shown.length, first + Math.ceil(box.clientHeight / TABLE_ROW) + 20);
  const filler = (rows) => (rows > 0 ? `<tr aria-hidden="true" style="height:${rows * TABLE_ROW}px"><td colspan="${tableColumns.length}"></td></tr>` : "");
  const rows = [filler(first)];
  for (let k = first; k < last; k++) rows.push(tableRow(k));
  rows.push(filler(shown.length - last));
  body.innerHTML = rows.join("");
}

function tableReveal(i) {
  const box = el("table");
  const k = firstAtLeast(table.shown, i);
  if (table.shown[k] !== i) return;
  const y = k * TABLE_ROW;
  if (y < box.scrollTop + 40 || y > box.scrollTop + box.clientHeight - 80) box.scrollTop = y - box.clientHeight / 2;
}
