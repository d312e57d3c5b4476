// The canvas: the form as sites show it, by the same trees and style sheet in a shadow root of a frame, whose
// width is what a phone's is. Here its blocks can be selected, written in, moved and dropped on.
import { type Compiled } from '#embed/forms/shared/compile.ts';
import type { FormType, Layout, WheelSlice } from '#embed/forms/shared/document.ts';
import { loadFonts } from '#embed/forms/site/fonts.ts';
import type { WebFont } from '#embed/forms/shared/fonts.ts';
import { hostStyles } from '#embed/forms/site/host-styles.ts';
import { successTree } from '#embed/forms/shared/success.ts';
import { mount } from '#embed/forms/site/mount.ts';
import { drawWheel } from '#embed/forms/site/wheel.ts';

/** What is dragged says what it is under this type. */
export const DRAGGED = 'application/x-sendloom-block';

export type Drawn = {
  type: FormType;
  layout: Layout;
  direction: 'ltr' | 'rtl';
  language: string;
  compiled: Compiled;
  side: number | 'success';
  wheel: readonly WheelSlice[] | null;
  fonts: readonly WebFont[];
  selected: string | null;
  /** What each block is called, by its id. */
  names: ReadonlyMap<string, string>;
  empty: string;
};

export type StageActions = {
  select(id: string | null): void;
  /** The words of a block; undefined where it has none. */
  wordsOf(id: string): { words: string; hasLines: boolean } | undefined;
  write(id: string, words: string): void;
  /** Something was dropped before this block; null: at the end. */
  drop(dragged: string, before: string | null): void;
  key(event: KeyboardEvent, id: string): void;
  /** Keys of the whole builder: undo, redo, save. */
  anyKey(event: KeyboardEvent): void;
};

const PAGE =
  'html,body{height:100%}body{margin:0;background:#f4f4f2;font:16px system-ui}.page{display:grid;gap:20px;padding:40px clamp(20px,8vw,96px)}.page div{height:18px;border-radius:4px;background:#e6e6e1}.page div:first-child{height:44px;width:46%}.page div:nth-child(2n){width:88%}main{padding:32px 16px}';

const TOOLS =
  '[data-block]{cursor:pointer}[data-block]:hover{outline:1px dashed #3b4fe4;outline-offset:3px}[data-block]:focus-visible,[data-selected]{outline:2px solid #3b4fe4!important;outline-offset:3px}[data-writing]{cursor:text;outline:2px solid #3b4fe4!important;outline-offset:3px}button[data-writing],div.sender-form-button{text-align:center}.sender-form-input,.box input{pointer-events:none}.drop-before{box-shadow:0 -4px 0 -1px #3b4fe4}.drop-after{box-shadow:0 4px 0 -1px #3b4fe4}.nothing{padding:24px;border:1px dashed currentColor;border-radius:6px;text-align:center}';

const cssSelector = (id: string) => `[data-block="${CSS.escape(id)}"]`;

export function createStage(page: Document, actions: StageActions) {
  const view = page.defaultView as Window & typeof globalThis;
  const sheet = (css: string) => {
    const made = new view.CSSStyleSheet();
    made.replaceSync(css);
    return made;
  };
  page.adoptedStyleSheets = [sheet(PAGE)];
  const host = page.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const content = page.createElement('div');
  content.id = 'sender-form-content';
  root.append(content);
  let writing: { id: string; end: () => void } | undefined;
  let last: Drawn | undefined;
  /** Something is pressed: what it is pressed on is not drawn anew before it is let go. */
  let isDown = false;
  let ending: (() => void) | undefined;
  page.addEventListener('pointerdown', () => (isDown = true), true);
  for (const type of ['pointerup', 'pointercancel', 'dragend'])
    page.addEventListener(
      type,
      () => {
        isDown = false;
        setTimeout(() => {
          ending?.();
          ending = undefined;
        });
      },
      true,
    );

  const blockOf = (target: EventTarget | null): HTMLElement | null =>
    (target as Element | null)?.closest?.<HTMLElement>('[data-block]') ?? null;

  function draw(drawn: Drawn): void {
    const before = last;
    last = drawn;
    if (before && before.compiled === drawn.compiled && before.side === drawn.side) {
      // What is pressed must stay what it is until it is let go, or no click comes of it.
      if (!writing) mark(drawn.selected);
      return;
    }
    root.adoptedStyleSheets = [
      sheet(
        `${hostStyles(drawn.layout, drawn.type === 'embed')}${drawn.compiled.css}${TOOLS}:host{z-index:1!important}`,
      ),
    ];
    place(drawn);
    const { steps, success } = drawn.compiled;
    if (drawn.fonts.length > 0)
      loadFonts(location.origin, drawn.fonts, JSON.stringify([steps, success]), page).catch(
        () => undefined,
      );
    // Whoever writes goes on writing: what is drawn anew would take the cursor away.
    if (!writing) fill(drawn);
  }

  function place({ type, direction, language }: Drawn): void {
    host.lang = language.slice(0, 2);
    host.dir = direction;
    if (host.isConnected && host.dataset.type === type) return;
    host.dataset.type = type;
    const lines = page.createElement('div');
    lines.className = 'page';
    lines.setAttribute('aria-hidden', 'true');
    lines.append(...[0, 1, 2, 3, 4, 5, 6].map(() => page.createElement('div')));
    const main = page.createElement('main');
    if (type === 'embed') main.append(host);
    page.body.replaceChildren(...(type === 'embed' ? [main] : [lines, host]));
  }

  function fill(drawn: Drawn): void {
    const focused = blockOf(root.activeElement)?.dataset.block;
    const { compiled, side, type, layout } = drawn;
    const box = side === 'success' ? successBox(drawn) : mount(compiled.steps[side] ?? '');
    const parts: Node[] = [box];
    if (type !== 'embed') {
      const close = page.createElement('span');
      close.className = 'sender-form-close';
      close.textContent = '×';
      close.setAttribute('aria-hidden', 'true');
      close.style.textAlign = 'center';
      close.style.lineHeight = '40px';
      (box as HTMLElement).append(close);
      if (!['corner', 'bar', 'full'].includes(layout)) {
        const behind = page.createElement('div');
        behind.className = 'sender-modal-background';
        parts.unshift(behind);
      }
    }
    if (drawn.wheel) addWheel(box as HTMLElement, drawn);
    content.replaceChildren(...parts);
    prepare(drawn);
    if (focused) root.querySelector<HTMLElement>(cssSelector(focused))?.focus();
  }

  /** As who won the first slice sees it. */
  function successBox({ compiled, wheel }: Drawn): HTMLElement {
    const box = page.createElement('div');
    box.className = 'sender-form-box';
    const form = page.createElement('div');
    form.className = 'sender-form';
    const prize = wheel?.[0] && { slice: 0, label: wheel[0].label, code: '' };
    form.append(mount(successTree({ success: compiled.success, words: {}, wheel }, prize)));
    box.append(form);
    return box;
  }

  function addWheel(box: HTMLElement, { wheel, layout }: Drawn): void {
    const drawn = drawWheel(wheel ?? []);
    if (layout === 'wheel-above') box.prepend(drawn);
    else box.append(drawn);
  }

  /** Blocks take the focus in place of what stands in them. */
  function prepare({ selected, names, empty }: Drawn): void {
    for (const one of content.querySelectorAll<HTMLElement>('input,select,button,a'))
      one.tabIndex = -1;
    const blocks = [...content.querySelectorAll<HTMLElement>('[data-block]')];
    for (const block of blocks) {
      block.tabIndex = 0;
      block.draggable = true;
      // What is written in it is read, not what it is.
      block.setAttribute('aria-description', names.get(block.dataset.block ?? '') ?? '');
    }
    mark(selected);
    if (blocks.length > 0) return;
    const nothing = page.createElement('p');
    nothing.className = 'nothing';
    nothing.textContent = empty;
    content.querySelector('.sender-form-els')?.append(nothing);
  }

  function mark(selected: string | null): void {
    for (const block of content.querySelectorAll<HTMLElement>('[data-block]'))
      block.toggleAttribute('data-selected', block.dataset.block === selected);
  }

  /** The words of a block become a field of their own; written to the document as they are typed. */
  function write(id: string): void {
    writing?.end();
    const block = root.querySelector<HTMLElement>(cssSelector(id));
    const given = actions.wordsOf(id);
    if (!block || !given) return;
    const part = partOf(block);
    part.textContent = given.words;
    part.dataset.writing = '';
    part.contentEditable = 'plaintext-only';
    if (part.contentEditable !== 'plaintext-only') part.contentEditable = 'true';
    part.setAttribute('role', 'textbox');
    part.setAttribute('aria-label', last?.names.get(id) ?? '');
    if (part.classList.contains('quiet')) part.classList.remove('quiet');
    block.draggable = false;
    const type = () => actions.write(id, part.innerText.replace(/\n$/, ''));
    const end = () => {
      if (writing?.id !== id) return;
      writing = undefined;
      if (last) fill(last);
    };
    writing = { id, end };
    part.addEventListener('input', type);
    part.addEventListener('blur', () => (isDown ? (ending = end) : end()));
    part.addEventListener('keydown', (event) => {
      actions.anyKey(event);
      event.stopPropagation();
      if (event.key === 'Escape' || (event.key === 'Enter' && !given.hasLines)) {
        event.preventDefault();
        end();
        root.querySelector<HTMLElement>(cssSelector(id))?.focus();
      }
    });
    part.focus();
    const range = page.createRange();
    range.selectNodeContents(part);
    range.collapse(false);
    const selection = page.getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  }

  /** Where its words stand. A button's space bar would press it: while one writes it is none. */
  function partOf(block: HTMLElement): HTMLElement {
    const inner = block.querySelector<HTMLElement>('.label, legend, .box > span');
    if (inner) return inner;
    if (block.localName !== 'button') return block;
    const stand = page.createElement('div');
    stand.className = block.className;
    stand.dataset.block = block.dataset.block ?? '';
    block.replaceWith(stand);
    return stand;
  }

  root.addEventListener('submit', (event) => event.preventDefault());
  root.addEventListener('click', (event) => {
    // Neither links nor labels nor buttons do here what they do on a site.
    event.preventDefault();
    const id = blockOf(event.target)?.dataset.block;
    if (!id || writing?.id === id) return;
    actions.select(id);
    write(id);
  });
  page.addEventListener('click', (event) => {
    if (event.composedPath().some((one) => blockOf(one as EventTarget))) return;
    actions.select(null);
  });
  root.addEventListener('focusin', (event) => {
    const id = blockOf(event.target)?.dataset.block;
    if (id && !writing && last?.selected !== id) actions.select(id);
  });
  page.addEventListener('keydown', (event) => {
    actions.anyKey(event);
    const id = blockOf(root.activeElement)?.dataset.block;
    if (id && !event.defaultPrevented) actions.key(event, id);
  });
  watchDrops(page, root, actions);

  return {
    draw,
    write,
    stopWriting: () => writing?.end(),
    focus: (id: string) => root.querySelector<HTMLElement>(cssSelector(id))?.focus(),
  };
}

export type Stage = ReturnType<typeof createStage>;

/** Blocks come from the palette, outside the frame, or from another place of the form. */
function watchDrops(page: Document, root: ShadowRoot, actions: StageActions): void {
  let shown: HTMLElement | undefined;
  const clear = () => {
    shown?.classList.remove('drop-before', 'drop-after');
    shown = undefined;
  };
  const over = (event: DragEvent): { block: HTMLElement; isAfter: boolean } | undefined => {
    const blocks = [...root.querySelectorAll<HTMLElement>('[data-block]')];
    const distance = (block: HTMLElement) => {
      const { top, bottom, left, right } = block.getBoundingClientRect();
      return (
        Math.max(0, top - event.clientY, event.clientY - bottom) +
        Math.max(0, left - event.clientX, event.clientX - right)
      );
    };
    const [nearest] = blocks.toSorted((a, b) => distance(a) - distance(b));
    if (!nearest) return undefined;
    const { top, height } = nearest.getBoundingClientRect();
    return { block: nearest, isAfter: event.clientY > top + height / 2 };
  };
  page.addEventListener('dragstart', (event) => {
    const [target] = event.composedPath();
    const id = (target as HTMLElement).dataset?.block;
    if (!id) return event.preventDefault();
    event.dataTransfer?.setData(DRAGGED, `move:${id}`);
  });
  page.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes(DRAGGED)) return;
    event.preventDefault();
    clear();
    const found = over(event);
    if (!found) return;
    shown = found.block;
    shown.classList.add(found.isAfter ? 'drop-after' : 'drop-before');
  });
  page.addEventListener('dragleave', clear);
  page.addEventListener('dragend', clear);
  page.addEventListener('drop', (event) => {
    const dragged = event.dataTransfer?.getData(DRAGGED);
    const found = over(event);
    clear();
    if (!dragged) return;
    event.preventDefault();
    const blocks = [...root.querySelectorAll<HTMLElement>('[data-block]')];
    const next = found && (found.isAfter ? blocks[blocks.indexOf(found.block) + 1] : found.block);
    actions.drop(dragged, next?.dataset.block ?? null);
  });
}
