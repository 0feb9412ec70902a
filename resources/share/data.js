// The pairs and their scores, as they are packed in this page.

async function part(name) {
  const element = document.getElementById('part-' + name);
  if (!element) return null;
  const text = atob(element.textContent),
    bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  if (typeof DecompressionStream === 'undefined') throw new Error('This browser cannot unpack the pairs.');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function json(name) {
  const bytes = await part(name);
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}

// Texts of numbered words: bytes of seven bits, the highest first, all but a number's last with 128 added; 0 ends a text.
function joined(words, bytes) {
  if (!words) return null;
  const texts = [];
  let text = [],
    number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte > 127) continue;
    if (number) text.push(words[number - 1]);
    else {
      texts.push(text.join(''));
      text = [];
    }
    number = 0;
  }
  return texts;
}

// about: what Python says of the pairs. columns: of numbers (key, title, decimals, signed; scores also higher and
// threshold). texts: columns of texts by their keys. labels: 1, 0 or -1.
async function load() {
  const about = JSON.parse(document.getElementById('about').textContent),
    rows = about.rows;
  const numbers = await part('numbers'),
    labels = await part('labels');
  const data = {
    about,
    rows,
    id: await json('id'),
    sentences: joined(await json('words'), await part('sentences')),
    texts: (await json('texts')) || {},
    edits: (await json('edits')) || {},
    labels: labels && new Int8Array(labels.buffer),
    columns: about.columns,
  };
  const values = about.wide ? new Float64Array(numbers.buffer) : new Float32Array(numbers.buffer);
  data.columns.forEach((column, place) => {
    column.values = values.subarray(place * rows, (place + 1) * rows);
  });
  data.scores = data.columns.filter(column => column.score);
  data.places = new Map(data.id.map((id, row) => [id, row]));
  data.source = row => data.sentences[2 * row];
  data.hypothesis = row => data.sentences[2 * row + 1];
  return data;
}

function written(column, value) {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const text = value.toFixed(column.decimals).replace('-', '−');
  return column.signed && value > 0 ? '+' + text : text;
}

// What a score says at a threshold: true, false, or null where there is no score or no threshold. Both are compared as they are kept.
function verdict(column, row, threshold) {
  const value = column.values[row];
  if (Number.isNaN(value) || threshold === null) return null;
  const limit = column.values instanceof Float32Array ? Math.fround(threshold) : threshold;
  return column.higher ? value >= limit : value <= limit;
}

const OUTCOMES = ['true positives', 'false positives', 'false negatives', 'true negatives'];

// The place in OUTCOMES of a pair with a label and a score, otherwise -1.
function outcome(data, column, row, threshold) {
  const label = data.labels ? data.labels[row] : -1,
    says = label < 0 ? null : verdict(column, row, threshold);
  if (says === null) return -1;
  return says ? (label ? 0 : 1) : label ? 2 : 3;
}
