// Builds a form from a tool's JSON schema: one field per argument, required ones first, others folded.

/** Return the part of an argument's schema that is not null. */
const kind = (part) => (part.anyOf ? part.anyOf.filter((one) => one.type !== 'null') : [part]);

function field(name, part, value, needed) {
  const kinds = kind(part);
  const codes = kinds.flatMap((one) => one.enum || []);
  const props = { id: `field-${name}`, name, required: needed };
  const shown = value === undefined || value === null ? '' : Array.isArray(value) ? value.join('; ') : String(value);
  let input;
  if (codes.length) {
    input = el('select', props, (needed ? [] : ['']).concat(codes).map((one) => el('option', { value: one, selected: one === shown }, one)));
  } else if (name === 'command') {
    input = el('textarea', { ...props, rows: 3 }, shown);
  } else {
    const numeric = kinds.every((one) => one.type === 'number' || one.type === 'integer');
    input = el('input', { ...props, value: shown, type: numeric ? 'number' : 'text', step: 'any', autocomplete: 'off' });
  }
  const hint = [part.description, kinds.some((one) => one.type === 'array') ? 'several: put ; between' : null].filter(Boolean).join('; ');
  return el('label', { for: `field-${name}` }, name, el('small', {}, hint), input);
}

/** Return the value of a field in the type of its schema, or undefined if the field is empty. */
function given(part, text) {
  if (text === '') return undefined;
  const types = kind(part).map((one) => one.type);
  if (types.includes('array') && (text.includes(';') || types.length === 1)) {
    return text.split(';').map((one) => given({ anyOf: kind(part).filter((k) => k.type === 'array').flatMap((k) => (k.items ? kind(k.items) : [])) }, one.trim()));
  }
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function buildForm(form, tool, onTool) {
  const { properties = {}, required = [] } = tool.schema;
  const names = Object.keys(properties);
  const make = (name) => {
    const fallback = required.includes(name) ? undefined : properties[name].default;
    return field(name, properties[name], name in tool.example ? tool.example[name] : fallback, required.includes(name));
  };
  const first = names.filter((name) => required.includes(name) || name in tool.example);
  const others = names.filter((name) => !first.includes(name));
  form.replaceChildren(
    el('label', { for: 'tool' }, 'tool', el('select', { id: 'tool', onchange: (event) => onTool(event.target.value) },
      DATA.tools.map((one) => el('option', { value: one.name, selected: one.name === tool.name }, one.name)))),
    el('p', { class: 'note' }, tool.description),
    ...first.map(make),
    others.length ? el('details', { class: 'more' }, el('summary', {}, 'More'), el('div', {}, others.map(make))) : '',
    el('button', { type: 'submit', id: 'ask' }, 'Ask'),
  );
}

/** Return the arguments in the form. */
function argumentsOf(form, tool) {
  const found = {};
  for (const [name, part] of Object.entries(tool.schema.properties || {})) {
    const value = given(part, form.elements.namedItem(name).value);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
