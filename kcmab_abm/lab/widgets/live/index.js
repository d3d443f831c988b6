// Parts of the page that receive their states twenty times per second, all in one message.
// They come and go with their tabs, so the latest state of each is kept.
const latest = {};
const mounted = {};

export function tell(states) {
  for (const [part, state] of Object.entries(states)) {
    latest[part] = Object.freeze(state);
    if (mounted[part]) mounted[part].state = latest[part];
  }
}

export const live = {
  props: { part: Number },
  data() {
    return { state: latest[this.part] ?? null };
  },
  mounted() {
    mounted[this.part] = this;
    this.state = latest[this.part] ?? null;
  },
  unmounted() {
    if (mounted[this.part] === this) delete mounted[this.part];
  },
};
