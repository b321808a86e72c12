// Small charts: bars and histograms as inline SVG, grids as HTML.

/** A bar of parts [class, amount] over a whole; `mark` draws a tick at a share. */
function bar(parts, whole, name, mark = null) {
  let x = 0;
  const rects = parts.map(([kind, amount]) => {
    const width = whole ? (100 * amount) / whole : 0;
    const rect = svg('rect', { x, y: 0, width, height: 10, class: `fill-${kind}` });
    x += width;
    return rect;
  });
  return svg('svg', {
    class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': name,
  }, svg('rect', { x: 0, y: 0, width: 100, height: 10, class: 'fill-track' }), rects,
  mark === null ? null : svg('rect', { x: Math.min(100 * mark, 99.2), y: 0, width: 0.8, height: 10, class: 'fill-mark' }));
}

/** Labels of the bars of a histogram from its edges. */
function edgeLabels(edges, show, freeLabel) {
  const text = (value) => show(value, edges[edges.length - 1]);
  return edges.map((edge, at) => {
    const next = edges[at + 1];
    if (freeLabel && at === 0) return freeLabel;
    if (next === undefined) return `≥ ${text(edge)}`;
    if (edge <= 1) return `< ${text(next)}`; // the first bar, or the one after what is free
    return `${text(edge)}–${text(next)}`;
  });
}

/** A histogram with its figures as a table for those who prefer or need it. */
function histogram(title, labels, counts, known, note) {
  const highest = Math.max(...counts, 1);
  const [width, height, base] = [340, 190, 158];
  const step = width / counts.length;
  const bars = counts.map((value, at) => {
    const tall = (value / highest) * (base - 22);
    const x = at * step + step / 2;
    return [
      svg('rect', { x: at * step + 3, y: base - tall, width: step - 6, height: tall, rx: 2, class: 'fill-accent' }),
      value ? svg('text', { x, y: base - tall - 5, class: 'value' }, number(value)) : null,
      svg('text', { x, y: base + 16, class: 'tick' }, labels[at]),
    ];
  });
  const summary = labels.map((name, at) => `${name}: ${number(counts[at])}`).join('; ');
  return card(title,
    el('p', { class: 'note' }, note),
    known
      ? svg('svg', { class: 'histogram', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}. ${summary}` },
        svg('line', { x1: 0, x2: width, y1: base, y2: base, class: 'axis' }), bars)
      : nothing('nothing.known'));
}

/** The week as a grid of hours, darker where more places are open. */
function weekGrid(open, known) {
  const days = t('weekdays').split(' ');
  const head = [el('span', {})];
  for (let hour = 0; hour < 24; hour += 3) head.push(el('span', { class: 'hour' }, `${hour}`));
  const cells = days.map((day, at) => [
    el('span', { class: 'day' }, day),
    Array.from({ length: 24 }, (_, hour) => {
      const share = known ? open[at * 24 + hour] / known : 0;
      return el('span', {
        class: 'cell', '--v': `${Math.round(share * 100)}%`,
        title: `${day} ${hour}:00: ${number(open[at * 24 + hour])} (${percent(open[at * 24 + hour], known)})`,
      });
    }),
  ]);
  const busiest = open.indexOf(Math.max(...open));
  const name = t('hours.label', {
    day: days[Math.floor(busiest / 24)], hour: busiest % 24, share: percent(open[busiest], known),
  });
  return el('figure', {},
    el('div', { class: 'week', role: 'img', 'aria-label': name }, head, cells),
    el('figcaption', { class: 'note' }, name));
}

/** Names with bars, as a list; an entry is {name, parts, whole, value, mark}. */
function barList(entries) {
  return el('ul', { class: 'bars' }, entries.map((entry) => el('li', {},
    el('span', { class: 'bar-name' }, entry.name),
    bar(entry.parts, entry.whole, entry.value, entry.mark ?? null),
    el('span', { class: 'bar-value' }, entry.value))));
}

const legend = (entries) => el('ul', { class: 'legend' },
  entries.map(([kind, name]) => el('li', {}, el('span', { class: `swatch bg-${kind}` }), name)));
