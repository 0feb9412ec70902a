// Makes the views and connects them: what is chosen in one shows in all.

const SCALE = 5,
  MOST_VALUES = 10;

class Page {
  constructor(data) {
    const at = id => document.getElementById(id),
      { about } = data;
    const column = key => data.columns.find(each => each.key === key);
    Object.assign(this, {
      data,
      at,
      across: column(about.across),
      up: column(about.up),
      brush: null,
      chosen: -1,
      only: -1,
      colour: data.labels ? 'label' : 'none',
    });
    this.test = () => true;
    this.sorted = null;
    this.shown = this.faded = this.among = new Uint32Array(0);
    this.thresholds = new Map(data.scores.map(each => [each.key, each.threshold]));
    this.plot = new Plot(at('points'), at('over'), this, {
      drag: (value, done) => this.drag(value, done),
      brush: box => this.setBrush(box),
      pick: row => row >= 0 && this.choose(row),
    });
    this.table = new Table(at('table'), at('head'), at('rows'), {
      pick: row => this.choose(row),
      sort: each => this.sort(each),
    });
    this.talk = data.about.talk ? new Talk(this, data.about.talk) : null;
    this.fill();
    this.connect();
    this.axesChanged();
    this.follow();
    if (this.chosen < 0 && !this.talk) this.choose(this.worst(), false);
  }

  // The pair that the score on y gets wrong by most, otherwise the first one.
  worst() {
    const { data, up } = this,
      threshold = this.threshold();
    const far = row => Math.abs(up.values[row] - threshold);
    const wrong = Array.from(this.shown).filter(row => [1, 2].includes(outcome(data, up, row, threshold)));
    return wrong.length ? wrong.reduce((first, row) => (far(row) > far(first) ? row : first)) : this.shown[0];
  }

  threshold() {
    return this.up.score ? this.thresholds.get(this.up.key) : null;
  }

  // Controls

  fill() {
    const { data } = this,
      options = each => new Option(each.title, each.key);
    this.at('across').append(...data.columns.map(options));
    this.at('up').append(...data.columns.map(options));
    this.at('across').value = this.across.key;
    this.at('up').value = this.up.key;
    const colours = [
      ['none', 'one colour'],
      ...(data.labels
        ? [
            ['label', 'label'],
            ['outcome', 'right or wrong'],
          ]
        : []),
    ];
    for (const text of data.about.texts)
      if (new Set(data.texts[text.key]).size <= MOST_VALUES) colours.push(['text ' + text.key, text.title]);
    for (const each of data.columns) colours.push(['number ' + each.key, each.title]);
    this.at('colour').append(...colours.map(([key, title]) => new Option(title, key)));
    this.at('colour').value = this.colour;
  }

  connect() {
    const column = key => this.data.columns.find(each => each.key === key);
    for (const axis of ['across', 'up'])
      this.at(axis).addEventListener('change', event => {
        this[axis] = column(event.target.value);
        this.brush = null;
        this.axesChanged();
      });
    this.at('colour').addEventListener('change', event => {
      this.colour = event.target.value;
      this.kept = null;
      this.draw();
    });
    for (const id of ['threshold', 'exact'])
      this.at(id).addEventListener(
        'input',
        event => event.target.value !== '' && this.setThreshold(Number(event.target.value), true, event.target),
      );
    this.at('filter').addEventListener('input', () => {
      clearTimeout(this.soon);
      this.soon = setTimeout(() => this.filterChanged(), 120);
    });
    this.at('controls').addEventListener('submit', event => event.preventDefault());
    this.at('all').addEventListener('click', () => {
      this.at('filter').value = '';
      this.brush = null;
      this.only = -1;
      this.sorted = null;
      this.filterChanged();
      this.setColumns();
    });
    this.at('csv').addEventListener('click', () => this.save());
    addEventListener('keydown', event => this.key(event));
    addEventListener('hashchange', () => this.follow());
    addEventListener('resize', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    addEventListener('beforeprint', () => this.table.print(true));
    addEventListener('afterprint', () => this.table.print(false));
  }

  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName),
      inTable = this.at('table').contains(event.target);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.talk && this.talk.key(event)) {
      event.preventDefault();
      return;
    }
    const steps = { j: 1, J: 1, k: -1, K: -1, ...(inTable ? { ArrowDown: 1, ArrowUp: -1 } : {}) };
    if (event.key in steps) {
      this.step(steps[event.key]);
      event.preventDefault();
    }
    if (event.key === 'Escape' && this.brush) this.setBrush(null);
  }

  step(by) {
    const { order } = this.table,
      at = order.indexOf(this.chosen);
    if (order.length) this.choose(order[at < 0 ? 0 : Math.min(order.length - 1, Math.max(0, at + by))]);
  }

  // What changed

  axesChanged() {
    this.plot.measure();
    const { up } = this,
      threshold = this.threshold(),
      slider = this.at('threshold'),
      exact = this.at('exact');
    slider.disabled = exact.disabled = !up.score;
    exact.value = '';
    [slider.min, slider.max] = [this.plot.y0, this.plot.y1];
    if (threshold !== null) {
      slider.value = threshold;
      exact.value = Number(threshold.toPrecision(6));
    }
    slider.setAttribute('aria-label', `Threshold of ${up.title}`);
    this.kept = null;
    this.setColumns();
    this.select();
  }

  // While a line is dragged, it is followed once in each picture that the browser shows.
  drag(value, done) {
    cancelAnimationFrame(this.frame);
    if (done) this.setThreshold(value, true);
    else this.frame = requestAnimationFrame(() => this.setThreshold(value, false));
  }

  setThreshold(value, done, from) {
    if (!Number.isFinite(value) || !this.up.score) return;
    this.thresholds.set(this.up.key, value);
    for (const id of ['threshold', 'exact']) if (this.at(id) !== from) this.at(id).value = Number(value.toPrecision(6));
    this.at('counts').setAttribute('aria-busy', String(!done)); // a screen reader waits for the end of a drag
    if (this.only >= 0) this.select();
    else if (this.colour === 'outcome') this.draw();
    else {
      this.plot.drawOver();
      this.count();
    }
    this.showPair();
  }

  filterChanged() {
    try {
      this.test = understand(this.at('filter').value, this.data);
      this.at('trouble').textContent = '';
    } catch (error) {
      this.at('trouble').textContent = error.message;
      return;
    }
    this.select();
  }

  setBrush(box) {
    this.brush = box;
    this.select();
  }

  // The pairs that satisfy the filter, the brush and the outcome asked for; among are all of these with any outcome, faded
  // are those outside the brush alone.
  select() {
    const { brush, data, only, up } = this,
      threshold = this.threshold(),
      X = this.across.values,
      Y = up.values;
    const shown = new Uint32Array(data.rows),
      among = new Uint32Array(data.rows),
      faded = new Uint32Array(brush ? data.rows : 0);
    let inside = 0,
      outside = 0,
      count = 0;
    for (let row = 0; row < data.rows; row++) {
      if (!this.test(row)) continue;
      const within = !brush || (X[row] >= brush[0] && X[row] <= brush[2] && Y[row] >= brush[1] && Y[row] <= brush[3]);
      if (within) among[count++] = row;
      if (only >= 0 && outcome(data, up, row, threshold) !== only) continue;
      if (within) shown[inside++] = row;
      else faded[outside++] = row;
    }
    this.shown = shown.slice(0, inside);
    this.faded = faded.slice(0, outside);
    this.among = among.slice(0, count);
    const order = this.ordered();
    this.table.setRows(order);
    if (this.chosen >= 0 && order.length && !order.includes(this.chosen)) this.choose(order[0], false);
    this.draw();
  }

  draw() {
    this.plot.draw();
    this.legend();
    this.count();
  }

  // Colours

  classes() {
    if (this.kept && this.colour !== 'outcome') return this.kept;
    const { data, up } = this,
      [kind, key] = [this.colour.split(' ')[0], this.colour.slice(this.colour.indexOf(' ') + 1)];
    if (kind === 'label')
      this.kept = {
        names: ['not a paraphrase', 'paraphrase', 'no label'],
        colours: ['other', 'paraphrase', 'unlabelled'],
        of: row => [2, 0, 1][data.labels[row] + 1],
      };
    else if (kind === 'outcome') {
      const threshold = this.threshold();
      this.kept = {
        names: ['right', 'wrong', 'neither'],
        colours: ['good', 'bad', 'unlabelled'],
        of: row => [2, 0, 1, 1, 0][threshold === null ? 0 : outcome(data, up, row, threshold) + 1],
      };
    } else if (kind === 'text') {
      const names = [...new Set(data.texts[key])],
        number = new Map(names.map((name, place) => [name, place]));
      this.kept = {
        names: names.map(name => (name == null ? 'none' : name)),
        colours: names.map((_, place) => 'score' + place),
        of: row => number.get(data.texts[key][row]),
      };
    } else if (kind === 'number') this.kept = this.fifths(data.columns.find(each => each.key === key));
    else this.kept = { names: [], colours: ['accent'], of: () => 0 };
    return this.kept;
  }

  fifths(column) {
    const sorted = column.values.filter(value => !Number.isNaN(value)).sort(),
      cuts = [];
    for (let k = 1; k < SCALE; k++) cuts.push(sorted[Math.floor((sorted.length * k) / SCALE)]);
    const names = cuts
      .map(cut => `below ${written(column, cut)}`)
      .concat(`${written(column, cuts[SCALE - 2])} and more`, 'none');
    const of = row => (Number.isNaN(column.values[row]) ? SCALE : cuts.filter(cut => column.values[row] >= cut).length);
    return { names, colours: ['scale0', 'scale1', 'scale2', 'scale3', 'scale4', 'unlabelled'], of };
  }

  legend() {
    const { names, colours, of } = this.classes(),
      counts = new Array(colours.length).fill(0);
    for (const row of this.shown) counts[of(row)]++;
    const parts = names.map((name, place) => {
      if (!counts[place]) return '';
      const swatch = made('span', { class: 'swatch', 'aria-hidden': 'true' }, '■ ');
      swatch.style.color = this.plot.colour(colours[place]);
      return made('span', { dir: 'auto' }, swatch, `${name} (${counts[place].toLocaleString('en')})  `);
    });
    this.at('legend').replaceChildren(...parts);
  }

  // Counts

  count() {
    const { data, up } = this,
      threshold = this.threshold(),
      counts = [0, 0, 0, 0];
    const say = [`${this.shown.length.toLocaleString('en')} of ${data.rows.toLocaleString('en')} pairs`];
    if (threshold !== null) {
      let yes = 0,
        scored = 0;
      for (const row of this.among) {
        const says = verdict(up, row, threshold),
          found = outcome(data, up, row, threshold);
        if (says !== null) {
          scored++;
          yes += says;
        }
        if (found >= 0) counts[found]++;
      }
      const [tp, fp, fn, tn] = counts,
        n = tp + fp + fn + tn,
        share = (part, whole) => (whole ? (part / whole).toFixed(3) : '–');
      say.push(
        `${up.title} ${up.higher ? 'from' : 'up to'} ${written(up, threshold)}: ${yes.toLocaleString('en')} of ${scored.toLocaleString('en')} are called paraphrases`,
      );
      if (n)
        say.push(
          `accuracy ${share(tp + tn, n)}, precision ${share(tp, tp + fp)}, recall ${share(tp, tp + fn)}, F1 ${share(2 * tp, 2 * tp + fp + fn)} (n = ${n.toLocaleString('en')})`,
        );
    }
    this.at('counts').textContent = say.join(' · ');
    this.outcomes(threshold !== null && data.labels ? counts : []);
  }

  outcomes(counts) {
    const place = this.at('outcomes');
    if (place.childElementCount !== counts.length) {
      place.replaceChildren(
        ...counts.map((_, number) => {
          const button = made('button', { type: 'button' });
          button.addEventListener('click', () => {
            this.only = this.only === number ? -1 : number;
            this.select();
          });
          return button;
        }),
      );
    }
    counts.forEach((count, number) => {
      place.children[number].textContent = `${OUTCOMES[number]}: ${count.toLocaleString('en')}`;
      place.children[number].setAttribute('aria-pressed', String(this.only === number));
    });
  }

  // Table

  setColumns() {
    const { data, up, across } = this;
    const number = column => ({
      title: column.title,
      width: data.sentences ? '5.4rem' : 'minmax(5.4rem, 1fr)',
      number: true,
      cell: row => written(column, column.values[row]),
      by: row => column.values[row],
    });
    const text = (title, width, of) => ({ title, width, cell: of, by: of });
    const scores = data.sentences ? [...new Set([up, across])] : data.columns;
    const label = text('Label', '6rem', row => ['', 'not a paraphrase', 'paraphrase'][data.labels[row] + 1]);
    const both = { ...text('Source over hypothesis', 'minmax(12rem, 1fr)', data.source), cell: row => lines(data, row) };
    this.columns = [
      ...(data.sentences ? [both] : []),
      ...scores.map(number),
      ...(data.labels ? [label] : []),
      text('Id', 'minmax(3rem, 6rem)', row => data.id[row]),
    ];
    if (this.sorted && !this.columns.some(each => each.title === this.sorted[0])) this.sorted = null;
    this.table.setColumns(this.columns, this.sorted);
  }

  sort(column) {
    const down = this.sorted && this.sorted[0] === column.title ? !this.sorted[1] : Boolean(column.number);
    this.sorted = [column.title, down];
    this.setColumns();
    this.table.setRows(this.ordered());
  }

  ordered() {
    const column = this.sorted && this.columns.find(each => each.title === this.sorted[0]);
    if (!column) return this.shown;
    const sign = this.sorted[1] ? -1 : 1,
      value = Array.from(this.shown, column.by),
      places = Array.from(value.keys());
    const missing = at => column.number && Number.isNaN(value[at]);
    places.sort(
      (a, b) => missing(a) - missing(b) || sign * (value[a] < value[b] ? -1 : value[a] > value[b] ? 1 : 0) || a - b,
    );
    return Uint32Array.from(places, at => this.shown[at]);
  }

  // The chosen pair

  // named: whether the page's address names the pair.
  choose(row, named = true) {
    this.chosen = row;
    this.table.choose(row);
    this.plot.drawOver();
    this.showPair();
    if (!named) return;
    const hash = '#' + encodeURIComponent(this.data.id[row]);
    if (location.hash !== hash) history.replaceState(null, '', hash);
  }

  showPair() {
    showPair(this.at('pair'), this.data, this.chosen, this.thresholds, this.talk && this.talk.show());
  }

  follow() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch (error) {
      /* a link that somebody typed */
    }
    const row = this.data.places.get(id);
    if (row !== undefined && row !== this.chosen) this.choose(row);
    if (id && row === undefined) this.at('trouble').textContent = `There is no pair “${id}” in this page.`;
  }

  // CSV

  save() {
    const { data } = this,
      { texts } = data.about;
    const number = value =>
      Number.isNaN(value)
        ? ''
        : Number.isFinite(value)
          ? String(Number(value.toPrecision(7)))
          : value > 0
            ? 'inf'
            : '-inf';
    const columns = [
      ['id', row => cell(data.id[row])],
      ...(data.sentences
        ? [
            ['source', row => cell(data.source(row))],
            ['hypothesis', row => cell(data.hypothesis(row))],
          ]
        : []),
      ...(data.labels ? [['label', row => (data.labels[row] < 0 ? '' : String(data.labels[row]))]] : []),
      ...texts.map(each => [cell(each.key), row => cell(data.texts[each.key][row])]),
      ...data.columns.map(each => [cell(each.key), row => number(each.values[row])]),
    ];
    const lines = [
      columns.map(([name]) => name),
      ...Array.from(this.table.order, row => columns.map(([, of]) => of(row))),
    ];
    const url = URL.createObjectURL(
      new Blob([lines.map(line => line.join(',') + '\r\n').join('')], { type: 'text/csv' }),
    );
    made('a', { href: url, download: 'pairs.csv' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }
}

(async () => {
  const data = await load(),
    work = document.getElementById('work');
  work.hidden = false;
  document.getElementById('old').hidden = true;
  window.page = new Page(data);
})().catch(error => {
  document.getElementById('old').append(' ', error.message);
});
