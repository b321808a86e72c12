// Geometry of the map: Web Mercator, hulls, and round figures for the graticule and the scale.

/** Degrees to the unit square of Web Mercator. */
function project([lat, lon]) {
  const rad = (Math.max(Math.min(lat, 85), -85) * Math.PI) / 180;
  return [lon / 360 + 0.5, 0.5 - Math.log(Math.tan(Math.PI / 4 + rad / 2)) / (2 * Math.PI)];
}

/** The unit square back to degrees. */
function unproject([x, y]) {
  return [(360 / Math.PI) * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - 90, (x - 0.5) * 360];
}

/** Convex hull of points, anticlockwise (Andrew's monotone chain). */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const chain = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** Box around points that leaves out a share of them at each side: strays would shrink the rest. */
function bounds(points, share) {
  const cut = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const off = Math.floor(sorted.length * share);
    return [sorted[off], sorted[sorted.length - 1 - off]];
  };
  return [cut(points.map((point) => point[0])), cut(points.map((point) => point[1]))];
}

/** Largest of 1, 2, 5 times a power of ten not above a value. */
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((factor) => factor * power).find((rounded) => rounded <= value);
}

const METRES_AROUND = 40075016.7;
