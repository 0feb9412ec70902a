// The chosen pair: both sentences with what differs, its scores, what decided them, what people said of it.

const LONGEST = 4e6;

function tokens(text) {
  if (typeof Intl !== 'undefined' && Intl.Segmenter) {
    return Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text), each => each.segment);
  }
  return text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) || [];
}

// Returns for each token of either sentence whether it is the same in both, by the longest common sequence of words.
function difference(source, hypothesis) {
  const key = text => text.toLowerCase(),
    word = each => /\S/.test(each.text);
  const left = source.map((text, at) => ({ text, at })).filter(word),
    right = hypothesis.map((text, at) => ({ text, at })).filter(word);
  const wide = right.length + 1,
    same = [new Set(), new Set()];
  if (left.length * wide > LONGEST) return null;
  const longest = new Uint16Array((left.length + 1) * wide);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * wide + j] =
        key(left[i].text) === key(right[j].text)
          ? longest[(i + 1) * wide + j + 1] + 1
          : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (key(left[i].text) === key(right[j].text)) {
      if (left[i].text === right[j].text) {
        same[0].add(left[i].at);
        same[1].add(right[j].at);
      }
      i++;
      j++;
    } else if (longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]) i++;
    else j++;
  }
  return same;
}

// Returns texts and <mark> elements; a space between two marked words is marked with them.
function marked(texts, same) {
  const differs = at =>
    /\S/.test(texts[at])
      ? !same.has(at)
      : at > 0 &&
        at + 1 < texts.length &&
        !same.has(at - 1) &&
        !same.has(at + 1) &&
        /\S/.test(texts[at - 1]) &&
        /\S/.test(texts[at + 1]);
  const found = [];
  for (let at = 0; at < texts.length;) {
    const marks = differs(at);
    let text = '';
    while (at < texts.length && differs(at) === marks) text += texts[at++];
    found.push(marks ? made('mark', {}, text) : text);
  }
  return found;
}

function sentences(data, row, differences) {
  const source = tokens(data.source(row)),
    hypothesis = tokens(data.hypothesis(row)),
    same = differences && difference(source, hypothesis);
  return [
    ['Source', source, 0],
    ['Hypothesis', hypothesis, 1],
  ].map(([title, texts, side]) =>
    made(
      'div',
      {},
      made('h3', {}, title),
      made('p', { class: 'sentence', dir: 'auto' }, ...(same ? marked(texts, same[side]) : [texts.join('')])),
    ),
  );
}

// Both sentences in a line each, as a row of the table shows them.
function lines(data, row) {
  const texts = [tokens(data.source(row)), tokens(data.hypothesis(row))],
    same = difference(...texts);
  const line = (words, side) =>
    made('div', { class: 'line', dir: 'auto' }, ...(same ? marked(words, same[side]) : [words.join('')]));
  return made('div', {}, ...texts.map(line));
}

function grid(header, rows) {
  return made(
    'div',
    { class: 'wide' },
    made(
      'table',
      {},
      made(
        'thead',
        {},
        made(
          'tr',
          {},
          ...header.map((title, place) => made('th', { scope: 'col', class: place === 1 ? 'right' : '' }, title)),
        ),
      ),
      made(
        'tbody',
        {},
        ...rows.map(cells =>
          made(
            'tr',
            {},
            ...cells.map((cell, place) => made('td', { class: place === 1 ? 'right' : '', dir: 'auto' }, cell)),
          ),
        ),
      ),
    ),
  );
}

function scoreRows(data, row, thresholds, show) {
  const columns = data.columns.filter(column => !show || show.has(column.judge ? 'judge' : 'baselines'));
  return columns.map(column => {
    const threshold = column.score ? thresholds.get(column.key) : null,
      says = threshold === null ? null : verdict(column, row, threshold);
    const words =
      says === null ? '' : made('span', { class: says ? 'yes' : 'no' }, says ? 'paraphrase' : 'not a paraphrase');
    const whence = threshold === column.threshold ? column.whence : '';
    const from = threshold === null ? '' : `${column.higher ? 'from' : 'up to'} ${written(column, threshold)}${whence}`;
    return [column.title, written(column, column.values[row]), words, from];
  });
}

// What each edit did to a score: [source from, to, hypothesis from, to, value, kind], offsets in the sentences.
function decided(data, row) {
  const found = [];
  for (const column of data.scores) {
    const edits = (data.edits[column.key] || {})[row];
    if (!edits) continue;
    const rows = edits.map(([a, b, c, d, value, kind]) => {
      const here = data.source(row).slice(a, b),
        there = data.hypothesis(row).slice(c, d);
      const both = here === there ? `⇄ ${here}` : `${here} → ${there}`;
      const words = here && there ? both : here ? `− ${here}` : there ? `+ ${there}` : '␣';
      const towards = value > 0 === column.higher ? 'yes' : 'no';
      return [
        made('span', { class: towards }, words),
        (value > 0 ? '+' : '') + value.toFixed(Math.abs(value) < 0.995 ? 3 : 2).replace('-', '−'),
        data.about.kinds[kind],
      ];
    });
    found.push(
      made('h3', {}, `Which words decided ${column.title}`),
      grid(['words', 'what they did', 'kind of change'], rows),
    );
  }
  if (found.length) found.push(made('p', { class: 'note' }, 'Blue pulls towards “paraphrase”, orange away from it.'));
  return found;
}

// show: what of it may be seen in a talk; null for all of it.
function showPair(place, data, row, thresholds, show) {
  if (row < 0) {
    place.replaceChildren();
    return;
  }
  const id = data.id[row],
    label = data.labels ? data.labels[row] : -1;
  const link = made('a', { href: '#' + encodeURIComponent(id), dir: 'auto' }, id);
  const said = [],
    told = !show || show.has('judge');
  if (label >= 0 && told) said.push(['Label', label ? 'paraphrase' : 'not a paraphrase']);
  for (const text of told ? data.about.texts : [])
    if (data.texts[text.key][row] != null) said.push([text.title, data.texts[text.key][row]]);
  const texts = data.sentences
    ? sentences(data, row, !show || show.has('words'))
    : [made('p', { class: 'note' }, 'The sentences are not in this page.')];
  const more = said.map(([title, text]) =>
    made('div', {}, made('b', {}, `${title}: `), made('span', { dir: 'auto' }, text)),
  );
  if (show && show.has('guess') && !told) more.push(made('p', { class: 'guess' }, 'Do both mean the same?'));
  const rows = scoreRows(data, row, thresholds, show);
  place.replaceChildren(
    made('h2', {}, 'Pair ', link),
    made('div', {}, ...texts, ...more, ...(!show || show.has('words') ? decided(data, row) : [])),
    made('div', {}, ...(rows.length ? [grid(['score', 'value', 'says', 'paraphrases'], rows)] : [])),
  );
}
