// Where each packet stands on the ladder, from top to bottom: a row for each, in the order of time, and room where nothing
// happened for long. Arrivals that a second capture tells take room of their own, so that arrows slope.

function layoutRows(shown, events = [], arrival = 0.5) {
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
  const arrivals = arrivalsOf(shown);
  let next = 0;
  // An arrival at the moment at which something is sent stands above it: in virtual time an answer takes none.
  const arrive = (until, sent = n) => {
    while (next < arrivals.length && arrivals[next][0] <= until && arrivals[next][1] < sent) {
      const [time, k] = arrivals[next++];
      if (fates[shown[k]] === FATE.lost) y += arrival;
      else step(time, arrival);
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
  // The lowest arrival so far: what is in view is found by halving.
  const reach = new Float64Array(n);
  for (let k = 0, lowest = 0; k < n; k++) reach[k] = lowest = Math.max(lowest, arrivedAt[k]);
  return { shown, sentAt, arrivedAt, reach, eventAt, pauses, height: y + 1 };
}

/**
 * When packets arrive, with their places among those shown. A lost packet has room where it would have arrived, as the one
 * before it did: its arrow and text stand across no other's.
 */
function arrivalsOf(shown) {
  const arrivals = [];
  const flights = new Map();
  for (let k = 0; k < shown.length; k++) {
    const i = shown[k];
    const way = 2 * data.connection[i] + sides[i];
    if (data.flight[i] !== undefined) flights.set(way, data.flight[i]);
    const flight = fates[i] === FATE.lost ? flights.get(way) : data.flight[i];
    if (flight !== undefined) arrivals.push([times[i] + flight, k]);
  }
  return arrivals.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
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
