'use strict';
// Chooses rows by verdict and by words; an address that names a row opens its group.
(() => {
  const groups = [...document.querySelectorAll('.group')].map((details) => ({
    details,
    first: details.open,
    rows: [...details.querySelectorAll('tr[id]')].map((row) => ({
      row, verdict: row.className, text: row.textContent.toLowerCase(),
    })),
  }));
  const all = groups.reduce((sum, group) => sum + group.rows.length, 0);
  const find = document.getElementById('find');
  const count = document.getElementById('count');
  const buttons = [...document.querySelectorAll('[data-verdict]')];
  let verdict = '';

  const choose = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const narrowed = verdict !== '' || words.length > 0;
    let shown = 0;
    for (const group of groups) {
      let here = 0;
      for (const { row, verdict: own, text } of group.rows) {
        const fits = (verdict === '' || own === verdict) && words.every((word) => text.includes(word));
        row.hidden = !fits;
        here += fits ? 1 : 0;
      }
      group.details.hidden = here === 0;
      group.details.open = narrowed ? here > 0 : group.first;
      shown += here;
    }
    count.textContent = narrowed ? `${shown.toLocaleString('en')} of ${all.toLocaleString('en')} rows` : `${all.toLocaleString('en')} rows`;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.verdict === verdict));
  };

  const follow = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const group = row?.closest('.group');
    if (!group) return;
    if (row.hidden) {
      verdict = '';
      find.value = '';
      choose();
    }
    group.open = true;
    row.scrollIntoView({ block: 'center' });
  };

  for (const button of buttons) {
    button.addEventListener('click', () => {
      verdict = verdict === button.dataset.verdict ? '' : button.dataset.verdict;
      choose();
    });
  }
  find.addEventListener('input', choose);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== find) {
      event.preventDefault();
      find.focus();
    } else if (event.key === 'Escape') {
      find.value = '';
      verdict = '';
      choose();
    }
  });
  addEventListener('hashchange', follow);
  choose();
  follow();
})();
