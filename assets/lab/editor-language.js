import { tipStyles } from "./language-tips.js";

/** Characters that begin the arguments of a call or the next argument. */
const OPENING = /[(,<]$/;
/** Delay before the signature of arguments being typed is requested, in milliseconds. */
const REST_MS = 60;

/**
 * Shows the language server's results in cell editors: errors, hover texts, and the signature of the call being typed.
 *
 * @param codemirror JupyterLab's own `@codemirror/view` and `@codemirror/state`
 * @param tips creates the elements to show
 */
export function editorLanguage({ view: cmView, state: cmState }, tips) {
  const {
    closeHoverTooltips,
    Decoration,
    EditorView,
    hoverTooltip,
    keymap,
    repositionTooltips,
    showTooltip,
    tooltips,
    ViewPlugin,
  } = cmView;
  const { Facet, Prec, StateEffect, StateField } = cmState;

  const setProblems = StateEffect.define();
  const setTip = StateEffect.define();

  /** The ranges of errors, updated as the text changes. */
  const problemMarks = StateField.define({
    create: () => Decoration.none,
    update(marks, transaction) {
      const found = transaction.effects.findLast((effect) => effect.is(setProblems));
      if (!found) return marks.map(transaction.changes);
      const doc = transaction.newDoc;
      const ranges = found.value.map((problem) => {
        const [from, to] = markedPart(doc, problem.range);
        return Decoration.mark({ class: "siteframe-error", problem }).range(from, to);
      });
      return Decoration.set(
        ranges.filter(({ from, to }) => from < to),
        true,
      );
    },
    provide: (field) => EditorView.decorations.from(field),
  });

  /** The tip at the cursor; a signature stays while its call is being typed. */
  const cursorTip = StateField.define({
    create: () => null,
    update(tip, transaction) {
      const set = transaction.effects.findLast((effect) => effect.is(setTip));
      if (set) return set.value;
      if (!tip || (!transaction.docChanged && !transaction.selection)) return tip;
      return tip.help ? { ...tip, pos: transaction.state.selection.main.head } : null;
    },
    provide: (field) => showTooltip.from(field),
  });

  /** The cell of an editor, and its language client. */
  const cellFacet = Facet.define({ combine: ([cell]) => cell });

  const clientOf = (view) => view.state.facet(cellFacet).client();
  const idOf = (view) => view.state.facet(cellFacet).id;

  /** Sends a request about a position; outdated responses are ignored. */
  const askAt = (view, method, offset, more = {}) => {
    const params = { position: positionAt(view.state.doc, offset), ...more };
    return clientOf(view)
      ?.ask(method, idOf(view), params)
      .catch(() => undefined);
  };

  class LanguagePlugin {
    #view;
    #unwatch;
    #timer;
    #signatureTimer;

    constructor(view) {
      this.#view = view;
      // An editor accepts no changes while it is created.
      this.#timer = setTimeout(() => this.#watch());
    }

    #watch() {
      const client = clientOf(this.#view);
      if (!client || this.#unwatch) return;
      const id = idOf(this.#view);
      const show = (problems) => this.#view.dispatch({ effects: setProblems.of(problems) });
      this.#unwatch = client.watch(id, show);
      const known = client.problems(id);
      if (known.length > 0) show(known);
    }

    /** The user works in the cell. The notebook may have been attached after the editor was created. */
    start() {
      this.#watch();
      clientOf(this.#view)?.start();
    }

    update(update) {
      if (!update.docChanged && !update.selectionSet) return;
      const isWritten = update.transactions.some((transaction) => transaction.isUserEvent("input"));
      if (isWritten && !clientOf(this.#view)?.isReady) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.start());
      }
      const { state } = update;
      const { head, empty } = state.selection.main;
      const isOpened = isWritten && OPENING.test(state.sliceDoc(Math.max(0, head - 1), head));
      if (isOpened || state.field(cursorTip)?.help) this.#askSignature(empty);
    }

    #askSignature(isWanted) {
      clearTimeout(this.#signatureTimer);
      this.#signatureTimer = setTimeout(() => (isWanted ? showSignature(this.#view) : hideTip(this.#view)), REST_MS);
    }

    destroy() {
      clearTimeout(this.#timer);
      clearTimeout(this.#signatureTimer);
      this.#unwatch?.();
    }
  }

  const hideTip = (view) => {
    if (!view.state.field(cursorTip)) return false;
    view.dispatch({ effects: setTip.of(null) });
    return true;
  };

  /** A tip with fixed distance: its content is added later. */
  const tipView = (view, parts) => {
    const dom = tips.tip(parts);
    const grown = new ResizeObserver(() => repositionTooltips(view));
    grown.observe(dom);
    return { dom, destroy: () => grown.disconnect() };
  };

  const showTip = (view, pos, parts, more = {}) => {
    const create = () => {
      const shown = tipView(view, parts);
      const { dom } = shown;
      dom.setAttribute("role", "status");
      dom.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape") return;
        hideTip(view);
        view.focus();
      });
      dom.addEventListener("focusout", () => leave(view));
      return shown;
    };
    view.dispatch({ effects: setTip.of({ pos, above: true, create, ...more }) });
  };

  /** Shows the signature of the call around the cursor, if any. */
  const showSignature = async (view) => {
    const { doc, selection } = view.state;
    const { head } = selection.main;
    const help = await askAt(view, "textDocument/signatureHelp", head);
    // Text typed meanwhile triggers its own request.
    if (view.state.doc !== doc || view.state.selection.main.head !== head) return;
    if (!view.hasFocus || !(help?.signatures?.length > 0)) return hideTip(view);
    const { chosen } = view.state.field(cursorTip)?.help ?? {};
    const kept = help.signatures.findIndex(({ label }) => label === chosen);
    showHelp(view, kept === -1 ? help : { ...help, activeSignature: kept, chosen });
  };

  /** `help.chosen` is the label of the overload that the user selected. */
  const showHelp = (view, help) => showTip(view, view.state.selection.main.head, tips.signature(help), { help });

  /** Shows another overload of the call being typed; returns false if there is only one. */
  const turnSignature = (view, step) => {
    const { help } = view.state.field(cursorTip) ?? {};
    const count = help?.signatures.length ?? 0;
    if (count < 2) return false;
    const activeSignature = ((help.activeSignature ?? 0) + step + count) % count;
    showHelp(view, { ...help, activeSignature, chosen: help.signatures[activeSignature].label });
    return true;
  };

  /** Before JupyterLab's own key handlers, which move to the next cell. */
  const turning = Prec.highest(
    EditorView.domEventHandlers({
      keydown({ key, shiftKey, altKey, ctrlKey, metaKey }, view) {
        if (shiftKey || altKey || ctrlKey || metaKey) return false;
        return (key === "ArrowUp" && turnSignature(view, -1)) || (key === "ArrowDown" && turnSignature(view, 1));
      },
    }),
  );

  const problemsAt = (view, pos) => {
    const found = [];
    view.state.field(problemMarks).between(pos, pos, (from, to, { spec }) => {
      found.push({ from, to, problem: spec.problem });
    });
    return found;
  };

  const problemPart = (view, { from, to, problem }) => {
    const { client, apply } = view.state.facet(cellFacet);
    const range = { start: positionAt(view.state.doc, from), end: positionAt(view.state.doc, to) };
    const context = { diagnostics: [{ ...problem, range }] };
    const isUnchanged = client()?.unchanged();
    const asked = client()?.ask("textDocument/codeAction", idOf(view), { range, context });
    const fixes = Promise.resolve(asked).then(
      (actions) => actions ?? [],
      () => [],
    );
    return tips.problem(problem, fixes, ({ edit }) => {
      view.dispatch({ effects: [setTip.of(null), closeHoverTooltips] });
      apply(edit, isUnchanged);
      view.focus();
    });
  };

  const tellAt = async (view, pos) => {
    const problems = problemsAt(view, pos);
    const explained = await askAt(view, "textDocument/hover", pos);
    // If a server had to start, the pointer may have moved.
    if ((problems.length === 0 && !explained) || !view.contentDOM.matches(":hover")) return null;
    const place = problems[0] ?? placeIn(view.state.doc, explained.range, pos);
    return {
      pos: place.from,
      end: place.to,
      above: true,
      create: () =>
        tipView(view, [
          ...problems.map((found) => problemPart(view, found)),
          ...(explained ? [tips.markdown(explained.contents)] : []),
        ]),
    };
  };

  return {
    /**
     * Returns the extension for one editor.
     *
     * @param cell its `id`, `client()`, and `apply(edit, isUnchanged)`
     */
    extension: (cell) => {
      const plugin = ViewPlugin.fromClass(LanguagePlugin, {
        eventHandlers: {
          focus() {
            this.start();
          },
        },
      });
      return [
        cellFacet.of(cell),
        problemMarks,
        cursorTip,
        plugin,
        hoverTooltip(tellAt, { hideOnChange: true }),
        // Cells hide overflowing elements.
        tooltips({ parent: document.body }),
        keymap.of([{ key: "Escape", run: hideTip }]),
        turning,
        EditorView.domEventHandlers({ blur: (_event, view) => leave(view) }),
        EditorView.baseTheme(tipStyles),
      ];
    },

    showSignature,

    /** Returns the start of the next error of an editor after a position; undefined otherwise. */
    nextProblem(view, after) {
      const starts = [];
      view.state.field(problemMarks).between(0, view.state.doc.length, (from) => void starts.push(from));
      return starts.find((from) => from > after);
    },

    /** Shows the errors at the cursor. Returns their elements. */
    showProblems(view) {
      const { head } = view.state.selection.main;
      const parts = problemsAt(view, head).map((found) => problemPart(view, found));
      if (parts.length > 0) showTip(view, head, parts);
      return parts;
    },

    /** Lists positions at the cursor, to go to. */
    showPlaces(view, title, places, go) {
      const list = tips.places(title, places, (index) => {
        hideTip(view);
        go(index);
      });
      showTip(view, view.state.selection.main.head, [list]);
      return list;
    },
  };

  /** A tip contains buttons: it stays open while the pointer is over it. */
  function leave(view) {
    setTimeout(() => view.hasFocus || document.activeElement?.closest(".siteframe-tip") || hideTip(view));
  }
}

/** An offset in text; a position after a line's end is at its end. */
function offsetAt(doc, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
}

function positionAt(doc, offset) {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

function placeIn(doc, range, pos) {
  if (!range) return { from: pos, to: pos };
  return { from: offsetAt(doc, range.start), to: offsetAt(doc, range.end) };
}

/** The marked range; an error at a single position also gets a visible range. */
function markedPart(doc, { start, end }) {
  const [from, to] = [offsetAt(doc, start), offsetAt(doc, end)];
  if (from < to) return [from, to];
  return from < doc.lineAt(from).to ? [from, from + 1] : [Math.max(0, from - 1), from];
}
