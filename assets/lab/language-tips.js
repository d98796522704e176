/** Code in a fence or between backquotes, in which `$` is literal. */
const CODE = /(```[\s\S]*?```|`[^`]*`)/;

/** Elements shown next to a position in a cell. */
export class LanguageTips {
  #renderers;
  #MimeModel;

  /**
   * @param renderers JupyterLab's renderers
   * @param MimeModel JupyterLab's class for their content
   */
  constructor(renderers, MimeModel) {
    this.#renderers = renderers;
    this.#MimeModel = MimeModel;
  }

  /** @param parts elements, stacked vertically */
  tip(parts) {
    const tip = element("div", "siteframe-tip");
    tip.append(...parts);
    return tip;
  }

  /**
   * Shows an error with its fixes.
   *
   * @param fixes promise of the fixes
   * @param apply applies one of them
   */
  problem({ message, code }, fixes, apply) {
    const part = element("div", "siteframe-tip-problem");
    part.append(element("span", "", message), " ", element("small", "", `TS${code}`));
    const buttons = element("div", "siteframe-tip-fixes");
    part.append(buttons);
    fixes.then((found) => {
      buttons.append(...found.map((action) => buttonOf(action.title, () => apply(action))));
    });
    return part;
  }

  /** A list of positions with a title; `go` is called with the index of the selected one. */
  places(title, places, go) {
    const part = element("div", "siteframe-tip-places");
    part.append(element("div", "", title), ...places.map((place, index) => buttonOf(place, () => go(index))));
    return part;
  }

  /** Renders Markdown of the protocol. */
  markdown(contents) {
    const text = typeof contents === "string" ? contents : contents.value;
    const renderer = this.#renderers.createRenderer("text/markdown");
    // JupyterLab treats text between two `$` as a formula.
    const plain = text.split(CODE).map((part, index) => (index % 2 === 1 ? part : part.replaceAll("$", "&#36;")));
    renderer.renderModel(new this.#MimeModel({ data: { "text/markdown": plain.join("") }, trusted: false }));
    return renderer.node;
  }

  /** Shows the signature of the call being typed, with the current parameter highlighted. */
  signature({ signatures, activeSignature = 0, activeParameter = 0 }) {
    const shown = signatures[activeSignature] ?? signatures[0];
    const line = element("code", "siteframe-tip-signature");
    const parameter = shown.parameters?.[shown.activeParameter ?? activeParameter];
    const [start, end] = parameter ? placeOfLabel(parameter.label, shown.label) : [0, 0];
    line.append(shown.label.slice(0, start), element("b", "", shown.label.slice(start, end)), shown.label.slice(end));
    const many =
      signatures.length > 1 ? [element("small", "", `${activeSignature + 1} of ${signatures.length} ↑↓`)] : [];
    const words = [parameter?.documentation, shown.documentation].filter((each) => wordsOf(each) !== "");
    return [line, ...many, ...words.map((each) => this.markdown(each))];
  }
}

/** Styles of the tips and the errors. */
export const tipStyles = {
  ".siteframe-error": {
    textDecoration: "underline wavy var(--jp-error-color1) 1px",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".siteframe-tip": {
    boxSizing: "border-box",
    width: "max-content",
    maxWidth: "min(640px, 90vw)",
    maxHeight: "min(320px, 50vh)",
    overflow: "auto",
    padding: "6px 10px",
    fontFamily: "var(--jp-ui-font-family)",
    fontSize: "var(--jp-ui-font-size1)",
    lineHeight: "1.4",
    color: "var(--jp-ui-font-color1)",
    overflowWrap: "anywhere",
  },
  ".siteframe-tip > * + *": { marginTop: "6px" },
  ".siteframe-tip .jp-RenderedHTMLCommon": { padding: "0", fontSize: "inherit", lineHeight: "inherit" },
  ".siteframe-tip .jp-RenderedHTMLCommon > *": { margin: "0 0 6px", padding: "0" },
  ".siteframe-tip .jp-RenderedHTMLCommon > :last-child": { marginBottom: "0" },
  ".siteframe-tip pre, .siteframe-tip-signature": { whiteSpace: "pre-wrap", fontSize: "var(--jp-code-font-size)" },
  ".siteframe-tip-signature": { display: "block", fontFamily: "var(--jp-code-font-family)" },
  ".siteframe-tip-signature b": { color: "var(--jp-brand-color1)", textDecoration: "underline" },
  ".siteframe-tip small": { color: "var(--jp-ui-font-color2)" },
  ".siteframe-tip-problem": {
    borderLeft: "3px solid var(--jp-error-color1)",
    paddingLeft: "8px",
    whiteSpace: "pre-wrap",
  },
  ".siteframe-tip-fixes": { display: "flex", flexWrap: "wrap", gap: "4px 8px" },
  ".siteframe-tip-fixes:not(:empty)": { marginTop: "4px" },
  ".siteframe-tip-places button": {
    display: "block",
    width: "100%",
    padding: "2px 4px",
    border: "0",
    background: "none",
    color: "inherit",
    font: "inherit",
    fontFamily: "var(--jp-code-font-family)",
    fontSize: "var(--jp-code-font-size)",
    textAlign: "left",
    cursor: "pointer",
  },
  ".siteframe-tip-places button:hover, .siteframe-tip-places button:focus": { background: "var(--jp-layout-color2)" },
  ".siteframe-tip-fixes button": {
    padding: "2px 8px",
    border: "1px solid var(--jp-border-color1)",
    borderRadius: "var(--jp-border-radius)",
    background: "var(--jp-layout-color1)",
    color: "var(--jp-content-link-color, var(--jp-brand-color1))",
    font: "inherit",
    cursor: "pointer",
  },
};

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function buttonOf(text, onClick) {
  const button = element("button", "", text);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

function placeOfLabel(label, whole) {
  if (typeof label !== "string") return label;
  const start = Math.max(0, whole.indexOf(label));
  return [start, start + label.length];
}

function wordsOf(contents) {
  return (typeof contents === "string" ? contents : contents?.value) ?? "";
}
