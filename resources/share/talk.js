// A talk: chosen pairs in an order, each shown in steps. PageDown and PageUp, as presenter's remotes send them, go on
// and back; meanwhile scatter and table are away.

const STEP_WORDS = {
  sentences: 'the sentences',
  guess: 'what do you say?',
  judge: 'the judge',
  baselines: 'the other scores',
  words: 'which words decided',
};

class Talk {
  // steps: { row, pair, show } each; show: what is seen of the pair by then, the last of it newly.
  constructor(page, { title, pairs }) {
    this.page = page;
    this.title = title;
    this.count = pairs.length;
    this.steps = pairs.flatMap(({ row, steps }, pair) =>
      steps.map((_, last) => ({
        row,
        pair,
        show: new Set(['sentences', ...steps.slice(0, last + 1)]),
        step: steps[last],
      })),
    );
    this.at = -1;
    page.at('talk').hidden = false;
    page.at('next').addEventListener('click', () => this.go(1));
    page.at('back').addEventListener('click', () => this.go(-1));
    page.at('end').addEventListener('click', () => this.end());
    this.say();
  }

  key(event) {
    if (event.key === 'PageDown') this.go(1);
    else if (event.key === 'PageUp') this.go(-1);
    else if (event.key === 'Escape' && this.at >= 0) this.end();
    else return false;
    return true;
  }

  go(by) {
    this.at = Math.min(this.steps.length - 1, Math.max(0, this.at + by));
    document.body.classList.add('talking');
    this.page.choose(this.steps[this.at].row);
    this.say();
  }

  end() {
    this.at = -1;
    document.body.classList.remove('talking');
    this.page.draw();
    this.page.showPair();
    this.say();
  }

  // What may be seen of the pair now; null where no talk is given.
  show() {
    return this.at < 0 ? null : this.steps[this.at].show;
  }

  say() {
    const now = this.steps[this.at],
      { at } = this.page;
    const where = now ? `pair ${now.pair + 1} of ${this.count}: ${STEP_WORDS[now.step]}` : `${this.count} pairs`;
    at('step').textContent = [this.title || 'Talk', where].join(' · ');
    at('next').textContent = now ? 'Next' : 'Begin';
    at('back').hidden = at('end').hidden = !now;
  }
}
