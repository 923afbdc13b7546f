// What a printer gets: as many ladders as fill the pages, or all rows of the table, where the screen draws what is in view; the plot in light colours.

const PAPER = { ROWS: 32, MOST: 1500 };

function plotOn(paper) {
  plot.paper = paper;
  if (ui.view === "sequence") sequenceDraw();
}

function paperFill() {
  const shown = ui.shown.subarray(0, PAPER.MOST);
  const left = ui.shown.length - shown.length;
  const parts = left ? [`<p>The first ${countText(shown.length)} of ${countText(ui.shown.length)} packets; a filter chooses others.</p>`] : [];
  if (ui.view === "table") parts.push(`<table>${tableHead()}<tbody>${Array.from(shown, (_, k) => tableRow(k)).join("")}</tbody></table>`);
  else if (ui.view === "ladder" && shown.length) parts.push(...asPicture((width) => paperLadders(shown, left, width)));
  el("paper").innerHTML = parts.join("");
}

/** Within asPicture. */
function paperLadders(shown, left, width) {
  const parts = [];
  const last = left ? ladder.rows.sentAt[shown.length - 1] + 0.5 : ladder.rows.height;
  for (let from = 0, to; from < last; from = to) {
    to = Math.min(last, pageEnd(from));
    parts.push(drawnPicture(width, from, to), omissions(from, to));
  }
  return parts;
}

/** What the arrows of a picture have no room for: paper has no tooltips. */
function omissions(from, to) {
  const { rows, lines } = ladder;
  const notes = [];
  for (let k = firstAtLeast(rows.sentAt, from); k < rows.shown.length && rows.sentAt[k] < to; k++) {
    const i = rows.shown[k];
    const span = Math.abs(lines[lineTo(i)].x - lines[lineFrom(i)].x);
    const { omitted } = caption(i, span, false);
    if (omitted.length) notes.push(`<li><b>${i + 1}</b> ${esc(omitted.join("; "))}</li>`);
  }
  return notes.length ? `<ul>${notes.join("")}</ul>` : "";
}

/** A page ends in a pause, or else between two packets, where it can. */
function pageEnd(from) {
  const { sentAt, pauses } = ladder.rows;
  const pause = pauses.findLast((p) => p.y > from + 0.6 * PAPER.ROWS && p.y + 1.1 < from + PAPER.ROWS);
  if (pause) return pause.y + 1.1; // above the text of what comes behind it
  const next = sentAt[firstAtLeast(sentAt, from + PAPER.ROWS - 0.5)] - 0.75;
  return next > from && next < from + PAPER.ROWS ? next : from + PAPER.ROWS;
}

/** Nobody can open what is closed on paper. */
function openAll() {
  PAPER.opened = [...document.querySelectorAll("details:not([open])")];
  for (const closed of PAPER.opened) closed.open = true;
}

addEventListener("beforeprint", () => {
  paperFill();
  openAll();
  plotOn(true);
});
addEventListener("afterprint", () => {
  el("paper").innerHTML = "";
  for (const closed of PAPER.opened ?? []) closed.open = false;
  plotOn(false);
});
