// Three restaurants as bars: the share of happy guests, the offer on top, the last guest.
import { live } from "kcmab-live";

export default {
  mixins: [live],
  template: `
  <div class="story" v-if="state" data-testid="story" :data-guest="state.guest">
    <ul class="story-bars">
      <li v-for="(arm, i) in state.arms" :key="i" :class="{taken: arm.taken}" :title="arm.technical" :data-testid="'restaurant-' + i">
        <div class="story-column" aria-hidden="true">
          <div class="story-mean" :style="{height: percent(arm.mean)}"></div>
          <div class="story-offer" v-if="arm.offer > 0" :style="{bottom: percent(arm.mean), height: percent(arm.offer)}"><span>+ {{ euros(arm.offer) }}</span></div>
          <div class="story-truth" v-if="arm.truth !== null" :style="{bottom: percent(arm.truth)}"></div>
          <div class="story-guest" v-if="arm.taken">{{ arm.liked ? "☺" : "☹" }}</div>
        </div>
        <strong>{{ arm.name }}</strong>
        <span v-if="arm.guests">{{ arm.happy }} of {{ arm.guests }} happy</span>
        <span v-else>no guests yet</span>
        <span class="story-money" v-if="arm.offer > 0">offer: {{ euros(arm.offer) }}</span>
        <span class="lab-hidden" v-if="arm.taken">taken by the last guest, who was {{ arm.liked ? "happy" : "not happy" }}</span>
        <span v-if="arm.truth !== null">in truth {{ percent(arm.truth) }}</span>
      </li>
    </ul>
    <p class="lab-quiet lab-small story-legend" aria-hidden="true">
      <span title="record"><i class="story-mean"></i> share of happy guests</span>
      <span title="offer"><i class="story-offer"></i> offered by the guide</span>
      <span v-if="state.revealed" title="true mean"><i class="story-truth"></i> the truth</span>
    </p>
  </div>`,
  methods: {
    percent(value) {
      return `${Math.round(100 * Math.min(1, Math.max(0, value)))}%`;
    },
    euros(value) {
      return `€${value.toFixed(2)}`;
    },
  },
};
