// The map: a canvas with pan and zoom by pointer, touch, wheel and keys. No tiles: offline.

const CATEGORIES = ['natural_landscape', 'historical_cultural', 'leisure_recreation',
  'art_technology', 'city_sightseeing', 'religious_spiritual', 'unknown'];
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Colours of the theme as the canvas needs them. */
function themeColours() {
  const probe = document.body.appendChild(el('span', { hidden: true }));
  const names = ['map', 'grid', 'text', 'muted', 'surface', 'accent', 'metro', 'hotel', 'restaurant',
    ...CATEGORIES.map((_, at) => `cat-${at}`), ...['day', 'area'].flatMap((kind) => Array.from({ length: 7 }, (_, at) => `${kind}-${at}`))];
  const found = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return found;
}

class CityMap {
  constructor(canvas, hooks) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
    this.hooks = hooks;
    this.layers = { places: true, labels: true, clusters: false, trajectories: true, metro: true, hotels: false, restaurants: false };
    this.hidden = new Set();
    this.days = 3;
    this.view = { x: 0.5, y: 0.5, scale: 1000 };
    this.pointers = new Map();
    this.chosen = this.route = null;
    this.load([]);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  /** Take over cities; everything with coordinates is projected once. */
  load(shown) {
    this.places = shown.flatMap((city) => city.pois.filter((poi) => poi.at).map((poi) => ({
      poi, city, xy: project(poi.at), weight: poi.n_documents * 1000 + poi.n_mentions,
      category: CATEGORIES.indexOf(poi.category || 'unknown'),
    }))).sort((a, b) => a.weight - b.weight);
    const at = new Map(this.places.map((place) => [place.poi, place]));
    this.routes = shown.flatMap((city) => city.trajectories.map((route) => ({
      route, stops: route.stops.map(([day, poi]) => ({ day, place: at.get(city.pois[poi]) })).filter((stop) => stop.place),
    })));
    this.points = (name) => shown.flatMap((city) => city[name].map((row) => ({ row, xy: project(row) })));
    this.spots = { hotels: this.points('hotels'), restaurants: this.points('restaurants') };
    this.metro = shown.flatMap((city) => city.metro.map(([, stops]) => stops.map(project)));
    this.hulls = [2, 3, 4, 5, 6, 7].map((_, days) => shown.flatMap((city) => this.clustersOf(city, days)));
    this.towns = shown.map((city) => ({ city, xy: project(city.at), points: this.places.filter((place) => place.city === city).map((place) => place.xy) }));
    this.chosen = this.route = null;
    this.fitted = false;
    this.fitCore();
  }

  /** The view to begin with: where most places are. */
  fitCore() {
    this.fit(undefined, this.towns.length > 1 ? 0 : 0.08);
  }

  clustersOf(city, days) {
    const groups = new Map();
    for (const place of this.places) {
      const cluster = place.city === city && place.poi.clusters ? place.poi.clusters[days] : -1;
      if (cluster < 0) continue;
      if (!groups.has(cluster)) groups.set(cluster, []);
      groups.get(cluster).push(place.xy);
    }
    return [...groups].map(([cluster, points]) => ({ cluster, points: hull(points) }));
  }

  fit(points = this.places.map((place) => place.xy), share = 0) {
    if (!points.length || !this.canvas.clientWidth) return;
    const [[left, right], [low, high]] = bounds(points, share);
    const room = [this.canvas.clientWidth * 0.84, this.canvas.clientHeight * 0.8];
    const scale = Math.min(room[0] / Math.max(right - left, 2e-5), room[1] / Math.max(high - low, 2e-5));
    this.fitted = true;
    this.go({ x: (left + right) / 2, y: (low + high) / 2, scale });
  }

  /** Move the view, gliding unless motion is unwelcome. */
  go(target, glide = false) {
    cancelAnimationFrame(this.gliding);
    target.scale = Math.min(Math.max(target.scale, 300), 4e8);
    if (!glide || still.matches) {
      this.view = target;
      return this.draw();
    }
    const from = { ...this.view };
    const began = performance.now();
    const step = (now) => {
      const done = Math.min((now - began) / 280, 1);
      const ease = 1 - (1 - done) ** 3;
      this.view = {
        x: from.x + (target.x - from.x) * ease, y: from.y + (target.y - from.y) * ease,
        scale: from.scale * (target.scale / from.scale) ** ease,
      };
      this.draw();
      if (done < 1) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }

  choose(poi, glide = true) {
    this.chosen = this.places.find((place) => place.poi === poi) || null;
    if (!this.chosen) return this.draw();
    const [x, y] = this.chosen.xy;
    this.go({ x, y, scale: Math.max(this.view.scale, 1.6e6) }, glide);
  }

  follow(route) {
    this.route = this.routes.find((known) => known.route === route) || null;
    if (this.route && this.route.stops.length) this.fit(this.route.stops.map((stop) => stop.place.xy));
    else this.draw();
  }

  /** Whether so much is in view that only cities can be told apart. */
  isFar() {
    return this.towns.length > 1 && this.view.scale < 45000;
  }

  screen([x, y]) {
    return [(x - this.view.x) * this.view.scale + this.canvas.clientWidth / 2,
      (y - this.view.y) * this.view.scale + this.canvas.clientHeight / 2];
  }

  world(px, py) {
    return [(px - this.canvas.clientWidth / 2) / this.view.scale + this.view.x,
      (py - this.canvas.clientHeight / 2) / this.view.scale + this.view.y];
  }

  zoom(factor, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2, glide = false) {
    const scale = Math.min(Math.max(this.view.scale * factor, 300), 4e8);
    const [x, y] = this.world(px, py);
    const kept = this.view.scale / scale;
    this.go({ x: x + (this.view.x - x) * kept, y: y + (this.view.y - y) * kept, scale }, glide);
  }

  pan(dx, dy) {
    this.go({ ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale });
  }

  /** What lies under a point: the heaviest place within reach, else a hotel or restaurant. */
  under(px, py) {
    const near = (xy) => Math.hypot(this.screen(xy)[0] - px, this.screen(xy)[1] - py);
    const closest = (list, reach) => {
      let best = null;
      for (const item of list) {
        const gap = near(item.xy);
        if (gap < reach) [best, reach] = [item, gap];
      }
      return best;
    };
    if (this.isFar()) {
      const town = closest(this.towns, 24);
      return town && { town };
    }
    const place = this.layers.places && closest(this.places.filter((item) => !this.hidden.has(item.category)), 14);
    if (place) return { place };
    for (const kind of ['hotels', 'restaurants']) {
      const spot = this.layers[kind] && closest(this.spots[kind], 8);
      if (spot) return { spot, kind };
    }
    return null;
  }

  listen() {
    const { canvas, pointers } = this;
    const spot = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, spot(event));
      this.moved = 0;
    });
    canvas.addEventListener('pointermove', (event) => this.onMove(event, spot(event)));
    const release = (event) => {
      const click = pointers.delete(event.pointerId) && !pointers.size && this.moved < 5;
      if (click && event.type === 'pointerup') this.hooks.click(this.under(...spot(event)));
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => this.hooks.hover(null));
    canvas.addEventListener('wheel', (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(2 ** (-event.deltaY / 240), ...spot(event));
    }, { passive: false });
    canvas.addEventListener('dblclick', (event) => this.zoom(2, ...spot(event), true));
    canvas.addEventListener('keydown', (event) => this.onKey(event));
  }

  onMove(event, [px, py]) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const found = this.under(px, py);
      this.canvas.classList.toggle('pointing', !!found);
      return this.hooks.hover(found, px, py);
    }
    this.moved += Math.hypot(px - before[0], py - before[1]);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId);
    if (other) {
      const [ox, oy] = other[1];
      const stretch = Math.hypot(px - ox, py - oy) / Math.max(Math.hypot(before[0] - ox, before[1] - oy), 1);
      this.zoom(stretch, (px + ox) / 2, (py + oy) / 2);
      this.pan((px - before[0]) / 2, (py - before[1]) / 2);
    } else {
      this.pan(px - before[0], py - before[1]);
    }
    return this.pointers.set(event.pointerId, [px, py]);
  }

  onKey(event) {
    const step = 60;
    const act = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      '+': () => this.zoom(1.5), '=': () => this.zoom(1.5), '-': () => this.zoom(1 / 1.5), 0: () => this.fit(),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    if (this.fitted) this.draw();
    else this.fitCore();
  }

  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => paint(this));
  }

  recolour() {
    this.colours = themeColours();
    this.draw();
  }
}
