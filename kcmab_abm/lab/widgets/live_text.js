// Text that changes with every customer.
import { live } from "kcmab-live";

export default {
  mixins: [live],
  template: `<span :data-testid="name" :data-value="state?.value">{{ state?.text }}</span>`,
  props: { name: String },
};
