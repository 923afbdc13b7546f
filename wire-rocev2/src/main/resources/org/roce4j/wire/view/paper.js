// What a printer gets: as many ladders as fill the pages, or all rows of the table, where the screen draws what is in view.

const PAPER = { ROWS: 32, MOST: 1500 };

function paperFill() {
  const shown = ui.shown.subarray(0, PAPER.MOST);
  const left = ui.shown.length - shown.length;
  const parts = left ? [`<p>The first ${shown.length.toLocaleString("en")} of ${ui.shown.length.toLocaleString("en")} packets; a filter chooses others.</p>`] : [];
  if (ui.view === "table") parts.push(`<table>${tableHead()}<tbody>${Array.from(shown, (_, k) => tableRow(k)).join("")}</tbody></table>`);
  else if (ui.view === "ladder" && shown.length) {
    const last = left ? ladder.rows.sentAt[shown.length - 1] + 0.5 : ladder.rows.height;
    for (let from = 0, to; from < last; from = to) {
      to = Math.min(last, pageEnd(from));
      parts.push(ladderPicture(from, to));
    }
  }
  el("paper").innerHTML = parts.join("");
}

/** A page ends between two packets where it can. */
function pageEnd(from) {
  const { sentAt } = ladder.rows;
  const next = sentAt[firstAtLeast(sentAt, from + PAPER.ROWS - 0.5)] - 0.6;
  return next > from && next < from + PAPER.ROWS ? next : from + PAPER.ROWS;
}

addEventListener("beforeprint", paperFill);
addEventListener("afterprint", () => (el("paper").innerHTML = ""));
