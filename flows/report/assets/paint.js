// What the map draws, from the paper up to the names.

function paint(map) {
  const { pen, canvas, layers } = map;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width) return null;
  map.colours = map.colours || themeColours();
  const ratio = canvas.width / width;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.lineJoin = pen.lineCap = 'round';
  pen.fillStyle = map.colours.map;
  pen.fillRect(0, 0, width, height);
  paintGraticule(map, width, height);
  if (map.isFar()) {
    paintTowns(map);
    return paintScale(map, height);
  }
  if (layers.clusters) paintClusters(map);
  if (layers.metro) paintMetro(map);
  if (layers.trajectories) paintRoutes(map);
  for (const kind of ['restaurants', 'hotels']) if (layers[kind]) paintSpots(map, kind);
  if (layers.places) paintPlaces(map, width, height);
  if (map.route) paintRoute(map);
  if (map.chosen) paintRing(map);
  if (layers.labels && layers.places) paintLabels(map, width, height);
  return paintScale(map, height);
}

function paintGraticule(map, width, height) {
  const { pen, colours } = map;
  const [north, west] = unproject(map.world(0, 0));
  const [south, east] = unproject(map.world(width, height));
  const step = roundBelow(Math.max((east - west) / Math.max(width / 150, 2), 1e-4));
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  pen.strokeStyle = colours.grid;
  pen.fillStyle = colours.muted;
  pen.lineWidth = 1;
  pen.font = '10px system-ui, sans-serif';
  pen.beginPath();
  for (let at = Math.ceil(west / step); at * step < east; at += 1) {
    const x = map.screen(project([north, at * step]))[0];
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.fillText(`${(at * step).toFixed(digits)}°`, x + 3, height - 5);
  }
  for (let at = Math.ceil(south / step); at * step < north; at += 1) {
    const y = map.screen(project([at * step, west]))[1];
    pen.moveTo(0, y);
    pen.lineTo(width, y);
    if (y < height - 55) pen.fillText(`${(at * step).toFixed(digits)}°`, 4, y - 3);
  }
  pen.stroke();
}

const overlap = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

/** A name with a halo, so that it can be read over anything. */
function write({ pen, colours }, name, x, y) {
  pen.lineWidth = 3.5;
  pen.strokeStyle = colours.map;
  pen.strokeText(name, x, y);
  pen.fillStyle = colours.text;
  pen.fillText(name, x, y);
}

/** Cities as discs by their number of places, named. */
function paintTowns(map) {
  const { pen, colours } = map;
  pen.font = '600 13px system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
  pen.fillStyle = colours.accent;
  const discs = map.towns.map(({ city, xy, points }) => {
    const [x, y] = map.screen(xy);
    const size = 4 + Math.min(Math.sqrt(points.length) * 0.25, 8);
    pen.beginPath();
    pen.arc(x, y, size, 0, 7);
    pen.fill();
    return { x, y, size, name: cityName(city) };
  });
  const taken = discs.map(({ x, y, size }) => [x - size, y - size, x + size, y + size]);
  for (const { x, y, size, name } of discs) {
    const wide = pen.measureText(name).width;
    const lefts = [[x + size + 5, y], [x - size - 5 - wide, y], [x - wide / 2, y + size + 12], [x - wide / 2, y - size - 12]];
    const boxes = lefts.map(([left, middle]) => [left - 2, middle - 9, left + wide + 2, middle + 9]);
    const free = boxes.find((box) => !taken.some((other) => overlap(box, other))) || boxes[0];
    taken.push(free);
    write(map, name, free[0] + 2, free[1] + 14);
  }
}

function trace(map, points) {
  map.pen.beginPath();
  points.forEach((point, at) => map.pen[at ? 'lineTo' : 'moveTo'](...map.screen(point)));
}

function paintClusters(map) {
  const { pen, colours } = map;
  for (const { cluster, points } of map.hulls[map.days - 2]) {
    trace(map, points);
    pen.closePath();
    pen.fillStyle = pen.strokeStyle = colours[`area-${cluster % 7}`];
    pen.lineWidth = 20;
    pen.fill();
    pen.stroke();
  }
}

function paintMetro(map) {
  const { pen, colours } = map;
  pen.strokeStyle = colours.metro;
  pen.lineWidth = 1.6;
  for (const line of map.metro) {
    trace(map, line);
    pen.stroke();
  }
}

function paintRoutes(map) {
  const { pen, colours } = map;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.2;
  pen.globalAlpha = map.route ? 0.05 : 0.13;
  for (const { stops } of map.routes) {
    trace(map, stops.map((stop) => stop.place.xy));
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintSpots(map, kind) {
  const { pen, colours } = map;
  pen.fillStyle = colours[kind.slice(0, -1)];
  pen.globalAlpha = 0.75;
  for (const { xy } of map.spots[kind]) {
    const [x, y] = map.screen(xy);
    pen.fillRect(x - 2, y - 2, 4, 4);
  }
  pen.globalAlpha = 1;
}

const radius = (place) => 3.2 + Math.min(Math.sqrt(place.poi.n_documents) * 0.9, 5);

function paintPlaces(map, width, height) {
  const { pen, colours } = map;
  pen.strokeStyle = colours.map;
  pen.lineWidth = 1;
  pen.globalAlpha = map.route ? 0.35 : 0.92;
  for (const place of map.places) {
    if (map.hidden.has(place.category)) continue;
    const [x, y] = map.screen(place.xy);
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    pen.fillStyle = colours[`cat-${place.category}`];
    pen.beginPath();
    pen.arc(x, y, radius(place), 0, 7);
    pen.fill();
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** The chosen trajectory: a colour a day, stops numbered through. */
function paintRoute(map) {
  const { pen, colours } = map;
  const { stops } = map.route;
  const first = Math.min(...stops.map((stop) => stop.day));
  const colour = (stop) => colours[`day-${(stop.day - first) % 7}`];
  pen.lineWidth = 3;
  for (let at = 1; at < stops.length; at += 1) {
    const overnight = stops[at].day !== stops[at - 1].day;
    pen.setLineDash(overnight ? [2, 6] : []);
    pen.strokeStyle = colour(stops[at]);
    trace(map, [stops[at - 1].place.xy, stops[at].place.xy]);
    pen.stroke();
  }
  pen.setLineDash([]);
  stops.forEach((stop, at) => paintPin(map, stop.place.xy, at + 1, colour(stop)));
}

/** A disc with a number on a point. */
function paintPin(map, xy, number, colour) {
  const { pen, colours } = map;
  const [x, y] = map.screen(xy);
  pen.fillStyle = colour;
  pen.strokeStyle = colours.map;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, 10, 0, 7);
  pen.fill();
  pen.stroke();
  pen.fillStyle = colours.surface;
  pen.font = '600 11px system-ui, sans-serif';
  pen.textAlign = 'center';
  pen.fillText(String(number), x, y + 4);
  pen.textAlign = 'start';
}

function paintRing(map) {
  const { pen, colours } = map;
  const [x, y] = map.screen(map.chosen.xy);
  pen.strokeStyle = colours.text;
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(x, y, radius(map.chosen) + 5, 0, 7);
  pen.stroke();
}

/** Names of the places most written about, where there is room. */
function paintLabels(map, width, height) {
  const { pen } = map;
  const taken = [[width - 60, 0, width, 150], [0, height - 48, 130, height]]; // the buttons and the scale
  const stops = map.route ? new Set(map.route.stops.map((stop) => stop.place)) : null;
  const first = [map.chosen, ...(stops || [])].filter(Boolean);
  pen.font = '12px system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
  for (const place of [...first, ...(stops ? [] : [...map.places].reverse())]) {
    if (taken.length >= 80) break;
    if (map.hidden.has(place.category) && !first.includes(place)) continue;
    const [x, y] = map.screen(place.xy);
    if (x < 0 || y < 12 || x > width || y > height - 24) continue;
    const name = pick(place.poi.name_zh, place.poi.name_en) || '';
    const gap = (stops ? 13 : radius(place) + 4);
    const wide = pen.measureText(name).width;
    const left = x + gap + wide > width ? x - gap - wide : x + gap;
    const box = [left - 3, y - 9, left + wide + 3, y + 8];
    if (taken.some((other) => overlap(box, other))) continue;
    taken.push(box, [x - 7, y - 7, x + 7, y + 7]);
    write(map, name, left, y + 4);
  }
}

function paintScale(map, height) {
  const { pen, colours } = map;
  const [lat] = unproject([map.view.x, map.view.y]);
  const metres = (METRES_AROUND * Math.cos((lat * Math.PI) / 180)) / map.view.scale;
  const length = roundBelow(metres * 110);
  const wide = length / metres;
  pen.strokeStyle = pen.fillStyle = colours.text;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(14, height - 30);
  pen.lineTo(14, height - 24);
  pen.lineTo(14 + wide, height - 24);
  pen.lineTo(14 + wide, height - 30);
  pen.stroke();
  pen.font = '11px system-ui, sans-serif';
  pen.fillText(length >= 1000 ? `${length / 1000} km` : `${length} m`, 18, height - 30);
}
