// What is typed into the filter: words, "phrases" and -words in either sentence, and comparisons such as bleu<0.3 or
// "Edit distance"<0.2.

const COMPARISON = /^(.+?)(<=|>=|!=|==|=|<|>)(.*)$/,
  QUOTED = /^"([^"]*)"(<=|>=|!=|==|=|<|>)(.*)$/;
const COMPARE = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a === a && a !== b,
};

// Returns a function that tells of a row whether it satisfies the text; throws an Error with a sentence.
function understand(text, data) {
  // Signs between a name and a number may have spaces around them; in quotes everything is as it is.
  const joined = text.replace(/"[^"]*"?|\s*(<=|>=|!=|==|=|<|>)\s*/g, (all, sign) => sign || all);
  const tests = [];
  for (const [token] of joined.matchAll(/"[^"]*"[<>=!]+(?:"[^"]*"?|\S*)|-?"[^"]*"?|[^\s"]+"[^"]*"?|\S+/g)) {
    const found = QUOTED.exec(token) || (/^-?"/.test(token) ? null : COMPARISON.exec(token));
    if (found) tests.push(comparison(found[1], found[2], found[3].replace(/^"|"$/g, ''), data));
    else if (!/^(and|&|&&)$/i.test(token)) tests.push(words(token, data));
  }
  return row => tests.every(test => test(row));
}

function words(token, data) {
  const without = token.length > 1 && token.startsWith('-');
  const wanted = (without ? token.slice(1) : token).replace(/^"|"$/g, '').toLowerCase();
  if (!data.sentences) return row => data.id[row].toLowerCase().includes(wanted) !== without;
  const small = data.small || (data.small = data.sentences.map(text => text.toLowerCase()));
  return row => (small[2 * row].includes(wanted) || small[2 * row + 1].includes(wanted)) !== without;
}

function comparison(name, sign, value, data) {
  const wanted = name.toLowerCase(),
    compare = COMPARE[sign];
  const called = each => each.key.toLowerCase() === wanted || each.title.toLowerCase() === wanted;
  const column = data.columns.find(called),
    text = (data.about.texts || []).find(called);
  const number = value === '' ? NaN : Number(value.replace('−', '-'));
  if (wanted === 'id') return row => compare(data.id[row], value);
  if (text) return row => data.texts[text.key][row] != null && compare(data.texts[text.key][row], value);
  if (!column && !(wanted === 'label' && data.labels)) {
    const names = data.columns.map(each => (/\s/.test(each.title) ? `"${each.title}"` : each.title)).join(', ');
    throw new Error(`There is no score “${name}”. There are ${names}.`);
  }
  if (Number.isNaN(number)) throw new Error(`“${value}” is not a number. Write ${name}${sign}0.5.`);
  if (!column) return row => data.labels[row] >= 0 && compare(data.labels[row], number);
  return row => compare(column.values[row], Math.fround(number));
}
