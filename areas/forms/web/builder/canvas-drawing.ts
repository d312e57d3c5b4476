// The content of the canvas: the form's own markup, and a simulated site around it.
import type { FormType, FormLayout, WheelSlice } from '#embed/forms/shared/document.ts';
import type { CompiledForm } from '#embed/forms/shared/compile.ts';
import type { WebFont } from '#embed/forms/shared/fonts.ts';
import { type ShownPrize, renderSuccess } from '#embed/forms/shared/success.ts';
import { renderHostStyles } from '#embed/forms/site/host-styles.ts';
import { mount } from '#embed/forms/site/mount.ts';
import { drawWheel } from '#embed/forms/site/wheel.ts';

export type CanvasContent = {
  type: FormType;
  layout: FormLayout;
  direction: 'ltr' | 'rtl';
  language: string;
  compiledForm: CompiledForm;
  side: number | 'success';
  wheel: readonly WheelSlice[] | null;
  /** The prize that the success view shows as an example. */
  prize: ShownPrize | undefined;
  fonts: readonly WebFont[];
  selectedId: string | null;
  /** The names of blocks, by id. */
  blockNames: ReadonlyMap<string, string>;
  emptyText: string;
};

/** Styles of the simulated page. */
export const PAGE =
  'html,body{height:100%}body{margin:0;background:#f4f4f2;font:16px system-ui}.page{display:grid;gap:20px;padding:40px clamp(20px,8vw,96px)}.page div{height:18px;border-radius:4px;background:#e6e6e1}.page div:first-child{height:44px;width:46%}.page div:nth-child(2n){width:88%}main{padding:32px 16px}';

const TOOLS =
  '[data-block]{cursor:pointer}[data-block]:hover{outline:1px dashed #3b4fe4;outline-offset:3px}[data-block]:focus-visible,[data-selected]{outline:2px solid #3b4fe4!important;outline-offset:3px}[data-writing]{cursor:text;outline:2px solid #3b4fe4!important;outline-offset:3px}button[data-writing],div.sender-form-button{text-align:center}.sender-form-input,.box input{pointer-events:none}.drop-before{box-shadow:0 -4px 0 -1px #3b4fe4}.drop-after{box-shadow:0 4px 0 -1px #3b4fe4}.nothing{padding:24px;border:1px dashed currentColor;border-radius:6px;text-align:center}';

const UNDIMMED: readonly FormLayout[] = ['corner', 'bar', 'full'];

/**
 * Combines the styles that a published form has with the builder's styles for selection, editing
 * and drop targets. The font is that of the simulated page.
 */
export const buildStyles = ({ layout, type, compiledForm }: CanvasContent): string =>
  `${renderHostStyles(layout, type === 'embed')}${compiledForm.css}${TOOLS}:host{z-index:1!important;font-family:system-ui!important}`;

/** Places an embedded form within `main`, and any other form over a simulated page. */
export function placeHost(
  page: Document,
  host: HTMLElement,
  { type, direction, language }: CanvasContent,
): void {
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

/**
 * Creates the elements that the caller inserts into the form's host: the box with its close icon,
 * and the overlay behind it if the layout dims the page. An embedded form has no close icon and no
 * overlay. The box of a prize wheel also contains the wheel.
 */
export function drawParts(page: Document, canvasContent: CanvasContent): HTMLElement[] {
  const { compiledForm, side, type, layout } = canvasContent;
  const box =
    side === 'success'
      ? createSuccessBox(canvasContent)
      : (mount(compiledForm.steps[side] ?? '') as HTMLElement);
  const parts = [box];
  if (type !== 'embed') {
    box.append(closeIcon(page));
    if (!UNDIMMED.includes(layout)) parts.unshift(createDimmedPage(page));
  }
  if (canvasContent.wheel) addWheel(box, canvasContent);
  return parts;
}

/** Creates the success view, which replaces the form in the box of the last step, as on sites. */
function createSuccessBox({ compiledForm, wheel, prize }: CanvasContent): HTMLElement {
  const box = mount(compiledForm.steps.at(-1) ?? '') as HTMLElement;
  const view = mount(renderSuccess({ success: compiledForm.success, words: {}, wheel }, prize));
  box.querySelector('form')?.replaceChildren(view);
  return box;
}

function closeIcon(page: Document): HTMLElement {
  const close = page.createElement('span');
  close.className = 'sender-form-close';
  close.textContent = '×';
  close.setAttribute('aria-hidden', 'true');
  close.style.textAlign = 'center';
  close.style.lineHeight = '40px';
  return close;
}

function createDimmedPage(page: Document): HTMLElement {
  const behind = page.createElement('div');
  behind.className = 'sender-modal-background';
  return behind;
}

function addWheel(box: HTMLElement, { wheel, layout }: CanvasContent): void {
  const canvasContent = drawWheel(wheel ?? []);
  if (layout === 'wheel-above') box.prepend(canvasContent);
  else box.append(canvasContent);
}

/**
 * Makes the blocks draggable and focusable instead of the controls inside them. Shows `emptyText`
 * if there are no blocks.
 */
export function prepareBlocks(
  page: Document,
  content: HTMLElement,
  { blockNames, emptyText }: CanvasContent,
): void {
  for (const control of content.querySelectorAll<HTMLElement>('input,select,button,a'))
    control.tabIndex = -1;
  const blocks = [...content.querySelectorAll<HTMLElement>('[data-block]')];
  for (const block of blocks) {
    block.tabIndex = 0;
    block.draggable = true;
    // Screen readers read the block's content, then its description: the kind of block.
    block.setAttribute('aria-description', blockNames.get(block.dataset.block ?? '') ?? '');
  }
  if (blocks.length > 0) return;
  const nothing = page.createElement('p');
  nothing.className = 'nothing';
  nothing.textContent = emptyText;
  content.querySelector('.sender-form-els')?.append(nothing);
}

export function markSelected(content: HTMLElement, selectedId: string | null): void {
  for (const block of content.querySelectorAll<HTMLElement>('[data-block]'))
    block.toggleAttribute('data-selected', block.dataset.block === selectedId);
}
