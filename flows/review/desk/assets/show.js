// A row on the page: its sentence, passages, places. Texts only ever become text nodes.

const $ = (id) => document.getElementById(id);

function passage(one) {
  const text = one.pieces.length
    ? el('blockquote', { lang: one.lang || null, dir: 'auto' }, one.pieces.map(([piece, marked]) => (marked ? el('mark', {}, piece) : piece)))
    : el('p', { class: 'missing' }, one.note);
  return el('div', { class: 'card passage' },
    one.heads.length ? el('p', { class: 'heads', dir: 'auto' }, one.heads.join(' › ')) : null,
    text,
    one.more ? el('p', { class: 'note' }, `and ${one.more} more passages in this text`) : null,
    el('p', { class: 'note source', dir: 'auto' }, one.title));
}

const metres = (value) => (value >= 1000 ? `${number(value / 1000, 1)} km away` : `${number(value)} m away`);

function placeCard(one, head, kind, choose) {
  const facts = [one.fits, one.metres === undefined ? null : metres(one.metres), one.documents === 1 ? '1 document names it' : `${number(one.documents)} documents name it`];
  const body = [
    el('span', { class: `spot ${kind}`, 'aria-hidden': choose ? null : 'true' }, head),
    el('span', { class: 'what' }, el('strong', { dir: 'auto' }, one.name), el('span', { class: 'facts' }, facts.filter(Boolean).join(' · ')), el('small', { dir: 'auto' }, one.what)),
  ];
  return choose ? el('button', { type: 'button', class: 'place', onclick: choose, 'aria-label': `Same as ${one.name}: key ${head}` }, body) : el('div', { class: 'place' }, body);
}

/** Show a row; ``onRival`` is called with a rival that was clicked. */
function showRow(row, total, onRival) {
  $('where').replaceChildren(`Row ${row.number + 1} of ${total}`, ` · ${row.city}`, row.why ? el('span', { class: 'why', dir: 'auto' }, ` · ${row.why}`) : '');
  $('sentence').replaceChildren(...sentence(row));
  $('beside').textContent = row.beside;
  showGiven(row.answer);
  $('passages').replaceChildren(...row.passages.map(passage));
  if (!row.passages.length) $('passages').append(el('div', { class: 'card passage' }, el('p', { class: 'missing' }, 'This row is not based on a text.')));
  const map = drawMap(row);
  $('map').replaceChildren(...(map ? [map] : []));
  const cards = [];
  if (row.place) cards.push(placeCard(row.place, '', 'main', null));
  if (row.rivals.length) {
    cards.push(el('h2', { class: 'rivals' }, row.rivals_are));
    cards.push(...row.rivals.map((rival, n) => placeCard(rival, String(n + 1), 'rival', row.can_be_other ? () => onRival(rival) : null)));
  }
  $('places').replaceChildren(...cards);
  $('around').hidden = !map && !cards.length;
  document.querySelector('#answers .same_as').setAttribute('aria-disabled', String(!row.can_be_other));
}

/** The row's sentence; the days of a trip or plan stand in lines. */
function sentence(row) {
  const parts = row.sentence.split(/(?<=: |; )(?=day \d+: )/);
  if (parts.length < 2) return [row.sentence];
  return [parts[0], el('span', { class: 'days' }, parts.slice(1).map((day) => el('span', { dir: 'auto' }, day)))];
}

const WORDS = { right: 'right', wrong: 'wrong', not_here: 'not here', unsure: 'unsure' };
const inWords = (answer) => (answer.kind === 'same_as' ? `same as ${answer.name}` : WORDS[answer.kind]);

function showGiven(answer) {
  $('given').hidden = !answer;
  if (answer) $('given').replaceChildren('You said: ', el('strong', { dir: 'auto' }, inWords(answer)), answer.reason ? el('span', { dir: 'auto' }, ` – ${answer.reason}`) : '');
  document.querySelectorAll('#answers button').forEach((button) => button.setAttribute('aria-pressed', String(!!answer && button.value === answer.kind)));
  $('remark').value = answer ? answer.reason : '';
}

function showProgress(state) {
  const marks = [...state.marks];
  const done = marks.filter((mark) => mark !== '.').length;
  $('count').textContent = `${number(done)} of ${number(marks.length)} decided`;
  $('who').replaceChildren('Reader ', el('strong', { dir: 'auto' }, state.reader));
  const strip = marks.length <= 120
    ? marks.map((mark, n) => el('i', { class: `mark ${mark === '.' ? 'open' : mark}${n === state.at ? ' here' : ''}` }))
    : [el('i', { class: 'bar', '--done': `${(100 * done) / marks.length}%` })];
  $('strip').replaceChildren(...strip);
  $('agreement').replaceChildren(...state.agreement.map(agreed));
}

function agreed(other) {
  const told = other.rows
    ? ` agree on ${percent(other.share, 1)} of ${number(other.rows)} ${other.rows === 1 ? 'row' : 'rows'}, kappa ${other.kappa === null ? '–' : other.kappa.toFixed(2)}`
    : ': no row that both decided yet';
  return el('span', { class: 'agreed', title: other.kappa === null && other.rows ? 'Kappa needs answers that differ: these are all alike' : null }, 'You and ', el('strong', { dir: 'auto' }, other.reader), told);
}

function showFinished(state, kind) {
  const counted = Object.entries({ r: 'right', w: 'wrong', s: 'same as another', h: 'not here', u: 'unsure' })
    .map(([mark, word]) => [word, [...state.marks].filter((one) => one === mark).length]).filter(([, n]) => n);
  $('finished').replaceChildren(
    el('h1', { id: 'finished-title' }, `All ${number(state.marks.length)} ${kind} are decided`),
    el('p', {}, counted.map(([word, n]) => `${number(n)} ${word}`).join(', ')),
    ...state.agreement.map((other) => el('p', {}, agreed(other))),
    el('p', { class: 'muted' }, 'The next build heeds these decisions while their rows say the same. Go back with ', el('kbd', {}, 'p'), ' or undo with ', el('kbd', {}, 'z'), '.'));
}
