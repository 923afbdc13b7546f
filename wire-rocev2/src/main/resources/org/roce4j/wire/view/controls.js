// Parts of a page that are drawn anew, for the page of `roce4j view` and that of `roce4j lab`.

const el = (id) => document.getElementById(id);
const esc = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/**
 * Fills a part of the page anew. A control in it that has the focus keeps it, or leaves it to the first if it is gone; where there is none,
 * the page's panel() gets it.
 */
function fill(box, html) {
  const sign = (control) => JSON.stringify([control.id, control.dataset, control.localName === "summary" && control.textContent]);
  const focused = box.contains(document.activeElement) && sign(document.activeElement);
  box.innerHTML = html;
  if (!focused) return;
  const controls = [...box.querySelectorAll("button:not(:disabled), a, summary, [tabindex]")];
  (controls.find((control) => sign(control) === focused) ?? controls[0] ?? panel()).focus({ preventScroll: true });
}
