// Keyboard shortcuts for the whole page, ignored where a control needs the key itself.
const TYPING = "input, textarea, select, [contenteditable], [role=slider], [role=listbox], .q-menu";
const PRESSING = "button, a, summary, [role=tab], [role=button], [role=switch], [role=checkbox], [role=radio]";

export default {
  template: "<span hidden></span>",
  mounted() {
    document.addEventListener("keydown", this.hear);
  },
  unmounted() {
    document.removeEventListener("keydown", this.hear);
  },
  methods: {
    hear(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const place = event.target;
      if (place.closest(TYPING) || document.querySelector(".q-dialog")) return;
      const pressed = event.key === " " || event.key === "Enter";
      if (pressed && place.closest(PRESSING)) return;
      if (event.key.startsWith("Arrow") && place.closest("[role=tab], [role=radio]")) return;
      if (event.repeat && !event.key.startsWith("Arrow")) return;
      if (!this.keys.includes(event.key)) return;
      event.preventDefault();
      this.$emit("key", event.key);
    },
  },
  props: { keys: Array },
};
