// A small map without tiles: the place, its rivals by number, neighbours, the way of a trip.

const MAP = { width: 520, height: 340, pad: 34, leastM: 500 };

/** Width of a label in units of the map, by its letters. */
const labelWidth = (text) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) > 0x2e7f ? 11.5 : 6.3), 0);
const short = (name) => { const first = name.split(' / ')[0]; return [...first].length > 22 ? `${[...first].slice(0, 21).join('')}…` : first; };

/** Points of the unit square to points of the drawing, and metres to its units. */
function fitted(points, lat) {
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const metre = 1 / (METRES_AROUND * Math.cos((lat * Math.PI) / 180));
  const least = MAP.leastM * metre;
  const [w, h] = [Math.max(Math.max(...xs) - Math.min(...xs), least), Math.max(Math.max(...ys) - Math.min(...ys), least)];
  const scale = Math.min((MAP.width - 2 * MAP.pad) / w, (MAP.height - 2 * MAP.pad) / h);
  const [cx, cy] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
  return {
    at: ([x, y]) => [MAP.width / 2 + (x - cx) * scale, MAP.height / 2 + (y - cy) * scale],
    metres: 1 / (metre * scale),
  };
}

/** A label beside a point, where no other label stands; null where there is no room. */
function labelled(taken, [x, y], text, off, always) {
  const width = labelWidth(text);
  const boxes = [[x + off, y - 7], [x - off - width, y - 7], [x - width / 2, y - off - 14], [x - width / 2, y + off]];
  const free = (box) => box[0] >= 2 && box[0] + width <= MAP.width - 2 && box[1] >= 2 && box[1] + 14 <= MAP.height - 2
    && !taken.some((t) => box[0] < t[0] + t[2] && t[0] < box[0] + width && box[1] < t[1] + 14 && t[1] < box[1] + 14);
  const n = Math.max(boxes.findIndex(free), always ? 0 : -1);
  if (n < 0) return null;
  taken.push([...boxes[n], width]);
  // Widths are guesses: a label ends, or is centred, where its point is.
  const anchor = ['start', 'end', 'middle', 'middle'][n];
  return svg('text', { x: [x + off, x - off, x, x][n].toFixed(1), y: (boxes[n][1] + 11).toFixed(1), 'text-anchor': anchor }, text);
}

function scaleBar(metres) {
  const length = roundBelow(110 * metres);
  const width = length / metres;
  const [x, y] = [12, MAP.height - 12];
  return svg('g', { class: 'scale' },
    svg('path', { d: `M${x} ${y - 5}v5h${width.toFixed(1)}v-5` }),
    svg('text', { x: x + width + 6, y }, length >= 1000 ? `${length / 1000} km` : `${length} m`));
}

const numbered = (kind, [x, y], text, style) => svg('g', { class: kind, ...style },
  svg('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 9 }),
  svg('text', { x: x.toFixed(1), y: (y + 4).toFixed(1), class: 'number' }, text));

/** The map of a row; null where nothing of it has a point. */
function drawMap(row) {
  const place = row.place && row.place.at ? row.place : null;
  const rivals = row.rivals.map((rival, n) => ({ ...rival, number: n + 1 })).filter((rival) => rival.at);
  const stops = row.days.flatMap((day) => day);
  const main = [...(place ? [place] : []), ...rivals, ...stops];
  if (!main.length) return null;
  const framed = [...main, ...row.neighbours.slice(0, stops.length ? 0 : 6)].map((one) => project(one.at));
  const fit = fitted(framed, main[0].at[0]);
  const put = (one) => fit.at(project(one.at));
  const inside = ([x, y]) => x > 5 && y > 5 && x < MAP.width - 5 && y < MAP.height - 5;
  const near = stops.length ? [] : row.neighbours.filter((one) => inside(put(one)));
  // Nothing is written over the marks, nor over the scale in the corner.
  const taken = [...main.map(put).map(([x, y]) => [x - 9, y - 7, 18]), [8, MAP.height - 24, 160]];
  const label = (kind, one, off, always) => { const text = labelled(taken, put(one), short(one.name), off, always); return text && svg('g', { class: kind }, text); };
  const told = [place && place.name, rivals.length && `${rivals.length} rivals`, stops.length && `${stops.length} stops on ${row.days.length} days`].filter(Boolean).join(', ');
  return svg('svg', { viewBox: `0 0 ${MAP.width} ${MAP.height}`, class: 'map', role: 'img', 'aria-label': `Map: ${told}` },
    row.days.map((day, n) => svg('polyline', { class: 'way', '--day': `var(--day-${n % 7})`, points: day.map((stop) => put(stop).map((v) => v.toFixed(1)).join(',')).join(' ') })),
    near.map((one) => { const [x, y] = put(one); return svg('circle', { class: 'near', cx: x.toFixed(1), cy: y.toFixed(1), r: 3.5 }); }),
    place && label('main', place, 13, true),
    rivals.map((one) => label('rival', one, 12, true)),
    stops.map((one) => label('stop', one, 12, false)),
    near.map((one) => label('near', one, 7, false)),
    row.days.flatMap((day, n) => day.map((stop, at) => numbered('stop', put(stop), String(at + 1), { '--day': `var(--day-${n % 7})` }))),
    rivals.map((one) => numbered('rival', put(one), String(one.number), {})),
    place && (([x, y]) => svg('path', { class: 'pin', d: `M${x.toFixed(1)} ${y.toFixed(1)}l-7 -11a8.3 8.3 0 1 1 14 0z` }))(put(place)),
    scaleBar(fit.metres));
}
