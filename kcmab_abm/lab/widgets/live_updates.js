// Receives the states of all live parts and reports when they have been drawn.
import { tell } from "kcmab-live";

export default {
  template: `<span hidden data-testid="hub" :data-updates="updates"></span>`,
  data: () => ({ updates: 0 }),
  methods: {
    show(states, number) {
      tell(states);
      this.updates += 1;
      // A hidden page draws no frames but must not hold up its own market.
      const drawn = document.hidden ? (done) => setTimeout(done) : requestAnimationFrame;
      drawn(() => this.$emit("drawn", number));
    },
  },
};
