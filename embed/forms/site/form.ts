// Renders one form on a customer's page and submits it. The form is in a shadow root, so that
// styles remain separate; popups are in the top layer (popover API).
import { ISO, type Snapshot } from '../shared/document.ts';
import {
  type InboxLink,
  type SuccessNote,
  type ShownPrize,
  renderSuccess,
} from '../shared/success.ts';
import { type FormAnswers, findFaults } from '../shared/validate.ts';
import { type Captcha, createCaptchaFrame } from './captcha.ts';
import { renderHostStyles } from './host-styles.ts';
import { TRAP } from '../shared/honeypot.ts';
import { mount } from './mount.ts';
import { toJson } from './plain-json.ts';
import { type Challenge, prove } from './prove.ts';

export type ShownForm = {
  close(): void;
  /** Removes the form from the page. */
  remove(): void;
  /** True while the form is on the page; the page may have replaced its container. */
  isThere(): boolean;
};

export type ShowOptions = {
  base: string;
  snapshot: Snapshot;
  /** Embedded forms: the container on the page. Popups: undefined. */
  place?: Element | undefined;
  onClose?: (() => void) | undefined;
  onSent?: (() => void) | undefined;
  onStart?: (() => void) | undefined;
  nonce?: string | undefined;
  /** Code of the wheel, loaded before the form is shown, so that the layout does not shift. */
  wheel?: WheelPiece | undefined;
  /** True in the builder's preview, which submits nothing. */
  isPreview?: boolean | undefined;
  /** Example of a prize, for the preview. */
  samplePrize?: ShownPrize | undefined;
  /** True shows the success view. */
  isSent?: boolean | undefined;
};

const MAX_ATTEMPTS = 5;

export function showForm(options: ShowOptions): ShownForm {
  const { snapshot, place } = options;
  const host = document.createElement('div');
  host.className = place
    ? `sender-subs-embeded-form sender-subs-embed-form-${snapshot.id}`
    : `sender-subs-popup-form-${snapshot.id}`;
  host.lang = ISO[snapshot.language];
  host.dir = snapshot.direction;
  const root = host.attachShadow({ mode: 'open' });
  containEvents(root);
  const styles = renderHostStyles(snapshot.layout, place !== undefined) + pageFont(place);
  addStyles(root, styles + snapshot.css, options.nonce);
  const view = document.createElement('div');
  view.id = 'sender-form-content';
  root.append(view);
  const previousFocus = document.activeElement as HTMLElement | null;
  let tab: HTMLElement | undefined;
  let isSent = false;
  const shownForm: ShownForm = {
    close() {
      detach(host);
      previousFocus?.focus?.({ preventScroll: true });
      // Closing a form that has a teaser folds it into a tab. Only the tab's own × dismisses the
      // form.
      if (snapshot.teaser && !place && !isSent) {
        tab ??= makeTab(options, openForm, () => {
          detach(tab);
          options.onClose?.();
        });
        document.documentElement.append(tab);
      } else options.onClose?.();
    },
    remove() {
      detach(tab);
      detach(host);
    },
    isThere: () => host.isConnected,
  };
  const openForm = () => {
    detach(tab);
    document.documentElement.append(host);
    if (!place) lift(host);
    focusFirst(root, snapshot);
  };
  // Popups are children of the root element, because some single-page apps replace the whole body.
  (place ?? document.documentElement).append(host);
  if (!place) openPopup(host, snapshot, shownForm);
  const onSent = () => {
    isSent = true;
    options.onSent?.();
  };
  runSteps(view, { ...options, onSent }, shownForm);
  if (!place) animateIn(view);
  if (snapshot.fonts?.length) addFonts(options);
  if (options.isSent) void succeed(view, options, previewResult(options), true);
  else if (!place) onceDrawn(() => focusFirst(root, snapshot));
  return shownForm;
}

/** Returns a CSS rule with the font of the page's text, for forms without their own font. */
function pageFont(container: Element | undefined): string {
  const { fontFamily } = getComputedStyle(container ?? document.body);
  return /^[^{}<;]+$/.test(fontFamily) ? `:host{font-family:${fontFamily}!important}` : '';
}

const INSIDE = 'keydown keypress keyup beforeinput input paste copy cut'.split(' ');

/**
 * Keeps keyboard, input and clipboard events within the form: pages that listen for shortcuts would
 * not see that the target is an input field.
 */
function containEvents(root: ShadowRoot): void {
  for (const type of INSIDE) root.addEventListener(type, (event) => event.stopPropagation());
}

/**
 * Removes through the parent node, because some page libraries replace `remove` with a function
 * that throws for detached nodes.
 */
const detach = (node: Node | undefined) => void node?.parentNode?.removeChild(node);

function addStyles(root: ShadowRoot, css: string, nonce: string | undefined): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    if (nonce) style.nonce = nonce;
    style.textContent = css;
    root.append(style);
  }
}

/**
 * Calls `callback` in a task after the next frame. Setting the focus forces a layout, which would
 * block the page longer in the task that draws the form.
 */
function onceDrawn(callback: () => void): void {
  requestAnimationFrame(() => setTimeout(callback));
}

/**
 * Moves the box up slightly and fades in the backdrop; the text is visible from the first frame.
 */
function animateIn(view: HTMLElement): void {
  if (matchMedia('(prefers-reduced-motion:reduce)').matches) return;
  const timing = { duration: 220, easing: 'ease-out' };
  view
    .querySelector('.sender-form-box')
    ?.animate?.([{ transform: 'translateY(16px)' }, { transform: 'none' }], timing);
  view.querySelector('.sender-modal-background')?.animate?.([{ opacity: 0 }, {}], timing);
}

const isQuiet = ({ layout }: Snapshot) => layout === 'corner' || layout === 'bar';

function openPopup(host: HTMLElement, snapshot: Snapshot, shownForm: ShownForm): void {
  host.setAttribute('role', isQuiet(snapshot) ? 'region' : 'dialog');
  if (!isQuiet(snapshot)) host.setAttribute('aria-modal', 'true');
  lift(host);
  const root = host.shadowRoot as ShadowRoot;
  root.addEventListener('keydown', (event) => {
    const { key } = event as KeyboardEvent;
    if (key === 'Escape') shownForm.close();
    if (key === 'Tab' && !isQuiet(snapshot)) trapFocus(event as KeyboardEvent, root);
  });
}

/** Moves the popup into the top layer. */
function lift(host: HTMLElement): void {
  try {
    host.popover = 'manual';
    host.showPopover();
  } catch {
    // Without a top layer, the highest z-index is used.
  }
}

/** Creates the tab of a closed popup, which reopens the popup and has its own ×. */
function makeTab(
  { snapshot, nonce }: ShowOptions,
  onOpen: () => void,
  close: () => void,
): HTMLElement {
  const tab = document.createElement('div');
  tab.className = `sender-subs-teaser-${snapshot.id}`;
  tab.dir = snapshot.direction;
  const root = tab.attachShadow({ mode: 'open' });
  addStyles(
    root,
    `:host{all:initial!important;position:fixed!important;inset:auto auto 16px 16px!important;z-index:2147483646!important}${snapshot.css}.tab{display:flex;align-items:center}.tab .sender-form-close{position:static;background:#fff;color:#1b1d22;box-shadow:0 0 0 1px #0002}`,
    nonce,
  );
  const tabContainer = document.createElement('div');
  tabContainer.className = 'tab';
  const textButton = document.createElement('button');
  textButton.type = 'button';
  textButton.className = 'sender-form-button';
  textButton.textContent = snapshot.teaser;
  textButton.addEventListener('click', onOpen);
  tabContainer.append(textButton, closeButton(snapshot, { close }));
  root.append(tabContainer);
  return tab;
}

const FOCUSABLE =
  'a[href],button,input:not([type=hidden]):not([tabindex="-1"]),select,[tabindex="0"]';

/** Keeps the Tab key inside the popup; the rest of the page is not made inert. */
function trapFocus(event: KeyboardEvent, root: ShadowRoot): void {
  const focusable = [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.offsetParent !== null && !element.closest('.trap'),
  );
  const [first, last] = [focusable[0], focusable.at(-1)];
  if (event.shiftKey && root.activeElement === first) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && root.activeElement === last) {
    event.preventDefault();
    first?.focus();
  }
}

function focusFirst(root: ShadowRoot, snapshot: Snapshot): void {
  if (isQuiet(snapshot)) return;
  const isTouch = matchMedia('(pointer:coarse)').matches;
  const field = root.querySelector<HTMLElement>(
    'input:not([type=hidden]):not([tabindex="-1"]),select',
  );
  if (field && !isTouch) {
    field.focus({ preventScroll: true });
    return;
  }
  const box = root.querySelector<HTMLElement>('.sender-form-box');
  if (!box) return;
  box.tabIndex = -1;
  box.focus({ preventScroll: true });
}

type FormState = {
  step: number;
  answers: FormAnswers;
  key: string;
  startedAt: number;
  proof: Promise<string> | undefined;
  trap: HTMLInputElement | undefined;
  captcha: Captcha | undefined;
  hasStarted: boolean;
};

function runSteps(view: HTMLElement, options: ShowOptions, shownForm: ShownForm): void {
  const state: FormState = {
    step: 0,
    answers: {},
    key: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
    startedAt: performance.now(),
    proof: undefined,
    trap: undefined,
    captcha: undefined,
    hasStarted: false,
  };
  drawStep(view, options, shownForm, state);
}

function drawStep(
  view: HTMLElement,
  options: ShowOptions,
  shownForm: ShownForm,
  state: FormState,
): void {
  const { snapshot, place } = options;
  const tree = snapshot.steps[state.step];
  if (!tree) return;
  const box = mount(tree) as HTMLElement;
  const nodes: Node[] = [box];
  const isModal = !place && !isQuiet(snapshot) && snapshot.layout !== 'full';
  if (isModal) {
    const behind = document.createElement('div');
    behind.className = 'sender-modal-background';
    behind.addEventListener('click', () => shownForm.close());
    nodes.unshift(behind);
  }
  if (!place) box.append(closeButton(snapshot, shownForm));
  view.replaceChildren(...nodes);
  if (!place) nameDialog(view);
  const form = box.querySelector('form');
  if (!form) return;
  state.trap = addTrap(form);
  fillHidden(form);
  form.addEventListener('focusin', () => work(options, state), { once: true });
  // A popup focuses its first field automatically, so only typing counts as a start.
  form.addEventListener('input', () => markStarted(options, state), { once: true });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(form, view, options, shownForm, state);
  });
  for (const button of form.querySelectorAll('[data-act=close]'))
    button.addEventListener('click', () => shownForm.close());
  if (isGuarded(snapshot) && state.step === snapshot.steps.length - 1 && !options.isPreview)
    addCaptcha(form, options, state);
  addWheel(box, options);
}

/** True if a third-party captcha protects the form. */
const isGuarded = ({ captcha }: Snapshot) => captcha !== 'altcha' && captcha !== 'none';

function addCaptcha(
  form: HTMLFormElement,
  { base, snapshot }: ShowOptions,
  state: FormState,
): void {
  const address = `${base}/f/captcha/${snapshot.id}?hl=${ISO[snapshot.language]}`;
  state.captcha = createCaptchaFrame(address, new URL(base).origin, (token) => {
    state.proof = token === '' ? undefined : Promise.resolve(token);
  });
  const button = form.querySelector('.sender-form-button');
  if (button) button.before(state.captcha.frame);
  else form.append(state.captcha.frame);
}

/** Labels a popup with its heading, otherwise its first paragraph, otherwise the page's title. */
function nameDialog(view: HTMLElement): void {
  const { host } = view.getRootNode() as ShadowRoot;
  const heading = view.querySelector('h2') ?? view.querySelector('p');
  host.setAttribute('aria-label', heading?.textContent?.trim() || document.title);
}

function closeButton(snapshot: Snapshot, shownForm: Pick<ShownForm, 'close'>): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'sender-form-close';
  button.textContent = '×';
  button.setAttribute('aria-label', snapshot.words.close ?? 'Close');
  button.addEventListener('click', () => shownForm.close());
  return button;
}

/** Adds the honeypot field: a value in it indicates a bot. */
function addTrap(form: HTMLFormElement): HTMLInputElement {
  const trap = document.createElement('div');
  trap.className = 'trap';
  trap.setAttribute('aria-hidden', 'true');
  const input = document.createElement('input');
  for (const [name, value] of Object.entries(TRAP)) input.setAttribute(name, value);
  trap.append(input);
  form.append(trap);
  return input;
}

/** Fills hidden fields with the query parameters of the page's URL that they name. */
function fillHidden(form: HTMLFormElement): void {
  const query = new URLSearchParams(location.search);
  for (const input of form.querySelectorAll<HTMLInputElement>('input[type=hidden][data-query]')) {
    const name = /^\{\{\s*([\w-]+)\s*\}\}$/.exec(input.value)?.[1];
    if (name) input.value = query.get(name) ?? '';
  }
}

function markStarted({ onStart }: ShowOptions, state: FormState): void {
  if (!state.hasStarted) onStart?.();
  state.hasStarted = true;
}

/** Starts the proof of work at the first focus, so that submitting does not wait for it. */
function work({ base, snapshot, isPreview }: ShowOptions, state: FormState): void {
  if (snapshot.captcha !== 'altcha' || isPreview) return;
  state.proof ??= newProof(base, snapshot.id);
  state.proof.catch(() => undefined);
}

async function newProof(base: string, id: string): Promise<string> {
  const response = await fetch(`${base}/f/${id}/challenge`, { credentials: 'omit' });
  return prove((await response.json()) as Challenge);
}

function readValues(form: HTMLFormElement, rules: Snapshot['rules']): FormAnswers {
  const data = new FormData(form);
  const present = new Set([...form.elements].map((element) => (element as HTMLInputElement).name));
  const formValues: FormAnswers = {};
  for (const { key, as } of rules) {
    if (!present.has(key)) continue;
    const values = isUnreadable(form, key) ? ['?'] : data.getAll(key).map(String);
    formValues[key] = as === 'choices' || as === 'interests' ? values : values[0];
  }
  return formValues;
}

/**
 * Detects a partial entry: a browser's picker returns an empty value for it, but it is invalid, not
 * missing.
 */
function isUnreadable(form: HTMLFormElement, key: string): boolean {
  const element = form.elements.namedItem(key);
  return element instanceof HTMLInputElement && element.validity.badInput;
}

async function submit(
  form: HTMLFormElement,
  view: HTMLElement,
  options: ShowOptions,
  shownForm: ShownForm,
  state: FormState,
): Promise<void> {
  const { snapshot } = options;
  const button = form.querySelector<HTMLButtonElement>('.sender-form-button');
  if (button?.hasAttribute('aria-busy')) return;
  const values = readValues(form, snapshot.rules);
  const faults = findFaults(
    snapshot.rules.filter(({ key }) => Object.hasOwn(values, key)),
    values,
    snapshot.words,
  );
  showFaults(form, faults);
  if (Object.keys(faults).length > 0) return;
  Object.assign(state.answers, values);
  if (state.step < snapshot.steps.length - 1) {
    state.step += 1;
    drawStep(view, options, shownForm, state);
    view.querySelector<HTMLElement>('input:not([type=hidden]),select')?.focus();
    return;
  }
  if (isGuarded(snapshot) && !state.proof && !options.isPreview) {
    showFaults(form, { form: snapshot.words.captcha ?? '' });
    return;
  }
  button?.setAttribute('aria-busy', 'true');
  try {
    const result = options.isPreview ? previewResult(options) : await send(options, state);
    if (!result.ok) {
      showFaults(form, result.errors);
      return;
    }
    options.onSent?.();
    await succeed(view, options, result);
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

type AcceptedSubmission = {
  ok: true;
  prize?: ShownPrize | undefined;
  note?: SuccessNote | undefined;
  /** Link to the test inbox; only for visitors on the installation's own machine. */
  inbox?: InboxLink | undefined;
};
type SubmissionResult = AcceptedSubmission | { ok: false; errors: Record<string, string> };

/** The simulated response in a preview. */
const previewResult = ({ samplePrize }: ShowOptions): AcceptedSubmission => ({
  ok: true,
  prize: samplePrize,
});

/** Retries use the same key, so that a submission that arrives several times counts once. */
async function send(
  options: ShowOptions,
  state: FormState,
  isAgain?: boolean,
): Promise<SubmissionResult> {
  const { base, snapshot } = options;
  const labels = snapshot.words;
  let proof = '';
  if (snapshot.captcha === 'altcha') state.proof ??= newProof(base, snapshot.id);
  if (state.proof) proof = await state.proof.catch(() => '');
  const body = toJson({
    key: state.key,
    version: snapshot.version,
    data: state.answers,
    proof,
    ms: Math.round(performance.now() - state.startedAt),
    trap: state.trap?.value ?? '',
    url: location.href.slice(0, 2000),
  });
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const response = await fetch(`${base}/f/${snapshot.id}`, {
        method: 'POST',
        // A plain-text body needs no CORS preflight.
        headers: { 'content-type': 'text/plain' },
        credentials: 'omit',
        body: body ?? null,
      });
      if (response.ok)
        return { ok: true, ...((await response.json()) as Omit<AcceptedSubmission, 'ok'>) };
      if (response.status === 422) {
        const { errors } = (await response.json()) as { errors: Record<string, string> };
        // A proof is valid once, so the next attempt needs a new one.
        state.proof = undefined;
        state.captcha?.again();
        // Our proof expires if the visitor types for a long time or a newer version is published:
        // retry automatically instead of asking for a second click.
        if (errors.form && !isGuarded(snapshot) && !isAgain) {
          state.proof = newProof(base, snapshot.id);
          return send(options, state, true);
        }
        return { ok: false, errors };
      }
      if (response.status === 410) return { ok: false, errors: { form: labels.closed ?? '' } };
    } catch {
      // The request failed, for example because the device is offline; retry after a delay.
    }
    await new Promise((settle) => setTimeout(settle, 400 * 2 ** attempt));
  }
  return { ok: false, errors: { form: labels.failed ?? '' } };
}

function showFaults(form: HTMLFormElement, faults: Record<string, string>): void {
  const unplacedFaults = { ...faults };
  let general: HTMLElement | undefined;
  for (const faultElement of form.querySelectorAll<HTMLElement>('[data-fault]')) {
    const key = faultElement.dataset.fault ?? '';
    faultElement.textContent = faults[key] ?? '';
    delete unplacedFaults[key];
    if (key === 'form') general = faultElement;
  }
  // Shows an error of a field that is on another step or only in a newer version of the form.
  const [other] = Object.values(unplacedFaults);
  if (other && general && !general.textContent) general.textContent = other;
  let firstInvalid: HTMLElement | undefined;
  for (const element of form.elements) {
    const input = element as HTMLInputElement;
    if (input.type === 'hidden') continue;
    const isWrong = Boolean(faults[input.name]);
    if (isWrong) {
      input.setAttribute('aria-invalid', 'true');
      firstInvalid ??= input;
    } else input.removeAttribute('aria-invalid');
  }
  firstInvalid?.focus();
}

async function succeed(
  view: HTMLElement,
  options: ShowOptions,
  { prize, note, inbox }: AcceptedSubmission,
  isAtOnce?: boolean,
): Promise<void> {
  const { snapshot } = options;
  if (prize && snapshot.wheel && !isAtOnce) {
    const place = view.querySelector<HTMLElement>('.wheel');
    if (place) await options.wheel?.spin(place, snapshot.wheel, prize.slice);
  }
  // The visitor must be able to read a note or the code of a prize, so the page does not change.
  if (snapshot.redirect && !note && !options.isPreview && !(prize && !prize.lost)) {
    location.assign(snapshot.redirect);
    return;
  }
  const box = view.querySelector('.sender-form-box');
  const form = box?.querySelector('form');
  if (!form) return;
  const success = mount(renderSuccess(snapshot, prize, note)) as HTMLElement;
  success.tabIndex = -1;
  form.replaceChildren(success);
  if (inbox || form.querySelector('[data-copy]'))
    withPiece<typeof import('./copy-button.ts')>(options.base, 'copy-button', (piece) =>
      piece.addCopyButton(success, inbox),
    );
  success.focus({ preventScroll: true });
}

/**
 * Loads a script that only some forms need. The form also works without it (offline, an old
 * browser): the next font of the font stack is used, and a code can be selected manually.
 */
function withPiece<Piece>(base: string, name: string, use: (piece: Piece) => unknown): void {
  void import(/* @vite-ignore */ `${base}/f/r/${name}.js`).then(use).catch(() => undefined);
}

function addFonts({ base, snapshot }: ShowOptions): void {
  const { steps, success, words: texts, fonts = [] } = snapshot;
  withPiece<typeof import('./fonts.ts')>(base, 'fonts', (piece) =>
    piece.loadFonts(base, fonts, toJson([steps, success, texts]) ?? ''),
  );
}

type WheelPiece = typeof import('./wheel.ts');

function addWheel(box: HTMLElement, { snapshot, wheel: piece }: ShowOptions): void {
  if (!snapshot.wheel || !piece) return;
  const wheel = piece.drawWheel(snapshot.wheel);
  if (snapshot.layout === 'wheel-above') box.prepend(wheel);
  else box.append(wheel);
}
