// The costs so far, one column per market.
import { live } from "kcmab-live";

export default {
  mixins: [live],
  template: `
  <table class="lab-totals" v-if="state">
    <caption class="lab-hidden">Cost so far</caption>
    <thead><tr><th scope="col"><span class="lab-hidden">cost</span></th>
      <th scope="col" v-for="(column, side) in state" :class="'side-' + side">{{ column.label }}</th>
    </tr></thead>
    <tbody><tr v-for="row in rows">
      <th scope="row" :title="row.about">{{ row.name }}</th>
      <td v-for="(column, side) in state" :data-testid="row.key + '-' + side" :data-value="column[row.key]">
        <template v-if="column[row.key] === null">hidden</template>
        <template v-else>{{ row.whole ? column[row.key].toLocaleString("en-GB") : column[row.key].toFixed(3) }}</template>
      </td>
    </tr></tbody>
  </table>`,
  computed: {
    rows() {
      return [
        { key: "regret", name: "regret", about: "what customers lost by not taking the best arm; hidden like the true means, which it would give away" },
        { key: "compensation", name: "compensation paid", about: "what the controller paid to customers for taking the promoted arm" },
        { key: "seeding", name: "paid for the first reports", about: "what the first customers were paid for being sent to the arms" },
        { key: "paid", name: "customers paid", whole: true },
        { key: "refused", name: "customers who refused", about: "those who did not take the promoted arm", whole: true },
        { key: "left", name: "customers who left", about: "those who took no arm", whole: true },
      ];
    },
  },
};
