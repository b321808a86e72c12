// The map's section: layers, legend, search with a list, and what is known of one place.

/** Everything around the canvas. Gives the section; the map is drawn when it gets a size. */
function mapSection() {
  const shown = cities();
  const canvas = el('canvas', {
    tabindex: '0', role: 'application', 'aria-label': t('map.label', { cities: shown.map(cityName).join(', ') }),
    'aria-describedby': 'map-keys',
  });
  const tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
  const map = new CityMap(canvas, {
    click: (found) => {
      if (found && found.place) panel.showPlace(found.place.poi, found.place.city, false);
      if (found && found.town) map.fit(found.town.points, 0.08);
    },
    hover: (found, x, y) => hoverTip(tip, found, x, y),
  });
  const panel = placePanel(shown, map);
  map.load(shown);
  live.map = map;
  const button = (name, sign, act) =>
    el('button', { type: 'button', title: t(name), 'aria-label': t(name), onclick: act }, sign);
  return section('map',
    layerChips(map),
    el('div', { class: 'map-grid' },
      el('div', { class: 'map-box' }, canvas, tip,
        el('div', { class: 'zoom' },
          button('map.in', '+', () => map.zoom(1.6, undefined, undefined, true)),
          button('map.out', '−', () => map.zoom(1 / 1.6, undefined, undefined, true)),
          button('map.fit', '⤢', () => { map.route = null; map.fit(); }))),
      panel.node),
    categoryChips(map, shown),
    el('p', { class: 'note', id: 'map-keys' }, t('map.keys')));
}

function hoverTip(tip, found, x, y) {
  tip.hidden = !found;
  if (!found) return;
  tip.textContent = found.town ? `${cityName(found.town.city)} · ${number(found.town.points.length)}`
    : found.place ? pick(found.place.poi.name_zh, found.place.poi.name_en)
      : spotText(found.spot.row, found.kind === 'hotels' ? 'feature' : 'cuisine');
  tip.style.left = `${x}px`;
  tip.style.top = `${y}px`;
}

/** A hotel or restaurant in a line: name, what it is known for, price. */
function spotText([, , zh, en, known, price, currency], kind) {
  return [pick(zh, en), known && term(kind, known), price === null ? '' : money(price, currency)].filter(Boolean).join(' · ');
}

const chip = (props, ...children) => el('button', { type: 'button', class: 'chip', ...props }, ...children);

function layerChips(map) {
  const toggle = (name) => chip({
    'aria-pressed': String(map.layers[name]),
    onclick: (event) => {
      map.layers[name] = !map.layers[name];
      event.currentTarget.setAttribute('aria-pressed', String(map.layers[name]));
      map.draw();
    },
  }, t(`layer.${name}`));
  const days = el('select', {
    'aria-label': t('layer.days'),
    onchange: (event) => { map.days = Number(event.target.value); map.draw(); },
  }, [2, 3, 4, 5, 6, 7].map((n) => el('option', { value: n, selected: n === map.days }, t('layer.for', { n }))));
  const used = { hotels: map.spots.hotels.length, restaurants: map.spots.restaurants.length, metro: map.metro.length };
  const names = Object.keys(map.layers).filter((name) => used[name] !== 0);
  return el('div', { class: 'chips', role: 'group', 'aria-label': t('layers') },
    names.map((name) => (name === 'clusters' ? el('span', { class: 'pair' }, toggle(name), days) : toggle(name))));
}

function categoryChips(map, shown) {
  const counts = CATEGORIES.map((category) =>
    sum(shown.map((city) => city.pois.filter((poi) => (poi.category || 'unknown') === category).length)));
  return el('div', { class: 'chips', role: 'group', 'aria-label': t('categories') },
    CATEGORIES.map((category, at) => (counts[at] ? chip({
      'aria-pressed': 'true',
      onclick: (event) => {
        const hide = !map.hidden.has(at);
        map.hidden[hide ? 'add' : 'delete'](at);
        event.currentTarget.setAttribute('aria-pressed', String(!hide));
        map.draw();
      },
    }, el('span', { class: `swatch bg-cat-${at}` }),
    category === 'unknown' ? t('unknown') : term('category', category), ` ${number(counts[at])}`) : null)));
}

/** Search, list and details beside the map. */
function placePanel(shown, map) {
  const places = shown.flatMap((city) => city.pois.map((poi) => ({ poi, city, text: searchText(poi) })))
    .sort((a, b) => b.poi.n_documents - a.poi.n_documents || b.poi.n_mentions - a.poi.n_mentions
      || (a.poi.poi_id < b.poi.poi_id ? -1 : 1));
  const routes = shown.flatMap((city) => city.trajectories.map((route) => ({ route, city, text: route.title.toLowerCase() })))
    .sort((a, b) => b.route.queries - a.route.queries || (a.route.id < b.route.id ? -1 : 1));
  let [tab, options, active] = ['places', [], -1];
  const list = el('ul', { id: 'found', role: 'listbox', 'aria-label': t('search.results') });
  const more = el('p', { class: 'note', role: 'status' });
  const box = el('input', {
    id: 'search', type: 'search', role: 'combobox', autocomplete: 'off', placeholder: t('search.hint'),
    'aria-label': t('search'), 'aria-controls': 'found', 'aria-expanded': 'true', 'aria-autocomplete': 'list',
    oninput: () => refresh(), onkeydown: (event) => onKey(event),
  });
  const tabs = ['places', 'trajectories'].map((name) => chip({
    'aria-pressed': String(name === tab), onclick: () => setTab(name),
  }, `${t(`layer.${name}`)} ${number((name === 'places' ? places : routes).length)}`));
  const details = el('div', { class: 'details', hidden: true, onkeydown: (event) => event.key === 'Escape' && close() });
  const finder = el('div', { class: 'finder' }, box, el('div', { class: 'chips' }, tabs), list, more);

  function setTab(name) {
    tab = name;
    tabs.forEach((button, at) => button.setAttribute('aria-pressed', String((at === 0) === (name === 'places'))));
    refresh();
  }

  function refresh() {
    const words = box.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const all = (tab === 'places' ? places : routes).filter((item) => words.every((word) => item.text.includes(word)));
    active = -1;
    box.removeAttribute('aria-activedescendant');
    options = all.slice(0, 80).map((item, at) => ({ item, node: optionNode(item, at) }));
    list.replaceChildren(...options.map((option) => option.node));
    more.textContent = all.length > 80 ? t('search.more', { n: number(all.length), shown: 80 }) : all.length ? '' : t('search.none');
  }

  function optionNode(item, at) {
    const open = () => (item.poi ? showPlace(item.poi, item.city) : showRoute(item.route, item.city));
    const props = { id: `option-${at}`, role: 'option', 'aria-selected': 'false', onclick: open };
    if (item.route) {
      return el('li', props, el('strong', {}, item.route.title), el('small', {},
        t('route.summary', { days: item.route.days, stops: item.route.stops.length })));
    }
    const { poi } = item;
    const name = pick(poi.name_zh, poi.name_en);
    const other = [poi.name_zh, poi.name_en].find((one) => one && one !== name);
    return el('li', props,
      el('span', { class: `swatch bg-cat-${CATEGORIES.indexOf(poi.category || 'unknown')}` }),
      el('strong', {}, name),
      el('small', {}, [other, shown.length > 1 ? cityName(item.city) : '', poi.at ? '' : t('no.coordinates')]
        .filter(Boolean).join(' · ')));
  }

  function onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) {
      event.preventDefault();
      if (active >= 0) options[active].node.setAttribute('aria-selected', 'false');
      active = (active + step + options.length) % options.length;
      options[active].node.setAttribute('aria-selected', 'true');
      options[active].node.scrollIntoView({ block: 'nearest' });
      box.setAttribute('aria-activedescendant', options[active].node.id);
    } else if (event.key === 'Enter' && options.length) {
      event.preventDefault();
      options[Math.max(active, 0)].node.click();
    }
  }

  function open(node) {
    details.replaceChildren(el('button', { type: 'button', class: 'back', onclick: close }, `← ${t('back')}`), node);
    details.hidden = false;
    finder.hidden = true;
    details.scrollTop = 0;
  }

  function close() {
    details.hidden = true;
    finder.hidden = false;
    map.chosen = map.route = null;
    map.draw();
    box.focus();
  }

  function showPlace(poi, city, focus = true) {
    map.route = null;
    map.choose(poi);
    open(placeDetails(poi, city, showPlace, showRoute));
    if (focus) details.querySelector('h3').focus();
  }

  function showRoute(route, city) {
    map.chosen = null;
    map.follow(route);
    open(routeDetails(route, city, showPlace));
    details.querySelector('h3').focus();
  }

  refresh();
  return { node: el('div', { class: 'panel' }, finder, details), showPlace, showRoute };
}

const searchText = (poi) =>
  [poi.name_zh, poi.name_en, ...(poi.aliases || []), poi.poi_id].filter(Boolean).join('\n').toLowerCase();

const heading = (name) => el('h3', { tabindex: '-1' }, name);

function facts(pairs) {
  return el('dl', {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

const linkButton = (name, act) => el('button', { type: 'button', class: 'link', onclick: act }, name);

function placeDetails(poi, city, showPlace, showRoute) {
  const at = city.pois.indexOf(poi);
  const link = (index) => linkButton(pick(city.pois[index].name_zh, city.pois[index].name_en),
    () => showPlace(city.pois[index], city));
  const children = city.pois.map((_, index) => index).filter((index) => (city.pois[index].parents || []).includes(at));
  const routes = city.trajectories.filter((route) => route.stops.some((stop) => stop[1] === at));
  const named = (name, origin) => (name ? [name, ' ', badge('quiet', t(`origin.${origin}`))] : t('unknown'));
  return el('article', {}, heading(pick(poi.name_zh, poi.name_en)),
    facts([
      [t('name.zh'), named(poi.name_zh, poi.name_zh_origin)],
      [t('name.en'), named(poi.name_en, poi.name_en_origin)],
      [t('aliases'), (poi.aliases || []).join(' · ')],
      [t('category'), poi.category ? term('category', poi.category) : t('unknown')],
      [t('types'), [poi.base_type && term('base_type', poi.base_type),
        ...(poi.trend_types || []).map((type) => term('trend_type', type))].filter(Boolean).join(' · ')],
      [t('rating'), poi.rating ? number(poi.rating, 1) : ''],
      [t('coordinates'), poi.at
        ? `${poi.at[0]}, ${poi.at[1]}${poi.coordinate_provider ? ` · ${poi.coordinate_provider} (${poi.datum_original || '?'})` : ''}`
        : t('no.coordinates')],
      [t('part.of'), poi.parents ? poi.parents.map(link) : ''],
      [t('contains'), children.length ? children.slice(0, 20).map(link) : ''],
      [t('superseded'), poi.superseded_by === undefined ? '' : link(poi.superseded_by)],
      [t('evidence'), t('evidence.counts', { documents: number(poi.n_documents), mentions: number(poi.n_mentions) })],
      [t('known.from'), poi.origin ? code(poi.origin) : ''],
    ]),
    poi.facts ? factTable(poi.facts) : null,
    poi.tags ? [el('h4', {}, t('tags')), el('p', {}, poi.tags.map(([context, n]) =>
      [badge('quiet', `${term('constraint', context.split(':')[1])} × ${n}`), ' ']))] : null,
    routes.length ? [el('h4', {}, t('layer.trajectories')), el('ul', { class: 'plain' }, routes.slice(0, 12)
      .map((route) => el('li', {}, linkButton(route.title, () => showRoute(route, city)))))] : null,
    el('p', { class: 'note' }, code(poi.poi_id)));
}

function factTable(rows) {
  return [el('h4', {}, t('facts')), el('table', { class: 'small' }, el('thead', {}, el('tr', {},
    ['fact', 'value', 'when', 'sources'].map((name) => el('th', { scope: 'col' }, t(`fact.${name}`))))),
  el('tbody', {}, rows.map(([field, when, value, n, date]) => el('tr', {},
    el('td', {}, label('field', field)), el('td', {}, value), el('td', {}, when === 'always' ? t('always') : when),
    el('td', { title: date }, number(n))))))];
}

function routeDetails(route, city, showPlace) {
  const days = [...new Set(route.stops.map((stop) => stop[0]))];
  let place = 0;
  return el('article', {}, heading(route.title),
    facts([
      [t('document'), code(route.path)],
      [t('edits'), t('edits.counts', { replaced: route.edits[0], removed: route.edits[1] })],
      [t('queries.used'), route.queries ? t('queries.best', { n: number(route.queries), best: number(route.best) }) : number(0)],
      [t('route.way'), route.way[0] === null ? '' : t('route.way.shortest', {
        km: number(route.way[0] / 1000, 1), least: number(route.way[1] / 1000, 1),
      })],
    ]),
    days.map((day, at) => [el('h4', {}, el('span', { class: `swatch bg-day-${(day - days[0]) % 7}` }), t('day', { n: at + 1 })),
      el('ol', { start: place + 1 }, route.stops.filter((stop) => stop[0] === day).map((stop) => {
        place += 1;
        const poi = city.pois[stop[1]];
        return el('li', {}, linkButton(pick(poi.name_zh, poi.name_en), () => showPlace(poi, city)));
      }))]));
}
