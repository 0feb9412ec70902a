// The scatter: two canvases, one with the points, one above it with what moves: threshold, brush, chosen pair.

const MARGIN = { left: 58, right: 12, top: 10, bottom: 40 },
  NEAR = 6,
  MANY = 5000;

function ticks(low, high, most) {
  const rough = (high - low) / most,
    power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map(times => times * power).find(each => each >= rough * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) found.push(at);
  return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function ends(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.03;
  return [low - room, high + room];
}

class Plot {
  // state: across, up, threshold(), brush, shown, faded, chosen, classes(). acts: drag(value, done), brush(box), pick(row).
  constructor(points, over, state, acts) {
    Object.assign(this, { points, over, state, acts, drag: null });
    over.addEventListener('pointerdown', event => this.begin(event));
    over.addEventListener('pointermove', event => this.move(event));
    over.addEventListener('pointerup', event => this.end(event));
    over.addEventListener('pointercancel', () => {
      this.drag = null;
      this.drawOver();
    });
  }

  measure() {
    const { across, up } = this.state;
    [this.x0, this.x1] = ends(across.values);
    [this.y0, this.y1] = ends(up.values);
  }

  x(value) {
    return MARGIN.left + ((value - this.x0) / (this.x1 - this.x0)) * (this.width - MARGIN.left - MARGIN.right);
  }
  y(value) {
    return (
      this.height -
      MARGIN.bottom -
      ((value - this.y0) / (this.y1 - this.y0)) * (this.height - MARGIN.top - MARGIN.bottom)
    );
  }
  value(x, y) {
    return [
      this.x0 + ((x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right)) * (this.x1 - this.x0),
      this.y0 + ((this.height - MARGIN.bottom - y) / (this.height - MARGIN.top - MARGIN.bottom)) * (this.y1 - this.y0),
    ];
  }

  pen(canvas) {
    const sharp = window.devicePixelRatio || 1,
      wide = Math.round(this.width * sharp),
      high = Math.round(this.height * sharp);
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    const pen = canvas.getContext('2d');
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = '12px system-ui, sans-serif';
    return pen;
  }

  draw() {
    this.width = this.points.clientWidth;
    this.height = this.points.clientHeight;
    const style = getComputedStyle(document.documentElement);
    const colours = new Map(),
      read = name => style.getPropertyValue('--' + name).trim();
    this.colour = name => colours.get(name) || colours.set(name, read(name)).get(name);
    const pen = this.pen(this.points),
      { across, up, shown, faded } = this.state;
    this.axes(pen);
    const classes = this.state.classes();
    if (shown.length + faded.length > MANY) this.dots(pen, classes);
    else {
      pen.globalAlpha = 0.25;
      pen.fillStyle = this.colour('unlabelled');
      for (const row of faded) this.dot(pen, row, false);
      pen.globalAlpha = 0.7;
      const { labels } = this.state.data;
      classes.colours.forEach((colour, number) => {
        pen.fillStyle = this.colour(colour);
        for (const row of shown) if (classes.of(row) === number) this.dot(pen, row, labels && labels[row] === 1);
      });
      pen.globalAlpha = 1;
    }
    this.drawOver();
  }

  dot(pen, row, round) {
    const x = this.x(this.state.across.values[row]),
      y = this.y(this.state.up.values[row]),
      size = 2.6;
    if (!(Number.isFinite(x) && Number.isFinite(y))) return;
    if (!round) {
      pen.fillRect(x - size, y - size, 2 * size, 2 * size);
      return;
    }
    pen.beginPath();
    pen.arc(x, y, size * 1.15, 0, 7);
    pen.fill();
  }

  // Many points are put into a picture by hand, which takes a tenth of the time.
  dots(pen, classes) {
    const { points } = this,
      { shown, faded, across, up } = this.state,
      sharp = points.width / this.width;
    const picture = new ImageData(points.width, points.height),
      pixels = picture.data;
    const size = shown.length > 20000 ? 2 : 3,
      wide = points.width,
      X = across.values,
      Y = up.values;
    const put = (row, [red, green, blue], strong) => {
      const x = Math.round(this.x(X[row]) * sharp) - 1,
        y = Math.round(this.y(Y[row]) * sharp) - 1;
      if (!(x >= 0 && y >= 0 && x + size < wide && y + size < points.height)) return;
      for (let at = 0; at < size * size; at++) {
        const k = ((y + ((at / size) | 0)) * wide + x + (at % size)) * 4,
          before = pixels[k + 3] * (1 - strong),
          alpha = 255 * strong + before;
        pixels[k] += ((red - pixels[k]) * 255 * strong) / alpha;
        pixels[k + 1] += ((green - pixels[k + 1]) * 255 * strong) / alpha;
        pixels[k + 2] += ((blue - pixels[k + 2]) * 255 * strong) / alpha;
        pixels[k + 3] = alpha;
      }
    };
    const rgb = name => [1, 3, 5].map(at => parseInt(this.colour(name).slice(at, at + 2), 16));
    const grey = rgb('unlabelled'),
      colours = classes.colours.map(rgb);
    for (const row of faded) put(row, grey, 0.15);
    for (const row of shown) put(row, colours[classes.of(row)], shown.length > 20000 ? 0.35 : 0.6);
    const layer = document.createElement('canvas');
    Object.assign(layer, { width: points.width, height: points.height }).getContext('2d').putImageData(picture, 0, 0);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(layer, 0, 0);
  }

  axes(pen) {
    const bottom = this.height - MARGIN.bottom,
      right = this.width - MARGIN.right;
    pen.strokeStyle = this.colour('grid');
    pen.fillStyle = this.colour('axis');
    pen.lineWidth = 1;
    pen.textAlign = 'center';
    const across = ticks(this.x0, this.x1, Math.max(2, this.width / 90)),
      up = ticks(this.y0, this.y1, Math.max(2, this.height / 60));
    pen.beginPath();
    for (const at of across.found) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.moveTo(x, MARGIN.top);
      pen.lineTo(x, bottom);
      pen.fillText(at.toFixed(across.digits).replace('-', '−'), x, bottom + 14);
    }
    pen.textAlign = 'right';
    for (const at of up.found) {
      const y = Math.round(this.y(at)) + 0.5;
      pen.moveTo(MARGIN.left, y);
      pen.lineTo(right, y);
      pen.fillText(at.toFixed(up.digits).replace('-', '−'), MARGIN.left - 6, y + 4);
    }
    pen.stroke();
    pen.textAlign = 'center';
    pen.fillText(this.state.across.title, (MARGIN.left + right) / 2, this.height - 8, right - MARGIN.left);
    pen.save();
    pen.translate(13, (MARGIN.top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(this.state.up.title, 0, 0, bottom - MARGIN.top);
    pen.restore();
  }

  drawOver() {
    const pen = this.pen(this.over),
      { across, up, chosen, brush } = this.state,
      threshold = this.state.threshold();
    const right = this.width - MARGIN.right;
    if (threshold !== null) {
      const y = Math.min(this.height - MARGIN.bottom, Math.max(MARGIN.top, this.y(threshold)));
      pen.strokeStyle = this.colour('threshold');
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left, y);
      pen.lineTo(right, y);
      pen.stroke();
    }
    const box =
      this.drag && this.drag.kind === 'brush'
        ? this.drag.box
        : brush && [this.x(brush[0]), this.y(brush[3]), this.x(brush[2]), this.y(brush[1])];
    if (box) {
      pen.strokeStyle = this.colour('accent');
      pen.lineWidth = 1;
      pen.setLineDash([4, 3]);
      pen.strokeRect(
        Math.min(box[0], box[2]),
        Math.min(box[1], box[3]),
        Math.abs(box[2] - box[0]),
        Math.abs(box[3] - box[1]),
      );
      pen.setLineDash([]);
    }
    if (chosen >= 0) {
      const x = this.x(across.values[chosen]),
        y = this.y(up.values[chosen]);
      pen.strokeStyle = this.colour('text');
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y, 8, 0, 7);
      pen.stroke();
    }
  }

  // Pointers

  place(event) {
    const frame = this.over.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  onLine(y) {
    const threshold = this.state.threshold();
    return (
      threshold !== null &&
      Math.abs(Math.min(this.height - MARGIN.bottom, Math.max(MARGIN.top, this.y(threshold))) - y) <= NEAR
    );
  }

  begin(event) {
    if (event.button) return;
    const [x, y] = this.place(event);
    this.over.setPointerCapture(event.pointerId);
    this.drag = this.onLine(y) ? { kind: 'line' } : { kind: 'brush', box: [x, y, x, y] };
    event.preventDefault();
  }

  move(event) {
    const [x, y] = this.place(event);
    if (!this.drag) this.over.classList.toggle('line', this.onLine(y));
    else if (this.drag.kind === 'line') this.acts.drag(this.value(x, y)[1], false);
    else {
      this.drag.box[2] = x;
      this.drag.box[3] = y;
      this.drawOver();
    }
  }

  end(event) {
    const drag = this.drag,
      [x, y] = this.place(event);
    this.drag = null;
    if (!drag) return;
    if (drag.kind === 'line') {
      this.acts.drag(this.value(x, y)[1], true);
      return;
    }
    const [left, top] = drag.box;
    if (Math.abs(x - left) + Math.abs(y - top) < NEAR) {
      this.acts.pick(this.nearest(x, y));
      return;
    }
    const one = this.value(Math.min(left, x), Math.max(top, y)),
      two = this.value(Math.max(left, x), Math.min(top, y));
    this.acts.brush([one[0], one[1], two[0], two[1]]);
  }

  nearest(x, y) {
    let best = -1,
      least = 15 * 15;
    for (const row of this.state.shown) {
      const far = (this.x(this.state.across.values[row]) - x) ** 2 + (this.y(this.state.up.values[row]) - y) ** 2;
      if (far < least) {
        least = far;
        best = row;
      }
    }
    return best;
  }
}
