// One market: what its last customer did, what the next one sees, and all arms.
import { live } from "kcmab-live";

const [FEWEST, MOST] = [8, 30]; // cells of a tape, one per reward
const LEGIBLE = 9; // pixels for a cell
const [WIDE, HIGH] = [7, 8]; // of a cell

export default {
  mixins: [live],
  template: `
  <div class="lab-market" v-if="state">
    <p class="lab-did" :class="{paid: state.payment > 0}">
      <span class="lab-badge" v-if="state.payment > 0">paid {{ short(state.payment) }}</span>
      <span :data-testid="'did-' + side">{{ state.did }}</span>
    </p>
    <p class="lab-sees">
      <span class="lab-hidden" data-testid="customer" v-if="side === 0" :data-value="state.customer">{{ state.customer }}</span>
      <span :data-testid="'sees-' + side">{{ state.sees }}</span>
      <span v-if="state.clock !== null" class="lab-quiet"> She arrives at time {{ short(state.clock) }}.</span>
    </p>
    <table class="lab-arms">
      <caption class="lab-hidden">The arms of the market under {{ state.label }}</caption>
      <thead><tr>
        <th scope="col">arm</th>
        <th scope="col" class="lab-record" title="record plus offer, from 0 to 1, and the latest rewards">record + offer</th>
        <th scope="col" class="number" title="average of all rewards reported for the arm so far">record</th>
        <th scope="col" class="number" title="money for the customer if she takes the arm">offer</th>
        <th scope="col" class="number" title="number of customers who have taken the arm">pulls</th>
        <th scope="col" class="number" title="true mean: average reward in the long run" v-if="state.revealed">true</th>
        <th scope="col" class="guess" title="your guess of the true mean" v-if="state.guessing">guess</th>
      </tr></thead>
      <tbody>
        <tr v-for="(arm, i) in state.arms" :key="i" :class="{target: arm.target, taken: arm.taken}"
            :data-testid="name(i, 'row')" :data-target="arm.target" :data-taken="arm.taken">
          <th scope="row">
            <span class="lab-arm-name">arm {{ i }}</span>
            <span v-if="arm.target" class="lab-sign" title="promoted"><span aria-hidden="true">◎</span><span class="lab-hidden">promoted</span></span>
            <span v-if="arm.taken" class="lab-sign" title="taken by the last customer"><span aria-hidden="true">✓</span><span class="lab-hidden">taken by the last customer</span></span>
          </th>
          <td class="lab-record">
            <div class="lab-bar" aria-hidden="true">
              <div class="lab-mean" :style="{width: percent(arm.mean)}"></div>
              <div class="lab-offer" v-if="arm.offer > 0" :style="{left: percent(arm.mean), width: percent(arm.offer)}"></div>
              <div class="lab-best" v-if="arm.best" :style="{left: percent(arm.mean + arm.offer)}" title="best deal for the customer">★</div>
              <div class="lab-true" v-if="state.revealed" :style="{left: percent(arm.truth)}" title="true mean"></div>
            </div>
            <svg class="lab-tape" :viewBox="box" preserveAspectRatio="none" role="img" :aria-label="told(arm)">
              <path class="future" :d="future(latest(arm))"/>
              <path class="seen" :d="cells(latest(arm), false)"/>
              <path class="full" :d="cells(latest(arm), true)"/>
            </svg>
          </td>
          <td :data-testid="name(i, 'mean')" :data-value="arm.mean">{{ arm.pulls ? short(arm.mean) : "none" }}</td>
          <td :data-testid="name(i, 'offer')" :data-value="arm.offer">{{ arm.offer > 0 ? short(arm.offer) : "–" }}</td>
          <td :data-testid="name(i, 'pulls')" :data-value="arm.pulls">{{ arm.pulls }}</td>
          <td v-if="state.revealed" :data-testid="name(i, 'true')" :data-value="arm.truth">{{ short(arm.truth) }}</td>
          <td v-if="state.guessing">
            <span v-if="state.revealed">{{ verdict(i, arm.truth) }}</span>
            <input v-else type="number" min="0" max="1" step="0.05" v-model="guesses[i]" :aria-label="'your guess for arm ' + i">
          </td>
        </tr>
      </tbody>
    </table>
    <p class="lab-quiet lab-small lab-legend" aria-hidden="true">
      <span>◎ promoted</span> <span>✓ taken last</span> <span>★ best deal</span> <span>■ □ latest rewards</span>
      <span><i class="lab-offer"></i> offer</span> <span v-if="state.revealed"><i class="lab-true"></i> true mean</span>
    </p>
  </div>`,
  data: () => ({ guesses: [], room: MOST }),
  computed: {
    box() {
      return `0 0 ${this.room * WIDE} ${HIGH}`;
    },
  },
  mounted() {
    this.measure();
  },
  updated() {
    this.measure();
  },
  watch: {
    "state.arms.length"() {
      this.guesses = [];
    },
  },
  methods: {
    // In a narrow table, fewer rewards are shown, not smaller ones.
    measure() {
      const place = this.$el.querySelector?.(".lab-tape");
      if (place) this.room = Math.max(FEWEST, Math.min(MOST, Math.floor(place.clientWidth / LEGIBLE)));
    },
    latest(arm) {
      return arm.tape.slice(-this.room);
    },
    name(arm, what) {
      return `arm-${this.side}-${arm}-${what}`;
    },
    short(value) {
      return Number(value).toFixed(3);
    },
    percent(value) {
      return `${100 * Math.min(1, Math.max(0, value))}%`;
    },
    // Rewards are drawn as the filled part of a cell: 1 is full, 0 an empty frame.
    cells(tape, filled) {
      return tape
        .map((reward, k) => {
          const part = filled ? (HIGH - 1) * reward : HIGH - 1;
          return part ? `M${k * WIDE + 0.5} ${HIGH - 0.5 - part}h${WIDE - 1.5}v${part}h${1.5 - WIDE}z` : "";
        })
        .join("");
    },
    future(tape) {
      let path = "";
      for (let k = tape.length; k < this.room; k++) path += `M${k * WIDE + 2} ${HIGH - 1}h${WIDE - 4.5}`;
      return path;
    },
    told(arm) {
      const last = arm.tape.slice(-10).map((reward) => +reward.toFixed(2));
      return last.length ? `last rewards ${last.join(", ")}` : "no rewards yet";
    },
    verdict(arm, truth) {
      const guess = parseFloat(this.guesses[arm]);
      if (Number.isNaN(guess)) return "–";
      const off = guess - truth;
      return `${guess.toFixed(2)}, ${Math.abs(off) < 0.0005 ? "right" : (off > 0 ? "+" : "−") + Math.abs(off).toFixed(2)}`;
    },
  },
  props: { side: Number },
};
