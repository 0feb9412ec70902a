// The table of the pairs shown: only the rows in sight are there, however many there are.

const ROW = 45,
  MOST_PIXELS = 8e6,
  MOST_PRINTED = 200;

function made(name, attributes, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside); // texts, never HTML
  return element;
}

class Table {
  // columns: { title, width, number, cell(row), by(row) } each; acts: pick(row), sort(column).
  constructor(frame, head, rows, acts) {
    Object.assign(this, {
      frame,
      head,
      rows,
      acts,
      columns: [],
      order: new Uint32Array(0),
      chosen: -1,
      printing: false,
    });
    frame.addEventListener('scroll', () => this.draw());
    rows.addEventListener('click', event => {
      const row = event.target.closest('[role="row"]');
      if (row) acts.pick(Number(row.dataset.row));
    });
  }

  // sorted: [column, whether downwards], or null for the order of the corpus.
  setColumns(columns, sorted) {
    this.columns = columns;
    this.frame.style.setProperty('--columns', columns.map(each => each.width).join(' '));
    this.frame.style.setProperty('--least', (columns.length - 2) * 5 + 14 + 'rem');
    this.frame.setAttribute('aria-colcount', columns.length);
    this.head.replaceChildren(
      made(
        'div',
        { role: 'row', 'aria-rowindex': 1 },
        ...columns.map(column => {
          const way = sorted && sorted[0] === column.title ? (sorted[1] ? 'descending' : 'ascending') : 'none';
          const button = made(
            'button',
            { type: 'button', title: `Sort by ${column.title}` },
            column.title + { none: '', ascending: ' ▲', descending: ' ▼' }[way],
          );
          button.addEventListener('click', () => this.acts.sort(column));
          return made('div', { role: 'columnheader', 'aria-sort': way, class: column.number ? 'number' : '' }, button);
        }),
      ),
    );
    this.draw();
  }

  setRows(order) {
    this.order = order;
    this.frame.setAttribute('aria-rowcount', order.length + 1);
    this.rows.style.height = Math.min(order.length * ROW, MOST_PIXELS) + 'px';
    this.draw();
  }

  // Further down than browsers can scroll, a pixel of the scroll bar is more than one of the rows.
  scale() {
    const whole = this.order.length * ROW,
      room = this.frame.clientHeight - this.head.offsetHeight;
    return whole <= MOST_PIXELS ? 1 : (whole - room) / (MOST_PIXELS - room);
  }

  draw() {
    const top = this.frame.scrollTop,
      scale = this.scale(),
      offset = top * scale - top;
    const first = this.printing ? 0 : Math.max(0, Math.floor((top * scale) / ROW) - 4);
    const last = this.printing
      ? Math.min(this.order.length, MOST_PRINTED)
      : Math.min(this.order.length, first + Math.ceil(this.frame.clientHeight / ROW) + 8);
    const found = [];
    for (let at = first; at < last; at++) {
      const row = this.order[at];
      const element = made(
        'div',
        { role: 'row', 'aria-rowindex': at + 2, 'data-row': row },
        ...this.columns.map(column =>
          made('div', { role: 'cell', class: column.number ? 'number' : '', dir: 'auto' }, column.cell(row)),
        ),
      );
      if (row === this.chosen) element.setAttribute('aria-current', 'true');
      element.style.top = at * ROW - offset + 'px';
      found.push(element);
    }
    if (this.printing && last < this.order.length)
      found.push(made('p', {}, `The first ${last} of ${this.order.length} pairs are printed.`));
    this.rows.replaceChildren(...found);
  }

  choose(row) {
    this.chosen = row;
    const at = this.order.indexOf(row),
      scale = this.scale();
    if (at >= 0) {
      const from = this.frame.scrollTop * scale,
        room = this.frame.clientHeight - this.head.offsetHeight - ROW;
      if (at * ROW < from) this.frame.scrollTop = (at * ROW) / scale;
      else if (at * ROW > from + room) this.frame.scrollTop = (at * ROW - room) / scale;
    }
    this.draw();
  }

  print(on) {
    this.printing = on;
    this.draw();
  }
}
