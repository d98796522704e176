import { idOf } from "./cell-addresses.js";
import { editorLanguage } from "./editor-language.js";
import { LanguageClient } from "./language-client.js";
import { LanguageTips } from "./language-tips.js";

/** CSS class of notebooks with a language server: key bindings apply only there. */
const READY = "siteframe-language";
const EDITED = `.${READY} .jp-Notebook.jp-mod-editMode .jp-CodeCell`;
const EDITOR = `.${READY} .jp-Notebook .jp-CodeCell .jp-InputArea-editor`;

/**
 * JupyterLab plugin that shows the kernel's language server in notebook cells while the user types.
 *
 * @param lab JupyterLab's own packages, by name
 */
export function notebookLanguage(lab) {
  const { ICommandPalette, InputDialog, Notification, showErrorMessage } = lab["@jupyterlab/apputils"];
  const { IEditorExtensionRegistry } = lab["@jupyterlab/codemirror"];
  const { INotebookTracker, NotebookActions } = lab["@jupyterlab/notebook"];
  const { IRenderMimeRegistry, MimeModel } = lab["@jupyterlab/rendermime"];

  return {
    id: "siteframe:notebook-language",
    description: "Show errors, signatures and documentation in notebooks of Siteframe's kernel.",
    autoStart: true,
    requires: [INotebookTracker, IEditorExtensionRegistry, IRenderMimeRegistry],
    optional: [ICommandPalette],
    activate(app, notebooks, extensions, renderers, palette) {
      /** One per notebook, shared by its panels. */
      const clients = new Map();
      const panelsOf = (context) => notebooks.filter((panel) => panel.context === context);
      const showReady = (panel) => panel.node.classList.toggle(READY, clients.get(panel.context)?.isReady === true);
      const track = async (panel) => {
        const { context } = panel;
        await context.ready;
        if (!clients.has(context) && !context.isDisposed) {
          const onReady = () => panelsOf(context).forEach(showReady);
          clients.set(context, new LanguageClient(context, { onReady, onError: (text) => Notification.error(text) }));
          context.disposed.connect(() => clients.delete(context));
        }
        showReady(panel);
      };
      notebooks.widgetAdded.connect((_tracker, panel) => void track(panel));
      notebooks.forEach((panel) => void track(panel));
      const contextOf = (notebook) => [...clients.keys()].find(({ model }) => model.sharedModel === notebook);

      const codemirror = { view: lab["@codemirror/view"], state: lab["@codemirror/state"] };
      const language = editorLanguage(codemirror, new LanguageTips(renderers, MimeModel));
      extensions.addExtension({
        name: "siteframe:notebook-language",
        factory({ model }) {
          const cell = model.sharedModel;
          if (cell?.cell_type !== "code") return null;
          const client = () => clients.get(contextOf(cell.notebook));
          const apply = (edit, isUnchanged) => {
            try {
              change(contextOf(cell.notebook), edit, isUnchanged);
            } catch (error) {
              showErrorMessage("Quick Fix", error.message);
            }
          };
          const extension = language.extension({ id: cell.getId(), client, apply });
          return { instance: () => extension, reconfigure: () => null };
        },
      });

      addCommands({ app, notebooks, palette, clients, language });
    },
  };

  function addCommands({ app, notebooks, palette, clients, language }) {
    /** The active cell in a notebook with a language server. */
    const current = () => {
      const panel = notebooks.currentWidget;
      const client = panel && clients.get(panel.context);
      const cell = panel?.content.activeCell;
      const view = cell?.editor?.editor;
      if (!client?.isReady || !view || cell.model.type !== "code") return undefined;
      const { line, column } = cell.editor.getCursorPosition();
      return { panel, client, view, id: cell.model.id, position: { line, character: column } };
    };
    const isThere = () => current() !== undefined;

    const add = (name, { label, keys, execute }) => {
      const command = `siteframe:${name}`;
      app.commands.addCommand(command, {
        label,
        isEnabled: isThere,
        isVisible: isThere,
        execute: async () => {
          const at = current();
          try {
            if (at) await execute(at);
          } catch (error) {
            await showErrorMessage(label, error.message);
          }
        },
      });
      app.commands.addKeyBinding({ command, keys: [keys], selector: EDITED });
      app.contextMenu.addItem({ command, selector: EDITOR, rank: 100 });
      palette?.addItem({ command, category: "Notebook Cell Operations" });
    };

    add("definition", {
      label: "Go to Definition",
      keys: "F12",
      async execute({ client, panel, id, position }) {
        const found = await client.ask("textDocument/definition", id, { position });
        const [first] = [found ?? []].flat();
        if (first) await goTo(panel, first);
        else say("No definition found.");
      },
    });
    add("references", {
      label: "Find References",
      keys: "Shift F12",
      async execute({ client, panel, view, id, position }) {
        const context = { includeDeclaration: true };
        const found = (await client.ask("textDocument/references", id, { position, context })) ?? [];
        if (found.length === 0) return say("No other references found.");
        const title = found.length === 1 ? "One place" : `${found.length} places`;
        const places = found.map((location) => placeOf(panel, location));
        focusFirstButton(language.showPlaces(view, title, places, (index) => goTo(panel, found[index])));
      },
    });
    add("rename", {
      label: "Rename Symbol",
      keys: "F2",
      async execute({ client, panel, id, position }) {
        const named = await client.ask("textDocument/prepareRename", id, { position });
        if (!named) return say("This name cannot be renamed.");
        const text = named.placeholder;
        const { value } = await InputDialog.getText({ title: `New name for ${text}`, text, okLabel: "Rename" });
        if (!value || value === text) return;
        const isUnchanged = client.unchanged();
        const edit = await client.ask("textDocument/rename", id, { position, newName: value });
        change(panel.context, edit, isUnchanged);
      },
    });
    add("fix", {
      label: "Quick Fix",
      keys: "Accel .",
      execute({ view }) {
        const shown = language.showProblems(view);
        if (shown.length === 0) return say("No error at the cursor.");
        focusFirstButton(shown[0]);
      },
    });
    add("next-problem", {
      label: "Next Error",
      keys: "F8",
      async execute({ client, panel, view, id }) {
        const next = nextProblem({ client, panel, view, id }, language);
        if (!next) return say("No errors.");
        const entered = await enter(panel, next.id, next.position);
        if (entered) language.showProblems(entered);
      },
    });
    add("parameters", {
      label: "Show Parameters",
      keys: "Accel Shift Space",
      execute: ({ view }) => language.showSignature(view),
    });
  }

  function say(message) {
    Notification.info(message, { autoClose: 4000 });
  }

  /** Goes to a position in a cell, or shows the file that contains it. */
  async function goTo(panel, { uri, range }) {
    const id = idOf(uri);
    if (id === undefined) say(`Declared in ${fileOf(uri)}, line ${range.start.line + 1}.`);
    else await enter(panel, id, range.start);
  }

  /** Moves the cursor to a cell, if it has an editor. */
  async function enter(panel, id, { line, character }) {
    const notebook = panel.content;
    const index = notebook.widgets.findIndex(({ model }) => model.id === id);
    if (index === -1) return undefined;
    const cell = notebook.widgets[index];
    NotebookActions.expandParent(cell, notebook);
    cell.inputHidden = false;
    notebook.activeCellIndex = index;
    await notebook.scrollToItem(index);
    await cell.ready;
    notebook.mode = "edit";
    cell.editor?.setCursorPosition({ line, column: character });
    cell.editor?.focus();
    return cell.editor?.editor;
  }
}

/**
 * Applies the edits of the language server: all or none.
 *
 * @throws Error if edits are missing, affect files other than cells, or refer to outdated text
 */
function change({ model }, edit, isUnchanged) {
  if (!edit || !isUnchanged?.()) throw new Error("The notebook has changed meanwhile. Try again.");
  const changes = Object.entries(edit.changes ?? {});
  const files = changes.map(([address]) => address).filter((address) => idOf(address) === undefined);
  if (files.length > 0) {
    throw new Error(`Not applied: the change also affects ${files.map(fileOf).join(", ")}, outside of the notebook.`);
  }
  const cells = changes.map(([address]) => [...model.cells].find(({ id }) => id === idOf(address)));
  if (cells.some((cell) => cell.getMetadata("editable") === false)) {
    throw new Error("Not applied: the change affects a read-only cell.");
  }
  for (const [at, [, edits]] of changes.entries()) {
    const { sharedModel } = cells[at];
    const text = sharedModel.getSource();
    const parts = edits.map(({ range, newText }) => [offsetIn(text, range.start), offsetIn(text, range.end), newText]);
    // Last first, so that positions stay valid.
    for (const part of parts.toSorted(([one], [other]) => other - one)) sharedModel.updateSource(...part);
  }
}

/** The models of a notebook's cells. */
function cellsOf(panel) {
  return [...panel.model.cells];
}

/** The next position with an error: after the cursor, in the cells below, then from the notebook's start. */
function nextProblem({ client, panel, view, id }, language) {
  const cells = cellsOf(panel);
  const here = cells.findIndex((cell) => cell.id === id);
  const next = language.nextProblem(view, view.state.selection.main.head);
  if (next !== undefined) {
    const line = view.state.doc.lineAt(next);
    return { id, position: { line: line.number - 1, character: next - line.from } };
  }
  const around = [...cells.slice(here + 1), ...cells.slice(0, here + 1)];
  const found = around.find((cell) => client.problems(cell.id).length > 0);
  if (!found) return undefined;
  const starts = client.problems(found.id).map(({ range }) => range.start);
  const [first] = starts.toSorted((one, other) => one.line - other.line || one.character - other.character);
  return { id: found.id, position: first };
}

/** A position for users. */
function placeOf(panel, { uri, range }) {
  const { line } = range.start;
  const id = idOf(uri);
  if (id === undefined) return `${fileOf(uri)}, line ${line + 1}`;
  const cells = cellsOf(panel);
  const cell = cells.find((each) => each.id === id);
  const number = cells.filter(({ type }) => type === "code").indexOf(cell) + 1;
  const text = cell?.sharedModel.getSource().split("\n")[line] ?? "";
  return `Cell ${number}, line ${line + 1}: ${text.trim().slice(0, 80)}`;
}

function fileOf(uri) {
  return decodeURIComponent(uri.replace(/^file:\/\//, "")).replace(/^.*\/node_modules\//, "");
}

function offsetIn(text, { line, character }) {
  const before = text.split("\n").slice(0, line);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + character;
}

/** Fixes follow their error. */
function focusFirstButton(part) {
  const found = () => part.querySelector("button");
  if (found()) return found().focus();
  const observer = new MutationObserver(() => {
    found()?.focus();
    observer.disconnect();
  });
  observer.observe(part, { childList: true, subtree: true });
}
