// Language, numbers, elements and tables. Texts only ever become text nodes or attributes.

const DATA = JSON.parse(document.getElementById('data').textContent);
const asked = new URLSearchParams(location.search);
const state = {
  lang: ['zh', 'en'].includes(asked.get('lang')) ? asked.get('lang')
    : (navigator.language || '').startsWith('zh') ? 'zh' : 'en',
  theme: ['light', 'dark'].includes(asked.get('theme')) ? asked.get('theme') : 'auto',
  city: DATA.cities.some((city) => city.slug === asked.get('city')) ? asked.get('city') : '',
};

/** The page's own text for a key, with {placeholders} filled. */
function t(key, values = {}) {
  const pair = DATA.strings[key];
  const text = pair ? pair[state.lang === 'zh' ? 0 : 1] : key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** One of a [Chinese, English] pair; the other where this one is empty. */
function pick(zh, en) {
  return state.lang === 'zh' ? zh || en : en || zh;
}

/** Name of a code of a taxonomy, in the page's language. */
function term(kind, code) {
  const pair = (DATA.terms[kind] || {})[code];
  return pair ? pick(pair[0], pair[1]) : code || t('unknown');
}

/** Label of a stage, table or field where the page has one, else its identifier. */
function label(kind, code) {
  return DATA.strings[`${kind}.${code}`] ? t(`${kind}.${code}`) : String(code);
}

const locale = () => (state.lang === 'zh' ? 'zh-CN' : 'en-GB');
const number = (value, digits = 0) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
const percent = (part, whole) => (whole
  ? new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 1 }).format(part / whole) : '–');
const money = (cents, currency) => `${number(cents / 100, 2)} ${currency || ''}`.trim();
const seconds = (value) => `${number(value, value < 10 ? 2 : 1)} s`;
const megabytes = (bytes) => `${number(bytes / 1e6, 1)} MB`;
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Cities shown: the chosen one, or all. */
function cities() {
  return state.city ? DATA.cities.filter((city) => city.slug === state.city) : DATA.cities;
}

const cityName = (city) => pick(city.zh, city.en);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element; children are nodes or texts, props attributes, listeners and CSS variables. */
const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** An SVG element. */
const svg = (tag, props, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

/** A section with heading and lead. */
function section(id, ...children) {
  return el('section', { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, t(`section.${id}`)),
    DATA.strings[`lead.${id}`] ? el('p', { class: 'lead' }, t(`lead.${id}`)) : null,
    ...children);
}

const card = (title, ...children) =>
  el('div', { class: 'card' }, title ? el('h3', {}, title) : null, ...children);

const badge = (kind, text) => el('span', { class: `badge ${kind}` }, text);

const nothing = (key = 'nothing') => el('p', { class: 'muted' }, t(key));

/** Something wide that scrolls by itself, reachable by keyboard. */
const scrolling = (name, ...children) =>
  el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name }, ...children);

/**
 * A table that sorts by its headings. A column is {title, value, show, numeric}: `value` gives
 * what is sorted, `show` the text or node shown.
 */
function table(name, columns, rows, first = null) {
  let order = first;
  const body = el('tbody', {});
  const heads = columns.map((column, at) => el('th', {
    scope: 'col', class: column.numeric ? 'num' : null,
  }, el('button', { type: 'button', onclick: () => sortBy(at) }, column.title)));

  function sortBy(at) {
    order = order && order.at === at ? { at, down: !order.down } : { at, down: !!columns[at].numeric };
    draw();
  }

  function draw() {
    let shown = rows;
    if (order) {
      const { value, numeric } = columns[order.at];
      const compare = numeric
        ? (a, b) => (value(a) ?? -Infinity) - (value(b) ?? -Infinity)
        : (a, b) => String(value(a) ?? '').localeCompare(String(value(b) ?? ''), locale());
      shown = [...rows].sort((a, b) => (order.down ? compare(b, a) : compare(a, b)));
    }
    heads.forEach((head, at) => head.setAttribute('aria-sort',
      order && order.at === at ? (order.down ? 'descending' : 'ascending') : 'none'));
    body.replaceChildren(...shown.map((row) => el('tr', {}, columns.map((column) => el('td', {
      class: column.numeric ? 'num' : null,
    }, (column.show || ((value) => value ?? '–'))(column.value(row), row))))));
  }

  draw();
  return scrolling(name, el('table', {}, el('caption', { class: 'hidden' }, name),
    el('thead', {}, el('tr', {}, heads)), body));
}

const text = (title, key) => ({ title, value: (row) => row[key] });
const count = (title, key) => ({ title, value: (row) => row[key], show: (value) => number(value), numeric: true });
const code = (value) => el('code', {}, value);
const cityColumn = () => (cities().length > 1 ? [{ title: t('city'), value: (row) => cityName(row.city) }] : []);
