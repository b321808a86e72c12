// The report's sections besides the map. Each adds up the cities shown.

const total = (key) => sum(cities().map((city) => city.rows[key] || 0));
const STATUSES = ['kept', 'pending_documents', 'infeasible', 'ungrounded'];

/** Rows of all cities shown, each with its city. */
const gather = (key) => cities().flatMap((city) => city[key].map((row) => ({ city, row })));

function overview() {
  const shown = cities();
  const failed = DATA.gates.filter((gate) => !gate.passed);
  const errors = failed.filter((gate) => gate.severity === 'error').length;
  const verdict = !DATA.gates.length ? 'none' : errors ? 'bad' : failed.length ? 'warn' : 'good';
  const pois = shown.flatMap((city) => city.pois);
  const queries = shown.flatMap((city) => city.queries);
  const kept = queries.filter((query) => query.status === 'kept').length;
  const figure = (key, value, note) => el('div', { class: 'figure' },
    el('dt', {}, t(`figure.${key}`)), el('dd', {}, el('strong', {}, value), note ? el('small', {}, note) : null));
  const names = shown.map(cityName);
  return el('section', { id: 'overview', class: 'hero', 'aria-labelledby': 'overview-title' },
    el('p', { class: 'eyebrow' }, t('snapshot', {
      name: DATA.name, version: DATA.schema_version, profile: [...new Set(shown.map((city) => city.profile || '–'))].join(t('comma')),
    })),
    el('h1', { id: 'overview-title' }, names.length > 3 ? t('cities.count', { n: names.length }) : names.join(t('comma'))),
    names.length > 3 ? el('p', { class: 'lead' }, names.join(t('comma'))) : null,
    el('p', { class: `verdict ${verdict}` }, el('span', { 'aria-hidden': 'true' }, { good: '✓', warn: '!', bad: '✗', none: '?' }[verdict]),
      el('strong', {}, t(`verdict.${verdict}`)),
      el('a', { href: '#gates' }, t('verdict.gates', { n: DATA.gates.length, errors, warnings: failed.length - errors }))),
    el('dl', { class: 'figures' },
      figure('pois', number(pois.length), t('figure.pois.note', { n: number(pois.filter((poi) => poi.n_documents).length) })),
      figure('queries', number(kept), t('figure.queries.note', { n: number(planned()) })),
      figure('trajectories', number(total('trajectories')), t('figure.trajectories.note', { n: number(total('query_trajectories')) })),
      figure('documents', number(total('documents')), t('figure.documents.note', { n: number(total('poi_mentions')) })),
      figure('facts', number(total('poi_facts')), t('figure.facts.note', { n: number(total('poi_tags')) })),
      figure('stays', number(total('hotels')), t('figure.stays.note', { n: number(total('restaurants')) })),
      figure('transport', number(total('trains')), t('figure.transport.note', { n: number(total('flights')) })),
      figure('quarantine', number(total('quarantine')), t('figure.quarantine.note', { n: number(sum(gather('stage_counts').map(({ row }) => row[4]))) }))),
    shown.length > 1 ? cityTable(shown) : null);
}

/** One row a city; its name shows it alone. */
function cityTable(shown) {
  const of = (key) => ({ title: label('table', key), value: (city) => city.rows[key], show: (n) => number(n), numeric: true });
  const keptOf = (city) => city.queries.filter((query) => query.status === 'kept').length;
  return table(t('cities.all'), [
    { title: t('city'), value: cityName, show: (name, city) => linkButton(name, () => { change('city', city.slug); scrollTo(0, 0); }) },
    of('pois'), of('documents'), of('trajectories'),
    { title: t('figure.queries'), value: keptOf, show: (n, city) => t('kept.of', { kept: number(n), all: number(city.queries.length) }), numeric: true },
    of('hotels'), of('restaurants'), of('quarantine'),
  ], shown);
}

/** Queries that the plan asks for: what came into the stage that writes them. */
function planned() {
  const written = gather('stage_counts').filter(({ row }) => row[0] === 'queries' && row[1] === 'queries');
  return written.length ? sum(written.map(({ row }) => row[2])) : sum(cities().map((city) => city.queries.length));
}

function queriesSection() {
  const queries = gather('queries').map(({ city, row }) => ({ city, ...row }));
  const kinds = DATA.kinds.filter((kind) => queries.some((query) => query.constraint_kind === kind));
  const parts = (list) => STATUSES.map((status) => [status, list.filter((query) => query.status === status).length]);
  const entry = (name, list) => ({
    name, parts: parts(list), whole: list.length,
    value: t('kept.of', { kept: number(parts(list)[0][1]), all: number(list.length) }),
  });
  const groups = [['8+', 8, Infinity], ['4–7', 4, 7], ['1–3', 1, 3], ['0', 0, 0]];
  const strata = [...new Set(queries.filter((query) => query.family !== 'tprag').map((query) => query.stratum))].sort();
  const failing = DATA.failure_ends.map((_, at) => sum(cities().map((city) => city.failures[at])));
  return section('queries', queries.length ? null : nothing('nothing.queries'),
    queries.length ? el('div', { class: 'grid' }, planMatrix(), el('div', { class: 'stack' },
      card(t('queries.by.kind'), legend(STATUSES.filter((status) => queries.some((query) => query.status === status))
        .map((status) => [status, t(`status.${status}`)])),
      barList(kinds.map((kind) => entry(label('kind', kind), queries.filter((query) => query.constraint_kind === kind))))),
      card(t('queries.by.trajectories'), el('p', { class: 'note' }, t('queries.by.trajectories.note')),
        barList(groups.map(([name, low, high]) => {
          const n = queries.filter((query) => query.n_trajectories >= low && query.n_trajectories <= high).length;
          return { name, parts: [['accent', n]], whole: queries.length, value: number(n) };
        }))),
      failing.some(Boolean) ? card(t('queries.failures'), el('p', { class: 'note' }, t('queries.failures.note')),
        barList(DATA.failure_ends.map((end, at) => ({
          name: end ? t('queries.failures.to', { n: number(100 * end) }) : t('queries.failures.none'),
          parts: [['accent', failing[at]]], whole: sum(failing), value: number(failing[at]),
        })))) : null,
      strata.length ? card(t('queries.by.stratum'), barList(strata.map((stratum) =>
        entry(stratum, queries.filter((query) => query.stratum === stratum))))) : null)) : null,
    queries.length ? el('details', {}, el('summary', {}, t('queries.all', { n: number(queries.length) })),
      table(t('section.queries'), [
        ...cityColumn(),
        { title: t('query'), value: (query) => pick(...query.text) },
        { ...text(t('status'), 'status'), show: (value) => badge(value, t(`status.${value}`)) },
        text(t('split'), 'split'), count(t('figure.trajectories'), 'n_trajectories'),
        count(t('candidates'), 'n_candidates'), text(t('reason'), 'reason'),
      ], queries)) : null);
}

/** Coverage of the plan: a row a constraint, a column a number of days. */
function planMatrix() {
  const held = new Map();
  const plan = new Map();
  const at = (kind, constraint, days) => JSON.stringify([kind, constraint, days]);
  for (const city of cities()) {
    for (const cell of city.plan || []) plan.set(at(...cell), (plan.get(at(...cell)) || 0) + 1);
    for (const query of city.queries.filter((one) => one.family === 'tprag')) {
      const key = at(query.constraint_kind, query.constraint_code, query.n_days);
      held.set(key, [...(held.get(key) || []), query]);
    }
  }
  if (!plan.size) return null;
  const cells = [...plan.keys()].map((key) => JSON.parse(key));
  const days = [...new Set(cells.map((cell) => cell[2]))];
  const rows = [...new Map(cells.map(([kind, constraint]) => [`${kind}/${constraint}`, [kind, constraint]])).values()];
  const kinds = [...new Set(rows.map((row) => row[0]))];
  const dayName = (n) => (n === null ? t('days.any') : t('days.n', { n }));
  const cellNode = (row, n) => {
    const key = at(...row, n);
    const wanted = plan.get(key) || 0;
    const found = held.get(key) || [];
    const kept = found.filter((query) => query.status === 'kept').length;
    if (!wanted) return el('td', { class: 'off' });
    const single = cities().length === 1;
    const kind = kept === wanted ? 'kept' : kept ? 'partly' : found.length ? 'pending_documents' : 'missing';
    const shown = single ? (found.length ? number(found[0].n_trajectories) : '–') : `${kept}/${wanted}`;
    const told = single && found.length ? `${pick(...found[0].text)}: ${t(`status.${found[0].status}`)}` : t('kept.of', { kept, all: wanted });
    return el('td', { class: `cell-${kind}`, title: told }, shown, el('span', { class: 'hidden' }, ` ${told}`));
  };
  return card(t('queries.matrix'),
    el('p', { class: 'note' }, t(cities().length === 1 ? 'queries.matrix.one' : 'queries.matrix.many')),
    legend([['kept', t('status.kept')], ...(cities().length > 1 ? [['partly', t('status.partly')]] : []),
      ['pending_documents', t('status.pending_documents')], ['missing', t('status.missing')]]),
    scrolling(t('queries.matrix'), el('table', { class: 'matrix' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('constraint')), days.map((n) => el('th', { scope: 'col' }, dayName(n))))),
      kinds.map((kind) => el('tbody', {},
        kind === 'generic' ? null : el('tr', {}, el('th', { scope: 'rowgroup', colspan: days.length + 1, class: 'group' }, label('kind', kind))),
        rows.filter((row) => row[0] === kind).map((row) => el('tr', {},
          el('th', { scope: 'row' }, row[1] ? term('constraint', row[1]) : label('kind', kind)),
          days.map((n) => cellNode(row, n)))))))));
}

function factsSection() {
  const shown = cities();
  const open = Array.from({ length: 168 }, (_, hour) => sum(shown.map((city) => city.open_hours.open[hour])));
  const known = sum(shown.map((city) => city.open_hours.known));
  const chart = (name, show, freeLabel, table, held = shown) => {
    const edges = held[0].edges[name];
    const counts = edges.map((_, at) => sum(held.map((city) => city.histograms[name][at])));
    const [n, of] = [sum(counts), sum(held.map((city) => city.rows[table]))];
    return of ? histogram(t(`chart.${name}`, { currency: held[0].currency }), edgeLabels(edges, show, freeLabel), counts, n,
      t('chart.known', { n: number(n), all: number(of), share: percent(n, of) })) : null;
  };
  // Bars of two moneys do not compare: each has its own.
  const monies = [...new Set(shown.map((city) => city.currency))];
  const prices = (name, freeLabel, table) => monies.map((money) =>
    chart(name, amount, freeLabel, table, shown.filter((city) => city.currency === money)));
  // Thousands by a letter where money comes in thousands, so that labels stand beside each other.
  const amount = (cents, most) => (most >= 200000 && cents >= 100000 ? `${cents / 100000}k` : String(cents / 100));
  const clock = (minutes) => (minutes < 60 ? `${minutes}′` : `${minutes / 60} h`);
  const pois = total('pois');
  return section('facts',
    card(t('chart.hours'), el('p', { class: 'note' }, t('chart.known', { n: number(known), all: number(pois), share: percent(known, pois) })),
      known ? weekGrid(open, known) : nothing('nothing.known')),
    el('div', { class: 'grid' },
      prices('poi_price', t('free'), 'pois'),
      chart('poi_duration', clock, null, 'pois'),
      prices('hotel_price', null, 'hotels'),
      prices('restaurant_price', null, 'restaurants')));
}

function knownSection() {
  const added = new Map();
  for (const { row: [tableName, field, known, all, floor] } of gather('known')) {
    const key = `${tableName}/${field}`;
    const before = added.get(key) || { tableName, field, known: 0, all: 0, floor };
    added.set(key, { ...before, known: before.known + known, all: before.all + all });
  }
  const groups = [...new Set([...added.values()].map((one) => one.tableName))];
  return section('known', el('div', { class: 'grid' }, groups.map((name) => {
    const fields = [...added.values()].filter((one) => one.tableName === name && one.all);
    return fields.length ? card(label('table', name), barList(fields.map((one) => ({
      name: label('field', one.field), parts: [['accent', one.known]], whole: one.all,
      value: percent(one.known, one.all), mark: one.floor,
    })))) : null;
  })));
}

function mergesSection() {
  const merged = gather('stage_counts').filter(({ row }) => row[4]);
  const kinds = ['names', 'places', 'documents'];
  const lists = Object.fromEntries(kinds.map((kind) => [kind,
    cities().flatMap((city) => city.merges[kind].map((row) => ({ city, row })))]));
  const counts = Object.fromEntries(kinds.map((kind) => [kind, sum(cities().map((city) => city.merges[`n_${kind}`]))]));
  const show = { names: (pair) => pick(...pair), places: (pair) => pick(...pair), documents: (path) => code(path) };
  return section('merges', merged.length ? card(t('merges.rows'), table(t('merges.rows'), [
    ...cityColumn(),
    { title: t('stage'), value: ({ row }) => label('stage', row[0]) },
    { title: t('table'), value: ({ row }) => label('table', row[1]) },
    { title: t('rows.in'), value: ({ row }) => row[2], show: (n) => number(n), numeric: true },
    { title: t('rows.merged'), value: ({ row }) => row[4], show: (n) => number(n), numeric: true },
  ], merged)) : nothing(),
  kinds.map((kind) => (counts[kind] ? el('details', {},
    el('summary', {}, t(`merges.${kind}`, { n: number(counts[kind]) })),
    lists[kind].length < counts[kind] && kind !== 'names' ? el('p', { class: 'note' }, t('first', { n: lists[kind].length })) : null,
    table(t(`merges.${kind}`, { n: number(counts[kind]) }), [
      ...cityColumn(),
      { title: t(`merges.${kind}.from`), value: ({ row }) => (kind === 'names' ? row[1].join(' · ') : row[0]), show: (value) => (Array.isArray(value) ? pick(...value) : kind === 'documents' ? code(value) : value) },
      { title: t(`merges.${kind}.to`), value: ({ row }) => (kind === 'names' ? row[0] : row[1]), show: show[kind] },
    ], lists[kind])) : null)));
}

function quarantineSection() {
  const groups = new Map();
  for (const { city, row } of gather('quarantine')) {
    const key = [row.stage, row.table, row.check].join('/');
    const before = groups.get(key) || { ...row, n: 0, examples: [] };
    groups.set(key, { ...before, n: before.n + row.n, examples: [...before.examples, ...row.examples.map((example) => ({ city, example }))] });
  }
  const sorted = [...groups.values()].sort((a, b) => b.n - a.n);
  const whole = sum(sorted.map((group) => group.n));
  return section('quarantine', sorted.length ? null : nothing('nothing.quarantine'),
    sorted.map((group) => el('details', { class: 'reason' },
      el('summary', {}, el('span', { class: 'bar-name' }, code(group.check), ' ',
        el('small', {}, `${label('stage', group.stage)} · ${label('table', group.table)}`)),
      bar([['pending_documents', group.n]], whole, percent(group.n, whole)),
      el('span', { class: 'bar-value' }, number(group.n))),
      el('ul', { class: 'examples' }, group.examples.slice(0, 10).map(({ city, example: [id, message, payload, source] }) => el('li', {},
        el('p', {}, message), el('p', { class: 'note' }, cities().length > 1 ? `${cityName(city)} · ` : '', code(id), source ? [' · ', code(source)] : null),
        payload ? el('pre', { tabindex: '0' }, payload) : null))))));
}

function gatesSection() {
  const holder = el('div', {});
  const choices = { all: () => true, failed: (gate) => !gate.passed, error: (gate) => gate.severity === 'error', warning: (gate) => gate.severity === 'warning' };
  const numeric = (value) => (value === null ? '–' : number(value, 4));
  function show(name) {
    buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.name === name)));
    const rows = DATA.gates.filter(choices[name]);
    holder.replaceChildren(rows.length ? table(t('section.gates'), [
      { ...text(t('verdict'), 'passed'), show: (value, gate) => badge(value ? 'kept' : gate.severity === 'error' ? 'bad' : 'pending_documents', t(value ? 'passed' : 'failed')) },
      { ...text(t('gate'), 'gate_id'), show: code },
      { ...text(t('severity'), 'severity'), show: (value) => t(`severity.${value}`) },
      { ...text(t('table'), 'table'), show: (value) => value ?? '–' },
      { title: t('gate.failed'), value: (gate) => gate.n_failed, show: (n) => number(n), numeric: true },
      { title: t('observed'), value: (gate) => gate.observed, show: numeric, numeric: true },
      { title: t('threshold'), value: (gate) => gate.threshold, show: numeric, numeric: true },
      text(t('message'), 'message'),
    ], rows) : nothing('nothing.gates'));
  }
  const buttons = Object.keys(choices).map((name) => chip({ 'data-name': name, onclick: () => show(name) },
    t(`gates.${name}`), ` ${number(DATA.gates.filter(choices[name]).length)}`));
  show('all');
  return section('gates', DATA.gates.length ? [el('div', { class: 'chips', role: 'group', 'aria-label': t('filter') }, buttons), holder] : nothing('verdict.none'));
}

/** Documents that were given, whatever the cities shown: one may belong to none. */
function givenSection() {
  if (!DATA.given) return section('given', nothing());
  const [all, ...counts] = DATA.given.counts;
  const kinds = ['set_aside', 'waiting', 'used'];
  const colours = { set_aside: 'bad', waiting: 'pending_documents', used: 'kept' };
  const column = (key, at) => ({ title: t(key), value: (row) => row[at], show: (value) => value ?? '–' });
  const numeric = (key, at) => ({ ...column(key, at), show: (n) => (n === null ? '–' : number(n)), numeric: true });
  return section('given',
    barList(kinds.map((kind, at) => ({ name: t(`given.${kind}`), parts: [[colours[kind], counts[at]]], whole: all, value: number(counts[at]) }))),
    DATA.given.n_problems ? el('p', { class: 'note' }, t('given.problems', { n: number(DATA.given.n_problems) })) : null,
    DATA.given.rows.length < all ? el('p', { class: 'note' }, t('first', { n: DATA.given.rows.length })) : null,
    el('details', {}, el('summary', {}, t('given.all', { n: number(all) })), table(t('given.all', { n: number(all) }), [
      { title: t('document'), value: (row) => row[0], show: code },
      { title: t('status'), value: (row) => row[1], show: (value) => badge(colours[value], t(`given.${value}`)) },
      { title: t('reason'), value: (row) => row[2] },
      { title: t('given.cities'), value: (row) => row[3].join(' · ') },
      column('language', 4), column('kind', 5), column('given.reader', 6),
      numeric('figure.pois', 7), numeric('given.stops', 8), numeric('figure.facts', 9),
    ], DATA.given.rows)));
}

function sourcesSection() {
  const documents = gather('documents').map(({ city, row }) => ({ city, ...row }));
  const files = gather('files');
  const providers = gather('providers');
  const simulated = cities().flatMap((city) => city.simulated).reduce((found, [name, n, all]) => {
    const before = found.get(name) || [0, 0];
    return found.set(name, [before[0] + n, before[1] + all]);
  }, new Map());
  const kinds = (counts, kind) => Object.entries(counts).map(([name, n]) => `${label(kind, name)} ${number(n)}`).join(' · ');
  return section('sources',
    documents.length ? card(t('sources.documents'), table(t('sources.documents'), [
      ...cityColumn(), { ...text(t('source'), 'from'), show: code }, count(t('figure.documents'), 'n'),
      { title: t('language'), value: (row) => kinds(row.lang, 'lang') }, { title: t('kind'), value: (row) => kinds(row.kind, 'document') },
      count(t('characters'), 'chars'),
      { title: t('licence'), value: (row) => [...row.licences, row.without_licence ? t('licence.none', { n: number(row.without_licence) }) : ''].filter(Boolean).join(' · ') },
    ], documents)) : null,
    files.length ? el('details', { open: files.length < 12 }, el('summary', {}, t('sources.files', { n: number(new Set(files.map(({ row }) => row[0])).size) })),
      table(t('sources.files.title'), [
        ...cityColumn(), { title: t('file'), value: ({ row }) => row[0], show: code },
        { title: t('table'), value: ({ row }) => label('table', row[1]) },
        { title: t('rows'), value: ({ row }) => row[2], show: (n) => number(n), numeric: true },
      ], files)) : null,
    el('div', { class: 'grid' },
      card(t('sources.coordinates'), table(t('sources.coordinates'), [
        ...cityColumn(), { title: t('provider'), value: ({ row }) => row[0] || t('unknown') },
        { title: t('system'), value: ({ row }) => row[1] || '–' },
        { title: t('figure.pois'), value: ({ row }) => row[2], show: (n) => number(n), numeric: true },
      ], providers)),
      card(t('sources.simulated'), el('p', { class: 'note' }, t('sources.simulated.note')),
        barList([...simulated].filter(([, [, all]]) => all).map(([name, [n, all]]) => ({
          name: label('table', name), parts: [['pending_documents', n]], whole: all, value: `${number(n)} / ${number(all)}`,
        }))))),
    el('p', { class: 'note' }, t('sources.note')));
}

function accountsSection() {
  const rows = gather('stage_counts');
  const column = (key, at) => ({ title: t(key), value: ({ row }) => row[at], show: (n) => number(n), numeric: true });
  const balanced = ({ row }) => row[2] === row[3] + row[4] + row[5] + row[6];
  const off = rows.filter((row) => !balanced(row)).length;
  return section('accounts',
    rows.length ? [el('p', {}, badge(off ? 'bad' : 'kept', off ? t('accounts.off', { n: number(off) }) : t('accounts.good', { n: number(rows.length) }))),
      table(t('section.accounts'), [
        ...cityColumn(),
        { title: t('stage'), value: ({ row }) => label('stage', row[0]) }, { title: t('table'), value: ({ row }) => label('table', row[1]) },
        column('rows.in', 2), column('rows.kept', 3), column('rows.merged', 4), column('rows.quarantined', 5), column('rows.pending', 6),
        { title: '=', value: (row) => (balanced(row) ? '✓' : '✗') },
      ], rows)] : nothing(),
    el('details', {}, el('summary', {}, t('tables.all', { n: DATA.tables.length })), table(t('tables.all', { n: DATA.tables.length }), [
      { title: t('table'), value: (row) => row[0], show: code }, { title: t('meaning'), value: (row) => label('table', row[0]) },
      { title: t('rows'), value: (row) => row[1], show: (n) => number(n), numeric: true },
      { title: t('files'), value: (row) => row[2], show: (n) => number(n), numeric: true },
    ], DATA.tables)),
    DATA.parameters.length ? el('details', {}, el('summary', {}, t('parameters')), table(t('parameters'), [
      { title: t('table'), value: (row) => label('table', row[0]) }, { title: t('parameter'), value: (row) => row[1], show: code },
      { title: t('case'), value: (row) => row[2] }, { title: t('fact.value'), value: (row) => row[3], show: (n) => number(n, 4), numeric: true },
      { title: t('unit'), value: (row) => row[4] },
    ], DATA.parameters)) : null,
    el('details', {}, el('summary', {}, t('statistics')), el('p', { class: 'note' }, t('statistics.note')), table(t('statistics'), [
      { title: t('paper'), value: (row) => row[0] }, { title: t('statistic'), value: (row) => row[1] }, { title: t('where'), value: (row) => row[2] },
      { title: t('published'), value: (row) => row[3], show: (n) => number(n, 2), numeric: true },
      { title: t('here'), value: (row) => row[4], show: (n) => (n === null ? '–' : number(n, 2)), numeric: true },
    ], DATA.statistics)));
}

function runSection() {
  const { stages = {}, ...rest } = DATA.run;
  const place = (name) => (DATA.stages.indexOf(name) + 99) % 99;
  const entries = Object.entries(stages).filter(([, stage]) => stage && typeof stage.seconds === 'number')
    .sort((a, b) => place(a[0]) - place(b[0]));
  const longest = Math.max(...entries.map(([, stage]) => stage.seconds), 1e-9);
  const show = { seconds: (value) => seconds(value), bytes: (value) => megabytes(value), usd: (value) => `$${number(value, 4)}` };
  const told = (name, value) => {
    const unit = Object.keys(show).find((part) => name.split('_').includes(part));
    return typeof value !== 'number' ? String(value) : unit ? show[unit](value) : number(value, 4);
  };
  const plain = Object.entries(rest).filter(([, value]) => value !== null && typeof value !== 'object');
  return section('run', Object.keys(DATA.run).length ? null : nothing('nothing.run'), el('div', { class: 'grid' },
    entries.length ? card(t('run.stages'), el('p', { class: 'note' }, t('run.stages.note')), barList(entries.map(([name, stage]) => ({
      name: [label('stage', name), ' ', el('small', {}, t('run.shards', { n: stage.shards ?? 0, reused: stage.reused ?? 0 }))],
      parts: [['accent', stage.seconds]], whole: longest, value: seconds(stage.seconds),
    })))) : null,
    plain.length ? card(t('run.facts'), facts(plain.map(([name, value]) => [label('run', name), told(name, value)]))) : null));
}
