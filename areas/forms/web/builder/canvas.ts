// The canvas: shows the form with the same markup and style sheet as sites, in a shadow root of a
// frame with a phone's or a desktop's width. Its blocks can be selected, edited and dragged.
import { loadFonts } from '#embed/forms/site/fonts.ts';
import {
  type CanvasContent,
  markSelected,
  PAGE,
  drawParts,
  placeHost,
  prepareBlocks,
  buildStyles,
} from './canvas-drawing.ts';
import { watchDrops } from './canvas-drops.ts';
import { editInline } from './canvas-editing.ts';

export type CanvasActions = {
  select(id: string | null): void;
  /** The text of a block and whether it may have several lines; undefined if it has no text. */
  readText(id: string): { text: string; hasLines: boolean } | undefined;
  setText(id: string, text: string): void;
  /** @param before the ID of the block to insert before; null inserts at the end */
  dropBlock(dragged: string, before: string | null): void;
  onBlockKeyDown(event: KeyboardEvent, id: string): void;
  /** Keyboard shortcuts of the builder: undo, redo, save. */
  onKeyDown(event: KeyboardEvent): void;
};

type TextEditing = { id: string; end: () => void };

const findBlockElement = (target: EventTarget | null): HTMLElement | null =>
  (target as Element | null)?.closest?.<HTMLElement>('[data-block]') ?? null;

export class FormCanvas {
  readonly #page: Document;
  readonly #actions: CanvasActions;
  readonly #host: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #content: HTMLElement;
  readonly #pressed: PressWatch;
  #writing: TextEditing | undefined;
  #last: CanvasContent | undefined;

  constructor(page: Document, actions: CanvasActions) {
    this.#page = page;
    this.#actions = actions;
    page.adoptedStyleSheets = [createSheet(page, PAGE)];
    this.#host = page.createElement('div');
    this.#root = this.#host.attachShadow({ mode: 'open' });
    this.#content = page.createElement('div');
    this.#content.id = 'sender-form-content';
    this.#root.append(this.#content);
    this.#pressed = watchPresses(page);
    this.#watchClicks();
    this.#watchFocus();
    watchDrops(page, this.#root, actions);
  }

  draw(content: CanvasContent): void {
    const previous = this.#last;
    this.#last = content;
    if (
      previous &&
      previous.compiledForm === content.compiledForm &&
      previous.side === content.side
    ) {
      // A pressed element must not be replaced before its release, or no click event fires.
      if (!this.#writing) markSelected(this.#content, content.selectedId);
      return;
    }
    this.#root.adoptedStyleSheets = [createSheet(this.#page, buildStyles(content))];
    placeHost(this.#page, this.#host, content);
    const { steps, success } = content.compiledForm;
    if (content.fonts.length > 0)
      loadFonts(location.origin, content.fonts, JSON.stringify([steps, success]), this.#page).catch(
        () => undefined,
      );
    // During inline editing nothing is redrawn, because that would lose the caret.
    if (!this.#writing) this.#fill(content);
  }

  /** Makes the text of a block editable; each input updates the document. */
  startEditing(id: string): void {
    this.#writing?.end();
    const block = this.#blockWith(id);
    const editable = this.#actions.readText(id);
    if (!block || !editable) return;
    const end = () => {
      if (this.#writing?.id !== id) return;
      this.#writing = undefined;
      if (this.#last) this.#fill(this.#last);
    };
    this.#writing = { id, end };
    editInline(this.#page, block, {
      ...editable,
      name: this.#last?.blockNames.get(id) ?? '',
      onInput: (text) => this.#actions.setText(id, text),
      onBlur: () => this.#pressed.runAfterRelease(end),
      onFinish: () => {
        end();
        this.focus(id);
      },
      onKeyDown: this.#actions.onKeyDown,
    });
  }

  stopEditing(): void {
    this.#writing?.end();
  }

  focus(id: string): void {
    this.#blockWith(id)?.focus();
  }

  #blockWith(id: string): HTMLElement | null {
    return this.#root.querySelector<HTMLElement>(`[data-block="${CSS.escape(id)}"]`);
  }

  #fill(content: CanvasContent): void {
    const focusedId = findBlockElement(this.#root.activeElement)?.dataset.block;
    this.#content.replaceChildren(...drawParts(this.#page, content));
    prepareBlocks(this.#page, this.#content, content);
    markSelected(this.#content, content.selectedId);
    if (focusedId) this.focus(focusedId);
  }

  #watchClicks(): void {
    this.#root.addEventListener('submit', (event) => event.preventDefault());
    this.#root.addEventListener('click', (event) => {
      // Links, labels and buttons do not act as they do on a site.
      event.preventDefault();
      const id = findBlockElement(event.target)?.dataset.block;
      if (!id || this.#writing?.id === id) return;
      this.#actions.select(id);
      this.startEditing(id);
    });
    this.#page.addEventListener('click', (event) => {
      if (event.composedPath().some((eventTarget) => findBlockElement(eventTarget as EventTarget)))
        return;
      this.#actions.select(null);
    });
  }

  #watchFocus(): void {
    this.#root.addEventListener('focusin', (event) => {
      const id = findBlockElement(event.target)?.dataset.block;
      if (id && !this.#writing && this.#last?.selectedId !== id) this.#actions.select(id);
    });
    this.#page.addEventListener('keydown', (event) => {
      this.#actions.onKeyDown(event);
      const id = findBlockElement(this.#root.activeElement)?.dataset.block;
      if (id && !event.defaultPrevented) this.#actions.onBlockKeyDown(event, id);
    });
  }
}

function createSheet(page: Document, css: string): CSSStyleSheet {
  const view = page.defaultView as Window & typeof globalThis;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

type PressWatch = { runAfterRelease: (action: () => void) => void };

/**
 * Delays an action until the pointer is released, so that it does not replace the pressed element.
 */
function watchPresses(page: Document): PressWatch {
  let isDown = false;
  let waiting: (() => void) | undefined;
  page.addEventListener('pointerdown', () => (isDown = true), true);
  const release = () => {
    isDown = false;
    setTimeout(() => {
      waiting?.();
      waiting = undefined;
    });
  };
  for (const type of ['pointerup', 'pointercancel', 'dragend'])
    page.addEventListener(type, release, true);
  return {
    runAfterRelease: (action) => {
      if (isDown) waiting = action;
      else action();
    },
  };
}
