// Cells of CSV, by the rules of parapluie_gui/pairs/formulas.py: what a spreadsheet would run as a formula gets an
// apostrophe, at its beginning and behind a semicolon, a tab or a line break; what holds one of these is quoted.

const SIGN = '[=+\\-@＝＋－＠]',
  NUMBER = /^[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/,
  FORMULA = new RegExp(`^(?:${SIGN}|[\t\r\n])`),
  MARKED = new RegExp(`^'+(?:${SIGN}|[\t\r\n])[^]`),
  INNER = new RegExp(`(?<=[;\t\r\n])'*${SIGN}[^;\t\r\n]+`, 'g');

function unrunnable(text) {
  const runs = [...text].length > 1 && FORMULA.test(text) && !NUMBER.test(text);
  const inside = text.replace(INNER, part => (NUMBER.test(part) ? part : "'" + part));
  return (runs || MARKED.test(text) ? "'" : '') + inside;
}

function cell(value) {
  if (value == null) return '';
  const text = unrunnable(String(value));
  return /[,;\t"\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
