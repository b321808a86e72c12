// Runs the page: choose a tool, ask, read the answer as text and JSON, and see its places on the map.

const form = document.getElementById('form');
const answer = document.getElementById('answer');
const told = document.getElementById('told');
const chooser = document.getElementById('city');
let tool = DATA.tools.find((one) => one.name === 'nearby') || DATA.tools[0];
let lastField = null;

const nameOf = (found) => (found.place ? pick(found.place.poi.name_zh, found.place.poi.name_en) : found.spot && pick(found.spot.row[2], found.spot.row[3]));

const map = new AnswerMap(document.getElementById('map'), {
  hover: (found) => { told.textContent = found ? nameOf(found) || '' : ''; },
  click: (found) => {
    const name = found && nameOf(found);
    if (!name) return;
    told.textContent = name;
    const target = lastField && form.contains(lastField) ? lastField : form.elements.namedItem('where') || form.elements.namedItem('name') || form.elements.namedItem('start');
    if (target) target.value = name;
  },
});
map.layers.hotels = map.layers.restaurants = true;

async function showCity(slug) {
  const reply = await fetch(`/map/${encodeURIComponent(slug)}`);
  const found = await reply.json();
  if (!reply.ok) {
    told.textContent = found.error;
    return;
  }
  map.marks = null;
  map.load([found]);
}

function chooseTool(name) {
  tool = DATA.tools.find((one) => one.name === name);
  lastField = null;
  buildForm(form, tool, chooseTool);
  document.getElementById('tool').focus();
}

/** Return the points of an answer, in its order. */
function pointsOf(data) {
  const at = (row) => (row && Number.isFinite(row.lat) && Number.isFinite(row.lon) ? [[row.lat, row.lon]] : []);
  return [...at(data), ...(Array.isArray(data.rows) ? data.rows.flatMap((row) => at(row.place || row)) : [])];
}

async function ask(event) {
  event.preventDefault();
  const button = document.getElementById('ask');
  button.disabled = true;
  const began = performance.now();
  try {
    const reply = await fetch(`/tools/${tool.name}`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-client': 'page' },
      body: JSON.stringify(argumentsOf(form, tool)),
    });
    const found = await reply.json();
    const took = `${Math.round(performance.now() - began)} ms`;
    answer.replaceChildren(
      el('h2', {}, reply.ok ? 'Answer' : 'No answer', ' ', el('small', {}, took)),
      el('pre', { class: reply.ok ? null : 'failed', id: 'words' }, reply.ok ? found.text : found.error),
      el('details', {}, el('summary', {}, 'JSON'), el('pre', {}, JSON.stringify(reply.ok ? found.data : found, null, 2))),
    );
    if (reply.ok) map.mark(pointsOf(found.data));
  } catch (error) {
    answer.replaceChildren(el('pre', { class: 'failed', id: 'words' }, `The server does not answer: ${error.message}`));
  } finally {
    button.disabled = false;
  }
}

form.addEventListener('submit', ask);
form.addEventListener('focusin', (event) => { if (event.target.matches('input[type="text"], textarea')) lastField = event.target; });
chooser.append(...DATA.cities.map((city) => el('option', { value: city.slug }, city.slug)));
chooser.addEventListener('change', () => showCity(chooser.value));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => map.recolour());
buildForm(form, tool, chooseTool);
showCity(DATA.cities[0].slug);
