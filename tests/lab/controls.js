// Runs in every visitor's page before it: tells of each control that she has before her, and of each that she uses.
(() => {
  const ROLES = "button link textbox searchbox spinbutton combobox switch slider radio checkbox tab menuitem treeitem";
  const CONTROLS = [
    ...["a[href]", "button", "input", "select", "textarea", "summary", "[tabindex]:not([tabindex^='-'], [role=option])"],
    ...ROLES.split(" ").map((role) => `[role=${role}]`),
  ].join();
  const REGIONS = "[role=dialog], [role=menu], [role=alert], [role=toolbar], header, section";
  const TAGS = { A: "link", BUTTON: "button", SELECT: "combobox", TEXTAREA: "textbox" };
  const INPUTS = { number: "spinbutton", range: "slider", file: "upload", checkbox: "checkbox", radio: "radio" };
  const LOOK = 250; // milliseconds between two looks at the page: they must cost it nothing
  const told = new Set();

  function tell(kind, control) {
    const message = JSON.stringify([kind, control]);
    if (!told.has(message)) window.tellControl?.(message);
    told.add(message);
  }

  // A slider's thumb and a field's inner parts are no controls of their own, nor are the choices of a question.
  function whole(element) {
    let control = element?.closest(CONTROLS);
    for (let above = control; above; above = above.parentElement?.closest(CONTROLS)) control = above;
    return (roleOf(control) === "radio" && control.closest("[role=radiogroup]")) || control;
  }

  function roleOf(control) {
    if (!control) return "";
    return control.getAttribute("role") || INPUTS[control.type] || TAGS[control.tagName] || "textbox";
  }

  function words(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.ariaHidden === "true") return "";
    if (node.ariaLabel) return node.ariaLabel;
    return [...node.childNodes].map(words).join(" ");
  }

  // Numbers do not make new controls: "Remove arm 1" and "Remove arm 2" are one.
  function tidy(text) {
    return text.replace(/\d+([.,]\d+)*/g, "#").replace(/\s+/g, " ").trim();
  }

  function nameOf(control) {
    const by = control.ariaLabelledByElements;
    if (control.ariaLabel || by) return tidy(control.ariaLabel || by.map(words).join(" "));
    const label = control.labels?.[0] ?? control;
    return tidy(words((!label.ariaLabel && label.querySelector(".q-field__label")) || label));
  }

  function placeOf(control) {
    const region = control.closest(REGIONS);
    const heading = region?.role === "dialog" && region.querySelector("h1, h2, h3");
    const part = region && (region.ariaLabel || (heading && words(heading)) || region.role || region.localName);
    const tab = control.closest("main") && document.querySelector("[role=tab][aria-selected=true]");
    return [tab && words(tab), part].filter(Boolean).map(tidy).join(", ");
  }

  function describe(control) {
    return [placeOf(control), roleOf(control), nameOf(control)];
  }

  function look() {
    for (const element of document.querySelectorAll(CONTROLS)) {
      const control = whole(element);
      const usable = !control.disabled && control.ariaDisabled !== "true";
      if (usable && control.checkVisibility({ visibilityProperty: true })) tell("seen", describe(control));
    }
  }

  function isUsed(control, event) {
    const role = roleOf(control);
    if (/textbox|searchbox|spinbutton/.test(role)) {
      return event.type === "input" || event.type === "change" || (control.readOnly && event.type === "click");
    }
    if (role === "combobox") {
      return event.type === "change" || (event.key === "Enter" && control.ariaExpanded === "true");
    }
    if (event.type !== "keydown") return true;
    return /^(Enter| )$/.test(event.key) || (/slider|tab|radio/.test(role) && event.key.startsWith("Arrow"));
  }

  function use(event) {
    if (!event.isTrusted || !event.target.closest) return;
    if (event.type === "click") look(); // it may lead elsewhere before the next look
    const list = event.target.closest("[role=option]")?.closest("[role=listbox]");
    const owner = list && document.querySelector(`[aria-controls="${list.id}"]`);
    const control = whole(event.target);
    if (owner && event.type === "click") tell("used", describe(owner));
    else if (control && isUsed(control, event)) tell("used", describe(control));
  }

  // After the page has heard it: a key that it took for itself is prevented from doing anything else.
  function press(event) {
    const control = whole(event.target);
    const typed = control && (/textbox|searchbox|spinbutton|combobox/.test(roleOf(control)) || isUsed(control, event));
    if (event.isTrusted && event.defaultPrevented && !typed) tell("used", ["", "key", event.key]);
  }

  for (const kind of ["click", "input", "change", "keydown"]) window.addEventListener(kind, use, true);
  window.addEventListener("keydown", press);
  window.lookAtControls = look;
  setInterval(look, LOOK);
})();
