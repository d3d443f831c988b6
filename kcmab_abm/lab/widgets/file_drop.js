// Files dropped anywhere on the page go to its uploader.
export default {
  template: '<div v-show="near" class="lab-drop" aria-hidden="true">Drop a scenario file to open it</div>',
  mounted() {
    document.addEventListener("dragover", this.over);
    document.addEventListener("dragleave", this.leave);
    document.addEventListener("drop", this.drop);
  },
  unmounted() {
    document.removeEventListener("dragover", this.over);
    document.removeEventListener("dragleave", this.leave);
    document.removeEventListener("drop", this.drop);
  },
  methods: {
    over(event) {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault(); // otherwise the browser would leave the page to show the file
      this.near = true;
    },
    leave(event) {
      if (event.relatedTarget === null) this.near = false;
    },
    drop(event) {
      this.near = false;
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      runMethod(this.uploader, "addFiles", [[...event.dataTransfer.files].slice(0, 1)]);
    },
  },
  data: () => ({ near: false }),
  props: { uploader: Number },
};
