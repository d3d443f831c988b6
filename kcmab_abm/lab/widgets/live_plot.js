// A small chart of lines, steps, points and bars, cheap enough to be redrawn at every tick.
import { live } from "kcmab-live";

const numbers = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 6 });
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 8, 38];

function niceStep(span, most) {
  const rough = span / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
}

function ticks(low, high, most, whole) {
  const step = whole ? Math.max(1, niceStep(high - low, most)) : niceStep(high - low, most);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(at);
  return found;
}

export default {
  mixins: [live],
  template: `
  <figure class="lab-plot" role="img" :aria-label="told">
    <figcaption v-if="state" aria-hidden="true">
      <span v-for="s in named" :key="s.name"><svg width="30" height="10">
        <rect v-if="s.kind === 'bar'" x="8" width="14" height="10" :class="s.ink" :fill="fill(s)"/>
        <path v-else-if="s.kind === 'point'" d="M15 0l5 5l-5 5l-5 -5z" :class="['full', s.ink]"/>
        <path v-else d="M0 5h30" :class="['line', s.ink]" :stroke-dasharray="s.dashes" :stroke-width="s.width || 2.5"/>
      </svg> {{ s.name }}</span>
    </figcaption>
    <svg class="lab-plot-area" ref="area" :viewBox="'0 0 ' + wide + ' ' + high" :style="{height: high + 'px'}" aria-hidden="true">
      <defs><pattern :id="'hatch' + part" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" class="side-1"/><rect width="2" height="6" class="paper"/></pattern></defs>
      <g v-if="state">
        <path class="grid" :d="grid"/>
        <path class="axis" :d="'M${LEFT} ${TOP}V' + (high - ${BOTTOM}) + 'H' + (wide - ${RIGHT})"/>
        <text v-for="t in across" :x="x(t)" :y="high - ${BOTTOM} + 15" text-anchor="middle">{{ word(t, state.labels) }}</text>
        <text v-for="t in up" :x="${LEFT} - 5" :y="y(t) + 4" text-anchor="end">{{ word(t) }}</text>
        <text class="name" :x="(wide + ${LEFT} - ${RIGHT}) / 2" :y="high - 4" text-anchor="middle">{{ state.across }}</text>
        <text class="name" :transform="'translate(11 ' + (high - ${BOTTOM} + ${TOP}) / 2 + ') rotate(-90)'" text-anchor="middle">{{ state.up }}</text>
        <template v-for="s in state.series" :key="s.name">
          <path v-if="s.kind === 'bar'" :d="bars(s)" :class="s.ink" :fill="fill(s)"/>
          <path v-else-if="s.kind === 'point'" :d="diamonds(s)" :class="['full', s.ink]"/>
          <path v-else :d="line(s)" :class="['line', s.ink]" :stroke-dasharray="s.dashes" :stroke-width="s.width || 2.5"/>
        </template>
      </g>
    </svg>
  </figure>`,
  data: () => ({ wide: 500 }),
  mounted() {
    this.watcher = new ResizeObserver(([entry]) => (this.wide = Math.max(160, entry.contentRect.width)));
    this.watcher.observe(this.$refs.area);
  },
  unmounted() {
    this.watcher.disconnect();
  },
  computed: {
    named() {
      return this.state.series.filter((s) => s.name);
    },
    told() {
      return this.state ? `${this.state.about}: ${this.named.map((s) => s.name).join("; ")}` : "";
    },
    reach() {
      let [right, top] = [this.state.right ?? 1, this.state.top ?? 1];
      for (const s of this.state.series)
        for (const [x, y] of s.points) {
          if (this.state.right === undefined && x > right) right = x;
          if (this.state.top === undefined && y > top) top = y;
        }
      return [right, top];
    },
    left() {
      return this.state.labels ? -0.5 : 0;
    },
    rightmost() {
      return this.state.labels ? this.state.labels.length - 0.5 : this.reach[0];
    },
    across() {
      return this.state.labels ? this.state.labels.map((_, k) => k) : ticks(0, this.rightmost, this.wide / 70, true);
    },
    up() {
      return ticks(0, this.reach[1], this.high / 45, this.state.whole);
    },
    grid() {
      const lines = this.up.map((t) => `M${LEFT} ${this.y(t)}H${this.wide - RIGHT}`);
      if (!this.state.labels) lines.push(...this.across.map((t) => `M${this.x(t)} ${TOP}V${this.high - BOTTOM}`));
      return lines.join("");
    },
  },
  methods: {
    x(value) {
      return LEFT + ((value - this.left) / (this.rightmost - this.left)) * (this.wide - LEFT - RIGHT);
    },
    y(value) {
      return this.high - BOTTOM - (value / this.reach[1]) * (this.high - TOP - BOTTOM);
    },
    word(value, labels) {
      if (labels) return labels[value];
      return numbers.format(value);
    },
    fill(series) {
      return series.ink === "side-1" ? `url(#hatch${this.part})` : undefined;
    },
    line(series) {
      let path = "";
      let last = null;
      for (const [px, py] of series.points) {
        const [x, y] = [this.x(px).toFixed(1), this.y(py).toFixed(1)];
        path += last === null ? `M${x} ${y}` : series.kind === "step" ? `H${x}V${y}` : `L${x} ${y}`;
        last = y;
      }
      return path;
    },
    diamonds(series) {
      return series.points.map(([px, py]) => `M${this.x(px)} ${this.y(py) - 7}l7 7l-7 7l-7 -7z`).join("");
    },
    bars(series) {
      const room = (0.8 * (this.x(1) - this.x(0))) / series.of;
      const base = this.high - BOTTOM;
      return series.points
        .map(([px, py]) => {
          const left = this.x(px) + room * (series.place - series.of / 2);
          return `M${left.toFixed(1)} ${base}V${this.y(py).toFixed(1)}h${(room - 1).toFixed(1)}V${base}z`;
        })
        .join("");
    },
  },
  props: { high: Number },
};
