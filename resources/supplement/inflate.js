// Unpacks gzip (RFC 1952, RFC 1951). The browser does it where it can, which came to the last of them in March 2023;
// for older ones there is a slower way in plain script.

async function unpacked(bytes) {
  if (typeof DecompressionStream === 'undefined') return inflate(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// How long a copy is and how far back it begins: what each code stands for, and the bits that say the rest.
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// How many codes have each length, and what they stand for, in the order of the codes.
function codes(lengths) {
  const count = new Uint16Array(16),
    first = new Uint16Array(16),
    values = new Uint16Array(lengths.length);
  for (const length of lengths) if (length) count[length]++;
  for (let length = 1; length < 15; length++) first[length + 1] = first[length] + count[length];
  lengths.forEach((length, value) => {
    if (length) values[first[length]++] = value;
  });
  return { count, values };
}

function inflate(packed) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const out = new Uint8Array(view.getUint32(packed.length - 4, true));
  let at = 10,
    held = 0,
    bits = 0,
    end = 0; // Python writes ten bytes of head, without a name

  function take(count) {
    while (bits < count) {
      held |= packed[at++] << bits;
      bits += 8;
    }
    const value = held & ((1 << count) - 1);
    held >>>= count;
    bits -= count;
    return value;
  }

  function symbol(tree) {
    let code = 0,
      first = 0,
      index = 0;
    for (let length = 1; length < 16; length++) {
      code |= take(1);
      const count = tree.count[length];
      if (code - first < count) return tree.values[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error('The data in this page are damaged.');
  }

  function trees() {
    const literals = take(5) + 257,
      distances = take(5) + 1,
      used = take(4) + 4,
      short = new Array(19).fill(0);
    for (let i = 0; i < used; i++) short[ORDER[i]] = take(3);
    const tree = codes(short),
      lengths = [];
    while (lengths.length < literals + distances) {
      const value = symbol(tree);
      if (value < 16) {
        lengths.push(value);
        continue;
      }
      const repeated = value === 16 ? lengths[lengths.length - 1] : 0;
      const times = value === 16 ? 3 + take(2) : value === 17 ? 3 + take(3) : 11 + take(7);
      for (let i = 0; i < times; i++) lengths.push(repeated);
    }
    return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
  }

  function fixed() {
    const lengths = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
    return [codes(lengths), codes(new Array(30).fill(5))];
  }

  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      held = bits = 0;
      const length = packed[at] | (packed[at + 1] << 8);
      out.set(packed.subarray(at + 4, at + 4 + length), end);
      at += 4 + length;
      end += length;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixed() : trees();
    for (let value = symbol(literals); value !== 256; value = symbol(literals)) {
      if (value < 256) {
        out[end++] = value;
        continue;
      }
      const length = LENGTHS[value - 257] + take(LENGTH_BITS[value - 257]),
        code = symbol(distances);
      const back = DISTANCES[code] + take(DISTANCE_BITS[code]);
      for (let i = 0; i < length; i++, end++) out[end] = out[end - back];
    }
  }
  return out;
}
