// The dialog that asks which place a row should name: rivals first, then what a search finds.

class Chooser {
  /** ``find`` gives places for a text, ``onChoice`` gets the one that was chosen. */
  constructor(find, onChoice) {
    this.find = find;
    this.onChoice = onChoice;
    this.dialog = $('chooser');
    this.input = $('search');
    this.list = $('options');
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.dialog.addEventListener('click', (event) => { if (event.target === this.dialog) this.dialog.close(); });
  }

  open(rivals) {
    this.rivals = rivals;
    this.input.value = '';
    this.offer(rivals, 'There are no rivals: type a part of the place’s name.');
    this.dialog.showModal();
    this.input.focus();
  }

  async search() {
    const text = this.input.value.trim();
    const wanted = this.asked = Symbol(text);
    const found = text ? await this.find(text) : this.rivals;
    if (wanted === this.asked) this.offer(found, text ? 'No place in the city has this text in its name.' : 'Type a part of its name.');
  }

  offer(places, otherwise) {
    this.places = places;
    this.list.replaceChildren(...places.map((one, n) => el('li', { role: 'option', id: `option-${n}`, onclick: () => this.choose(n) },
      el('strong', { dir: 'auto' }, one.name), el('small', { dir: 'auto' }, [one.fits, one.metres === undefined ? null : metres(one.metres), one.what].filter(Boolean).join(' · ')))));
    if (!places.length) this.list.append(el('li', { class: 'muted', role: 'presentation' }, otherwise));
    this.move(0);
  }

  move(at) {
    this.at = this.places.length ? (at + this.places.length) % this.places.length : -1;
    [...this.list.querySelectorAll('[role=option]')].forEach((node, n) => {
      node.setAttribute('aria-selected', String(n === this.at));
      if (n === this.at) node.scrollIntoView({ block: 'nearest' });
    });
    if (this.at < 0) this.input.removeAttribute('aria-activedescendant');
    else this.input.setAttribute('aria-activedescendant', `option-${this.at}`);
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.move(this.at + step);
    else if (event.key === 'Enter') this.choose(this.at);
    else return;
    event.preventDefault();
  }

  choose(at) {
    const chosen = this.places[at];
    if (!chosen) return;
    this.dialog.close();
    this.onChoice(chosen);
  }
}
