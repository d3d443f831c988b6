// What it has cost so far, one column a market.
import { live } from "kcmab-live";

export default {
  mixins: [live],
  template: `
  <table class="lab-totals" v-if="state">
    <caption class="lab-hidden">What it has cost so far</caption>
    <thead><tr><th scope="col"></th>
      <th scope="col" v-for="(column, side) in state" :class="'side-' + side">{{ column.label }}</th>
    </tr></thead>
    <tbody><tr v-for="row in rows">
      <th scope="row">{{ row.name }}</th>
      <td v-for="(column, side) in state" :data-testid="row.key + '-' + side" :data-value="column[row.key]">
        {{ row.whole ? column[row.key].toLocaleString("en-GB") : column[row.key].toFixed(3) }}
      </td>
    </tr></tbody>
  </table>`,
  computed: {
    rows() {
      return [
        { key: "regret", name: "regret" },
        { key: "compensation", name: "compensation paid" },
        { key: "seeding", name: "paid to the first customers" },
        { key: "paid", name: "customers paid", whole: true },
        { key: "refused", name: "customers who refused", whole: true },
        { key: "left", name: "customers who left", whole: true },
      ];
    },
  },
};
