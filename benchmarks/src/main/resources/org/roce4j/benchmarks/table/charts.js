'use strict';
// Draws each chart into its place, again when the size or the colours change.
(() => {
  const HEIGHT = 340;
  const DASHES = [[], [8, 4], [2, 3], [12, 4, 2, 4], [4, 4], [1, 5]];
  const BORDERS = ['solid', 'dashed', 'dotted', 'double', 'dashed', 'dotted'];
  const places = [...document.querySelectorAll('[data-chart]')];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = (x) => x >= 1 << 20 ? `${x / (1 << 20)} Mi` : x >= 1024 ? `${x / 1024} Ki` : `${x}`;

  const draw = (place) => {
    const { axis, unit, x, lines } = CHARTS[place.dataset.chart];
    const counted = axis === 'bytes' ? short : (value) => value.toLocaleString('en');
    const look = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 } };
    const series = Object.keys(lines).map((label, i) => ({
      label, stroke: colour(`--line${i % 6}`), width: 2, dash: DASHES[i % 6], spanGaps: true,
      points: { show: true, size: 6 }, value: (u, y) => y == null ? '–' : `${y.toFixed(2)} ${unit}`,
    }));
    place.replaceChildren();
    place.plot = new uPlot({
      width: place.clientWidth, height: HEIGHT,
      legend: { markers: { dash: (u, i) => BORDERS[(i - 1) % 6] } },
      scales: { x: { time: false, distr: 3, log: axis === 'bytes' ? 2 : 10 }, y: { range: (u, low, high) => [0, high * 1.05 || 1] } },
      axes: [
        { ...look, label: axis, values: (u, splits) => splits.map((s) => s == null ? '' : counted(s)),
          splits: () => x, space: 50, filter: (u, splits) => thinned(u, splits) },
        { ...look, label: unit, size: 64 },
      ],
      series: [{ label: axis, value: (u, v) => v == null ? '–' : counted(v) }, ...series],
    }, [x, ...Object.values(lines)], place);
  };

  // Labels of the horizontal axis that would touch are left out.
  const thinned = (u, splits) => {
    let last = -Infinity;
    return splits.map((s) => {
      const at = u.valToPos(s, 'x');
      if (at - last < 48) return null;
      last = at;
      return s;
    });
  };

  const drawAll = () => places.forEach(draw);
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  new ResizeObserver(() => {
    for (const place of places) place.plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(document.querySelector('main'));
})();
