// The desk: ask for rows, take answers by key or click, undo, move.

const token = location.hash.slice(1);
const desk = { reader: null, row: null, total: 0, at: 0, marks: '', agreement: [], kind: '', busy: false, ahead: new Map() };

async function api(path, body) {
  const headers = { 'x-token': token, 'x-reader': encodeURIComponent(desk.reader || '') };
  if (body) headers['content-type'] = 'application/json';
  let reply;
  try {
    reply = await fetch(`/api/${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  } catch {
    throw new Error('The server does not answer. Your saved answers are kept. Start the server again and reload this page.');
  }
  const found = await reply.json().catch(() => ({ error: 'The server failed. See its terminal for the reason.' }));
  if (!reply.ok) throw Object.assign(new Error(found.error), { status: reply.status });
  return found;
}

const say = (text) => { $('said').textContent = text; };
const complain = (text) => { $('trouble').textContent = text; };

/** Do one thing at a time: an answer to a row that nobody has seen yet must not happen. */
async function doing(work) {
  if (desk.busy) return;
  desk.busy = true;
  $('main').setAttribute('aria-busy', 'true');
  complain('');
  try {
    await work();
  } catch (error) {
    complain(error.message);
    if (error.status === 409) await anew();
  } finally {
    desk.busy = false;
    $('main').setAttribute('aria-busy', 'false');
  }
}

/** The row as it is by now, after another page decided it. */
async function anew() {
  keep(await api('state'));
  desk.ahead.clear();
  await open(desk.at);
}

const keep = (found) => Object.assign(desk, { marks: found.marks, agreement: found.agreement, reader: found.reader });

/** A row, which was perhaps asked for ahead; answers are then those of that time. */
function rowAt(at) {
  const held = desk.ahead.get(at) || api(`rows/${at}`);
  desk.ahead.delete(at);
  return held;
}

function lookAhead(at) {
  desk.ahead.clear();
  if (at === null || at === desk.at) return;
  const asked = api(`rows/${at}`);
  asked.catch(() => desk.ahead.delete(at));
  desk.ahead.set(at, asked);
}

/** The next open row after one, from the start again at the end; null where none is open. */
function nextOpen(from) {
  const after = desk.marks.indexOf('.', from + 1);
  const found = after >= 0 ? after : desk.marks.indexOf('.');
  return found < 0 ? null : found;
}

async function open(at, told = '') {
  desk.row = await rowAt(at);
  desk.at = at;
  showRow(desk.row, desk.total, (rival) => answer('same_as', rival));
  $('row').hidden = false;
  $('finished').hidden = true;
  showProgress(desk);
  say([told, `Row ${at + 1} of ${desk.total}.`].filter(Boolean).join(' '));
  scrollTo({ top: 0, behavior: 'instant' });
  showMark();
  if (!document.activeElement || !document.activeElement.closest('#dock')) $('main').focus({ preventScroll: true });
  lookAhead(nextOpen(at));
}

/** Scroll where the marked words would lie below the answers. */
function showMark() {
  const mark = document.querySelector('#passages mark');
  const room = $('dock').getBoundingClientRect().top - 60;
  if (mark && mark.getBoundingClientRect().bottom > room) scrollBy({ top: mark.getBoundingClientRect().bottom - room, behavior: 'instant' });
}

function finish(told) {
  showFinished(desk, desk.kind);
  $('finished').hidden = false;
  $('row').hidden = true;
  showProgress(desk);
  say(`${told} All rows are decided.`);
  scrollTo({ top: 0, behavior: 'instant' });
  $('finished').focus();
}

function answer(kind, place = null) {
  if (!desk.row || !$('finished').hidden) return;
  if (kind === 'same_as' && !desk.row.can_be_other) { complain('This row does not name a place that could be replaced: answer Wrong instead.'); return; }
  if (kind === 'same_as' && !place) { chooser.open(desk.row.rivals); return; }
  doing(async () => {
    const was = desk.row.answer ? desk.row.answer.label : null;
    const found = await api(`rows/${desk.at}/answer`, { answer: kind, poi_id: place ? place.poi_id : '', reason: $('remark').value, was });
    keep(found);
    const told = `Row ${desk.at + 1}: ${inWords(found.answer)}.`;
    const next = nextOpen(desk.at);
    if (next === null) finish(told);
    else await open(next, told);
  });
}

const undo = () => doing(async () => {
  const found = await api('undo', {});
  keep(found);
  desk.ahead.clear();
  await open(found.undone, `Row ${found.undone + 1}: the answer was taken back.`);
});

const go = (at) => doing(() => open(Math.min(Math.max(at, 0), desk.total - 1)));
const goOpen = () => doing(async () => { const at = nextOpen(desk.at); if (at === null) finish(''); else await open(at); });
const back = () => ($('finished').hidden ? go(desk.at - 1) : go(desk.at));
const help = () => { if (!$('help').open) $('help').showModal(); };
const chooser = new Chooser(async (text) => (await api(`rows/${desk.at}/places?name=${encodeURIComponent(text)}`)).places, (place) => answer('same_as', place));

const ANSWERS = [['r', 'right', 'Right', '✓'], ['w', 'wrong', 'Wrong', '✗'], ['s', 'same_as', 'Same as…', '⇄'], ['h', 'not_here', 'Not here', '↗'], ['u', 'unsure', 'Unsure', '?']];
const MOVES = [['p', 'Previous', '‹ Prev', back], ['n', 'Next', 'Next ›', () => go(desk.at + 1)], ['o', 'Next open', 'Open', goOpen], ['z', 'Undo', 'Undo', undo]];
const SAME = { ArrowLeft: 'p', ArrowRight: 'n', Backspace: 'z', R: 'r', W: 'w', S: 's', H: 'h', U: 'u', P: 'p', N: 'n', O: 'o', Z: 'z', M: 'm' };
const ABOUT = [['r', 'The row is right'], ['w', 'The row is wrong'], ['s', 'The row means another place: choose it'], ['1 – 9', 'The row means the rival with this number'],
  ['h', 'The place is not in this city, or does not exist there'], ['u', 'I cannot tell'], ['z or ⌫', 'Take back the last answer'], ['n or →', 'Next row'], ['p or ←', 'Previous row'],
  ['o', 'Next open row'], ['m', 'Write a remark; Enter ends it'], ['?', 'Show this help'], ['Tab', 'Go to the next button; Enter or Space presses it']];

/** Do what a key stands for; whether it stands for something. */
function press(key) {
  const letter = SAME[key] || key;
  const wanted = ANSWERS.find(([one]) => one === letter);
  const move = MOVES.find(([one]) => one === letter);
  if (wanted) answer(wanted[1]);
  else if (move) move[3]();
  else if (letter === 'm') $('remark').focus();
  else if (/^[1-9]$/.test(letter) && desk.row && desk.row.rivals[letter - 1]) answer('same_as', desk.row.rivals[letter - 1]);
  else return false;
  return true;
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.isComposing || event.repeat || document.querySelector('dialog[open]') || $('dock').hidden) return;
  if (event.target.id === 'remark') {
    if (event.key === 'Enter' || event.key === 'Escape') { $('main').focus({ preventScroll: true }); event.preventDefault(); }
    return;
  }
  if (event.key === '?') help();
  else if (event.altKey !== $('single').checked) {
    // With Alt some keyboards write other letters: the key itself counts.
    const key = event.altKey ? (event.code.match(/^(?:Key|Digit)(.)$/) || ['', ''])[1].toLowerCase() : event.key;
    if (!press(key)) return;
  } else return;
  event.preventDefault();
});

async function begin(name) {
  desk.reader = name;
  const found = await api('state');
  if (!found.reader) {
    $('start').hidden = false;
    $('name').focus();
    return;
  }
  Object.assign(desk, { total: found.total, kind: found.kind });
  document.title = `Review of ${found.kind} · tripbed`;
  $('title').textContent = `Review of ${found.kind} · ${found.title}`;
  $('start').hidden = true;
  $('dock').hidden = false;
  keep(found);
  const first = nextOpen(-1);
  if (first === null) { await open(0); finish(''); } else await open(first);
}

function failed(error) {
  $('dock').hidden = false;
  complain(error.message);
}

function start() {
  $('answers').append(...ANSWERS.map(([key, kind, text, sign]) => el('button', { type: 'button', value: kind, class: `answer ${kind}`, 'aria-pressed': 'false', 'aria-keyshortcuts': key, onclick: () => answer(kind) },
    el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), el('span', {}, text), el('kbd', { 'aria-hidden': 'true' }, key))));
  $('moves').append(...MOVES.map(([key, text, brief, act]) => el('button', { type: 'button', class: 'plain', 'aria-label': text, 'aria-keyshortcuts': key, onclick: act },
    el('kbd', {}, key), el('span', { class: 'long' }, ` ${text}`), el('span', { class: 'brief' }, brief))));
  $('keys').append(...ABOUT.flatMap(([key, text]) => [el('dt', {}, key.split(' ').map((part) => (part.length > 3 || part === 'or' || part === '–' ? (part === 'Tab' ? el('kbd', {}, part) : ` ${part} `) : el('kbd', {}, part)))), el('dd', {}, text)]));
  $('help-button').addEventListener('click', help);
  $('help-close').addEventListener('click', () => $('help').close());
  $('start').addEventListener('submit', (event) => {
    event.preventDefault();
    begin($('name').value).catch(failed);
  });
  // A server for one reader tells who it is; others ask.
  begin('').catch(failed);
}

start();
