// The page: header, navigation, and drawing again when language, theme or city changes.

const live = { map: null };
const SECTIONS = [overview, mapSection, queriesSection, factsSection, knownSection, mergesSection,
  quarantineSection, gatesSection, givenSection, sourcesSection, accountsSection, runSection];
const IDS = ['overview', 'map', 'queries', 'facts', 'known', 'merges', 'quarantine', 'gates', 'given', 'sources', 'accounts', 'run'];

/** A choice in the header: a labelled select that changes one part of the state. */
function choice(key, options) {
  return el('label', {}, el('span', { class: 'hidden' }, t(`choose.${key}`)),
    el('select', { id: `choose-${key}`, onchange: (event) => change(key, event.target.value) },
      options.map(([value, name, lang]) => el('option', { value, lang, selected: state[key] === value }, name))));
}

function change(key, value) {
  state[key] = value;
  const query = new URLSearchParams(Object.entries(state).filter(([name, set]) => set && !(name === 'theme' && set === 'auto')));
  try {
    history.replaceState(null, '', `?${query}${location.hash}`);
  } catch (error) {
    if (error.name !== 'SecurityError') throw error; // a page without an address keeps no settings
  }
  if (key === 'theme') applyTheme();
  else draw();
  document.getElementById(`choose-${key}`).focus();
}

function applyTheme() {
  document.documentElement.style.colorScheme = state.theme === 'auto' ? 'light dark' : state.theme;
  if (live.map) live.map.recolour();
}

function draw() {
  document.documentElement.lang = state.lang === 'zh' ? 'zh-CN' : 'en';
  document.title = `${cities().map(cityName).join(t('comma'))} · tripbed`;
  document.getElementById('skip').textContent = t('skip');
  document.getElementById('controls').replaceChildren(...[
    DATA.cities.length > 1 ? choice('city', [['', t('cities.all')], ...DATA.cities.map((city) => [city.slug, cityName(city)])]) : null,
    choice('lang', [['zh', '中文', 'zh-CN'], ['en', 'English', 'en']]),
    choice('theme', [['auto', t('theme.auto')], ['light', t('theme.light')], ['dark', t('theme.dark')]]),
  ].filter(Boolean));
  const nav = document.getElementById('nav');
  nav.setAttribute('aria-label', t('sections'));
  nav.replaceChildren(el('ul', {}, IDS.map((id) => el('li', {}, el('a', { href: `#${id}` }, t(`section.${id}`))))));
  document.getElementById('main').replaceChildren(...SECTIONS.map((build) => build()));
  document.getElementById('footer').replaceChildren(el('p', {}, t('footer')));
  watchSections(nav);
}

/** Mark the section that is being read in the navigation. */
function watchSections(nav) {
  if (live.watcher) live.watcher.disconnect();
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  live.watcher = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      links.forEach((link, id) => (id === entry.target.id ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
      const link = links.get(entry.target.id);
      nav.scrollLeft = link.offsetLeft - nav.clientWidth / 2;
    }
  }, { rootMargin: '-20% 0px -70% 0px' });
  document.querySelectorAll('main > section').forEach((part) => live.watcher.observe(part));
}

document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, select, textarea');
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const box = document.getElementById('search');
  if (box.closest('[hidden]')) document.querySelector('.panel .back').click();
  box.focus();
  box.scrollIntoView({ block: 'center' });
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => live.map && live.map.recolour());
applyTheme();
draw();
