// Where each packet stands on the ladder, from top to bottom: a row for each, in the order of time, and room where nothing
// happened for long. Arrivals that a second capture tells take room of their own, so that arrows slope.

function layoutRows(shown, events = []) {
  const n = shown.length;
  const sentAt = new Float64Array(n);
  const arrivedAt = new Float64Array(n);
  const pauses = [];
  const threshold = pauseThreshold(shown);
  let y = 1;
  let last = n ? times[shown[0]] : 0;
  const step = (time, height) => {
    if (time - last > threshold) {
      pauses.push({ y: y + 0.1, ns: time - last });
      y += 1.4;
    }
    last = Math.max(last, time);
    y += height;
  };
  const arrivals = [];
  for (let k = 0; k < n; k++) {
    if (data.flight[shown[k]] !== undefined) arrivals.push([times[shown[k]] + data.flight[shown[k]], k]);
  }
  arrivals.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let next = 0;
  // An arrival at the moment at which something is sent stands above it: in virtual time an answer takes none.
  const arrive = (until, sent = n) => {
    while (next < arrivals.length && arrivals[next][0] <= until && arrivals[next][1] < sent) {
      const [time, k] = arrivals[next++];
      step(time, 0.5);
      arrivedAt[k] = y - 0.5;
    }
  };
  const eventAt = new Float64Array(events.length);
  let told = 0;
  const tell = (before) => {
    while (told < events.length && events[told].before <= before) {
      arrive(events[told].time);
      step(events[told].time, 0.66);
      eventAt[told++] = y - 0.33;
    }
  };
  for (let k = 0; k < n; k++) {
    tell(shown[k]);
    arrive(times[shown[k]], k);
    step(times[shown[k]], 1);
    sentAt[k] = arrivedAt[k] = y - 0.5;
  }
  tell(Infinity);
  arrive(Infinity);
  // A lost packet leans as the one before it did, or its text would stand across that one's.
  const lastOf = new Map();
  for (let k = 0; k < n; k++) {
    const way = 2 * data.connection[shown[k]] + sides[shown[k]];
    if (fates[shown[k]] === FATE.lost) arrivedAt[k] = Math.max(sentAt[k], (lastOf.get(way) ?? 0) + 0.25);
    else lastOf.set(way, arrivedAt[k]);
  }
  // The lowest arrival so far: what is in view is found by halving.
  const reach = new Float64Array(n);
  for (let k = 0, lowest = 0; k < n; k++) reach[k] = lowest = Math.max(lowest, arrivedAt[k]);
  return { shown, sentAt, arrivedAt, reach, eventAt, pauses, height: y + 1 };
}

/** A pause is worth room when it is far longer than what usually lies between two packets. */
function pauseThreshold(shown) {
  const steps = [];
  for (let k = 1; k < shown.length; k++) {
    const step = times[shown[k]] - times[shown[k - 1]];
    if (step > 0) steps.push(step);
  }
  if (steps.length < 3) return Infinity;
  steps.sort((a, b) => a - b);
  const total = times[shown[shown.length - 1]] - times[shown[0]];
  return Math.max(20 * steps[steps.length >> 1], total / 500);
}

/** The first k for which a sorted column reaches a value. */
function firstAtLeast(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
