// The script on customers' pages: finds the account's forms, decides when each may be shown, and
// loads the rest only then. Forms store nothing in the browser before the visitor closes or submits
// one. They never store a visitor id or set a cookie. Store commands load shop.ts, which has its
// own storage rules.
import type { IndexEntry, ShowRules, Snapshot } from '../shared/document.ts';
import { matchesPagePattern } from '../shared/page-patterns.ts';
import { toJson } from './plain-json.ts';
import type { ShownForm, ShowOptions } from './form.ts';

type FormPiece = { showForm(options: ShowOptions): ShownForm };
type ShopPiece = typeof import('../../stores/shop.ts');
type Index = { account: string; forms: IndexEntry[] };
type FormStatus = 'rendering' | 'enabled' | 'disabled';
type RenderOptions = { initialStatus?: 'enabled' | 'disabled'; onRender?: (id: string) => void };
type FormListener = (detail: { is: string; form: string }) => void;
type Queue = {
  q?: unknown[][];
  listeners?: Record<string, FormListener[]>;
  on?: (event: string, listener: FormListener) => void;
  (...of: unknown[]): void;
};
type EmbedWindow = Window &
  typeof globalThis & {
    sender?: Queue;
    senderForms?: unknown;
    senderFormsLoaded?: boolean;
    dataLayer?: unknown[];
    __sendloom?: Registry;
  };

declare const __INDEX__: Index | undefined;
/** The product's URL, for tags that do not contain it. */
declare const __BASE__: string | undefined;

const page = window as EmbedWindow;
const script = ownTag();
const base = baseOf(script);
/** The owner's preview of a draft: nothing else is rendered, counted or stored. */
const previewKey = /[?&]sendloom_preview=([\w.-]+)/.exec(location.search)?.[1];
const isExplicit = Boolean(previewKey) || (script?.src.includes('explicit=true') ?? false);
const STORE = 'sendloom';

/** Returns the script tag of this file; modules and bundles have no current script. */
function ownTag(): HTMLScriptElement | null {
  const currentScript = document.currentScript as HTMLScriptElement | null;
  if (currentScript?.src) return currentScript;
  const name = __INDEX__ ? `/f/${__INDEX__.account}.js` : '/accounts_resources/universal.js';
  return document.querySelector(`script[src*="${name}"]`);
}

/**
 * Returns the origin of the tag if its path is one of the product's. A copy or bundle at another
 * path uses the URL built into the file, if any.
 */
function baseOf(tag: HTMLScriptElement | null): string {
  const { origin, pathname } = new URL(tag?.src || location.href, location.href);
  const isOwn = /\/(f\/[\w-]+|accounts_resources\/universal)\.js$/.test(pathname);
  return isOwn || typeof __BASE__ === 'undefined' || !__BASE__ ? origin : __BASE__;
}

/**
 * The tag's consent mode. `act`: closing a form or submitting a popup is stored under one key of
 * the page's local storage. `ask`: nothing is stored and no popup opens automatically before
 * `senderForms.consent(true)`. `never`: nothing is ever stored.
 */
let consent = script?.dataset.consent ?? 'act';
/** Memory of this page view, used while `consent` does not allow storage. */
const visit: Memory = {};

type Memory = Record<string, { at: number; sent?: true }>;
const readMemory = (): Memory => {
  if (consent !== 'act') return visit;
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}') as Memory;
  } catch {
    return {};
  }
};
const remember = (id: string, isSent?: true) => {
  const memory = readMemory();
  if (consent !== 'act') {
    visit[id] = { at: Date.now(), ...(isSent || memory[id]?.sent ? { sent: true } : {}) };
    return;
  }
  try {
    const entries = memory;
    entries[id] = { at: Date.now(), ...(isSent || entries[id]?.sent ? { sent: true } : {}) };
    localStorage.setItem(STORE, toJson(entries) ?? '{}');
  } catch {
    // The page forbids storage, so the form will be shown again.
  }
};

const forms = new Map<string, IndexEntry>();
/** A page names a form by its public id or by its number, as the scripts of other products do. */
const idOf = (named: string): string => numbers.get(named) ?? named;
const numbers = new Map<string, string>();
const idsOf = (named: string | string[]): string[] => [named].flat().map(idOf);
/** Popups have one instance, embedded forms one per container. */
const shown = new Map<string, ShownForm[]>();
const status = new Map<string, FormStatus>();
/** Containers that contain a form or wait for one. */
const usedContainers = new Set<Element>();
/** Forms that the page has disabled and not enabled again. */
const off = new Set<string>();
const disarms = new Map<string, () => void>();
/** Time of the last exit intent by form; kept when the page changes its address. */
const leftAt = new Map<string, number>();
const countsByForm: Record<string, Record<string, number>> = {};

function count(id: string, event: 'view' | 'start' | 'close'): void {
  const counts = (countsByForm[id] ??= {});
  counts[event] = (counts[event] ?? 0) + 1;
}

/** Reports a few anonymous counts when the visitor leaves the page. */
function reportCounts(): void {
  const ids = Object.keys(countsByForm);
  if (ids.length === 0) return;
  const url = location.origin + location.pathname;
  const body = toJson({ device: device(), forms: countsByForm, url });
  for (const id of ids) delete countsByForm[id];
  navigator.sendBeacon?.(`${base}/f/count`, body);
}

const device = () =>
  innerWidth < 640
    ? 'mobile'
    : innerWidth < 1024 && matchMedia('(pointer:coarse)').matches
      ? 'tablet'
      : 'desktop';

/**
 * @param isRequested true applies only the dates, devices and pages of the rules: a click opens the
 * form without consent to storage, and regardless of earlier closes and submissions
 */
function mayShow({ id, show }: IndexEntry, isRequested?: boolean): boolean {
  if (!withinDates(show)) return false;
  const pageUrl = location.origin + location.pathname + location.search;
  const isNamed = show.visibility.pages.some((pattern) => matchesPagePattern(pattern, pageUrl));
  if (show.visibility.is === 'only' && !isNamed) return false;
  if (show.visibility.is === 'except' && isNamed) return false;
  if (isRequested) return true;
  if (consent === 'ask') return false;
  const record = readMemory()[id];
  if (!record) return true;
  if (record.sent) return false;
  return show.every === null || Date.now() - record.at > show.every * 60_000;
}

const withinDates = ({ from, until, hidden }: ShowRules) =>
  (!from || Date.now() >= Date.parse(from)) &&
  (!until || Date.now() <= Date.parse(until)) &&
  !hidden.includes(device());

const isThere = (id: string) => shown.has(id) || status.get(id) === 'rendering';

const POPUPS = '[class^=sender-subs-popup-form]';

function hasPopup(): boolean {
  for (const { id, type } of forms.values()) if (type !== 'embed' && isThere(id)) return true;
  return false;
}

async function show(entry: IndexEntry, target?: Element): Promise<void> {
  const { id, version, type } = entry;
  const piece = (name: string) => import(/* @vite-ignore */ `${base}/f/r/${name}.js`);
  if (target) {
    if (usedContainers.has(target)) return;
    usedContainers.add(target);
    // Only one popup is shown at a time, even if popups have identical triggers or belong to
    // different accounts.
  } else if (document.querySelector(POPUPS) || hasPopup()) return;
  status.set(id, 'rendering');
  try {
    const [snapshot, { showForm }, wheel] = await Promise.all([
      fetch(`${base}/f/s/${id}.${version}.json`, { credentials: 'omit' }).then(
        (response) => response.json() as Promise<Snapshot>,
      ),
      piece('form') as Promise<FormPiece>,
      // The wheel is loaded before the form is shown, because loading it later would shift the
      // layout.
      type === 'spinToWin' ? (piece('wheel') as Promise<ShowOptions['wheel']>) : undefined,
    ]);
    // The form has since been canceled or removed from the page.
    if (status.get(id) !== 'rendering' && !target) return;
    if (target && !(target.isConnected && usedContainers.has(target))) return;
    placeForm(entry, snapshot, (options) => showForm({ ...options, wheel }), target);
  } catch {
    // The form has since been deleted, or the visitor is offline: nothing is shown.
    status.set(id, 'disabled');
  }
}

function placeForm(
  { id, type }: IndexEntry,
  snapshot: Snapshot,
  showForm: (options: ShowOptions) => ShownForm,
  target: Element | undefined,
): void {
  target?.replaceChildren();
  const instance = showForm({
    base,
    snapshot,
    place: target,
    nonce: script?.nonce || undefined,
    onStart: () => count(id, 'start'),
    onClose() {
      shown.delete(id);
      status.set(id, 'disabled');
      count(id, 'close');
      remember(id);
      notifyPage('close', id);
    },
    onSent() {
      if (type !== 'embed') remember(id, true);
      notifyPage('sent', id);
    },
  });
  const earlier = shown.get(id) ?? [];
  // Two instances on one page are counted as one view.
  if (earlier.length === 0) count(id, 'view');
  shown.set(id, [...earlier, instance]);
  status.set(id, 'enabled');
  notifyPage('show', id);
}

/** Notifies the page's listeners and its data layer, if it has one, without personal data. */
function notifyPage(is: string, form: string): void {
  const detail = { is, form };
  announce('sendloom', detail);
  for (const listener of page.sender?.listeners?.[is] ?? []) callPageCode(() => listener(detail));
  callPageCode(() => page.dataLayer?.push?.({ event: `sendloom_${is}`, form }));
}

/** Uses CustomEvent, because some libraries replace `Event` with their own class. */
const announce = (name: string, detail?: unknown) =>
  callPageCode(() => window.dispatchEvent(new CustomEvent(name, { detail })));

/** Calls the page's own code. Its exceptions must not stop this script. */
function callPageCode(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

const ignoreError = (error: unknown) => void error;

/** Waits for the form's triggers; returns the function that cancels them. */
function waitForTriggers(entry: IndexEntry): () => void {
  const { show: rules } = entry;
  const ends: (() => void)[] = [];
  let waiting = 0;
  ends.push(() => clearTimeout(waiting));
  const now = () => {
    clearTimeout(waiting);
    // The visitor is typing, or another dialog is open: retry shortly.
    if (isBusy()) waiting = setTimeout(now, 1000) as unknown as number;
    else if (mayShow(entry)) void show(entry);
  };
  const listen = (target: EventTarget, type: string, listener: (event: never) => void) => {
    // Listens in the capture phase, because scroll events of inner elements do not bubble.
    const options = { passive: true, capture: type === 'scroll' };
    target.addEventListener(type, listener as EventListener, options);
    ends.push(() => target.removeEventListener(type, listener as EventListener, options));
  };
  if (rules.delay !== null) {
    const timer = setTimeout(now, rules.delay * 1000);
    ends.push(() => clearTimeout(timer));
  }
  if (rules.scroll !== null) {
    const threshold = rules.scroll / 100;
    listen(document, 'scroll', (event: Event) => {
      const position = scrollOf(event);
      if (position && (position.max <= 0 || position.top / position.max >= threshold)) now();
    });
  }
  if (rules.leave !== null) waitForLeaving(entry, now, listen);
  if (rules.click) {
    const selector = safeSelector(rules.click);
    listen(document, 'click', (event: MouseEvent) => {
      if ((event.target as Element | null)?.closest?.(selector) && mayShow(entry, true))
        void show(entry);
    });
  }
  return () => {
    for (const end of ends) end();
  };
}

/** Returns the scroll position of the document, or of the element that fills most of the window. */
function scrollOf({ target }: Event): { top: number; max: number } | undefined {
  if (target === document) {
    return { top: scrollY, max: document.documentElement.scrollHeight - innerHeight };
  }
  const { clientHeight, clientWidth, scrollHeight, scrollTop } = target as Element;
  const maxScroll = scrollHeight - clientHeight;
  const isPage =
    clientHeight > innerHeight * 0.6 && clientWidth > innerWidth * 0.5 && maxScroll > 0;
  return isPage ? { top: scrollTop, max: maxScroll } : undefined;
}

const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]';

/**
 * Returns true if the visitor is typing or another dialog is open: a visible modal dialog anywhere,
 * or any dialog over the middle of the window.
 */
function isBusy(): boolean {
  if (document.activeElement?.matches('input,textarea,select,[contenteditable]')) return true;
  for (const dialog of document.querySelectorAll<HTMLElement>(
    'dialog[open],[role=dialog][aria-modal=true]:not([class^=sender-subs])',
  ))
    if (dialog.getClientRects().length > 0 && getComputedStyle(dialog).visibility !== 'hidden')
      return true;
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  return middle?.closest(`:is(${DIALOGS}):not([class^=sender-subs])`) != null;
}

function safeSelector(selector: string): string {
  try {
    document.createDocumentFragment().querySelector(selector);
    return selector;
  } catch {
    return 'sendloom-none';
  }
}

/**
 * Waits for exit intent: the pointer leaves the window at the top or, on touch screens, a quick
 * upward scroll.
 */
function waitForLeaving(
  { id, show }: IndexEntry,
  now: () => void,
  listen: (target: EventTarget, type: string, listener: (event: never) => void) => void,
): void {
  const leave = () => {
    if (Date.now() - (leftAt.get(id) ?? 0) < (show.leave ?? 0) * 60_000) return;
    leftAt.set(id, Date.now());
    now();
  };
  listen(document, 'mouseout', (event: MouseEvent) => {
    if (event.relatedTarget === null && event.clientY <= 0) leave();
  });
  let lastScroll = { y: scrollY, at: Date.now() };
  listen(document, 'scroll', (event: Event) => {
    const at = Date.now();
    const y = scrollOf(event)?.top;
    if (y === undefined) return;
    if (y > lastScroll.y || at - lastScroll.at > 400) lastScroll = { y, at };
    else if (lastScroll.y - y > innerHeight * 0.6 && matchMedia('(pointer:coarse)').matches)
      leave();
  });
}

const TARGETS = '.sender-form-field[data-sender-form-id]';

/**
 * Renders forms that are not on the page yet: popups wait for their triggers, embedded forms go to
 * their containers.
 */
function render(ids: readonly string[], onRender?: (id: string) => void): void {
  for (const id of ids) {
    const entry = forms.get(id);
    if (!entry || entry.type === 'embed' || off.has(id) || status.has(id) || disarms.has(id))
      continue;
    disarms.set(id, waitForTriggers(entry));
    onRender?.(id);
  }
  for (const target of document.querySelectorAll<HTMLElement>(TARGETS)) {
    const entry = forms.get(idOf(target.dataset.senderFormId ?? ''));
    if (!entry || entry.type !== 'embed' || !ids.includes(entry.id) || off.has(entry.id)) continue;
    if (usedContainers.has(target) || !withinDates(entry.show)) continue;
    void show(entry, target).then(() => onRender?.(entry.id));
  }
}

const listForms = () => [...forms.keys()];

/** Removes the form and its triggers. */
function clear(id: string): void {
  disarms.get(id)?.();
  for (const form of shown.get(id) ?? []) form.remove();
  for (const map of [disarms, shown, status]) map.delete(id);
  for (const target of usedContainers)
    if (idOf((target as HTMLElement).dataset.senderFormId ?? '') === id)
      usedContainers.delete(target);
}

/** The page's interface to this account's forms. */
const api: Api = {
  render(which?: string | string[], { initialStatus, onRender }: RenderOptions = {}) {
    const ids = which === undefined || which === 'all' ? listForms() : idsOf(which);
    for (const id of ids) {
      if (initialStatus === 'disabled') {
        off.add(id);
        if (!status.has(id)) status.set(id, 'disabled');
      } else if (which !== undefined && which !== 'all' && off.delete(id)) status.delete(id);
    }
    render(ids, onRender);
  },
  enable(ids: string | string[]) {
    for (const id of idsOf(ids)) {
      const entry = forms.get(id);
      if (!entry) continue;
      off.delete(id);
      if (!shown.has(id)) status.delete(id);
      if (entry.type === 'embed') render([id]);
      else void show(entry);
    }
  },
  destroy(ids: string | string[]) {
    for (const id of idsOf(ids)) {
      clear(id);
      off.add(id);
    }
  },
  getStatus: (id: string) => ({ [id]: status.get(idOf(id)) ?? 'disabled' }),
  knows: (id: string) => forms.has(idOf(id)),
  consent(isGranted: boolean) {
    if (consent === 'never') return;
    consent = isGranted ? 'act' : 'ask';
    if (!isGranted || isExplicit) return;
    for (const [id, entry] of forms) if (entry.type !== 'embed' && !shown.has(id)) clear(id);
    render(listForms());
  },
};

/**
 * Each account's script has an interface to its forms. The page's `senderForms` passes calls to all
 * these interfaces.
 */
type Api = {
  render(which?: string | string[], options?: RenderOptions): void;
  enable(ids: string | string[]): void;
  destroy(ids: string | string[]): void;
  getStatus(id: string): Record<string, FormStatus>;
  consent(isGranted: boolean): void;
  knows(id: string): boolean;
};
type Registry = { accounts: Record<string, true>; apis: Api[] };

function registry(): Registry {
  // An older version of this file set `true`.
  if (typeof page.__sendloom !== 'object') page.__sendloom = { accounts: {}, apis: [] };
  return page.__sendloom;
}

function shareApi(): void {
  const { apis } = registry();
  if (!apis.includes(api)) apis.push(api);
  const callEach = (action: (one: Api) => void) => {
    for (const one of apis) action(one);
  };
  page.senderForms = {
    render: (...parameters: Parameters<Api['render']>) =>
      callEach((one) => one.render(...parameters)),
    enable: (ids: string | string[]) => callEach((one) => one.enable(ids)),
    destroy: (ids: string | string[]) => callEach((one) => one.destroy(ids)),
    getStatus: (id: string) => (apis.find((one) => one.knows(id)) ?? api).getStatus(id),
    consent: (isGranted: boolean) => callEach((one) => one.consent(isGranted)),
  };
}

type Navigation = EventTarget & { currentEntry?: { key: string } | null };
const navigation = (window as { navigation?: Navigation }).navigation;

/**
 * Identifies the screen of a single-page app by its history entry, which survives a replaced
 * address, or in older browsers by the path and a route in the hash.
 */
const screenKey = (): string =>
  navigation?.currentEntry?.key ?? location.pathname + /^#[!/].*|/.exec(location.hash)?.[0];

const CHECK_MS = 250;

/**
 * Follows single-page navigation. Forms are rendered in new containers and removed with their
 * containers. A popup waits for its triggers again if the screen changes, or if a new address
 * changes whether its rules allow it. A popup that is shown and still allowed remains.
 */
function watchAddress(): void {
  let [last, lastScreen] = [location.href, screenKey()];
  const allowed = new Map<string, boolean>();
  const mayOpen = (entry: IndexEntry) => mayShow(entry, true);
  for (const [id, entry] of forms) allowed.set(id, mayOpen(entry));
  const checkContainers = () => {
    for (const target of usedContainers) if (!target.isConnected) usedContainers.delete(target);
    for (const [id, these] of shown) {
      const remaining = these.filter((form) => form.isThere());
      if (forms.get(id)?.type !== 'embed' || remaining.length === these.length) continue;
      for (const form of these) if (!remaining.includes(form)) form.remove();
      if (remaining.length > 0) shown.set(id, remaining);
      else clear(id);
    }
    if (location.href !== last) {
      const isOther = screenKey() !== lastScreen;
      [last, lastScreen] = [location.href, screenKey()];
      for (const [id, entry] of forms) {
        const may = mayOpen(entry);
        const hasChanged = allowed.get(id) !== may;
        allowed.set(id, may);
        if (entry.type !== 'embed' && (isOther || hasChanged) && !(shown.has(id) && may)) clear(id);
      }
    }
    if (!isExplicit) render(listForms());
  };
  let waiting = 0;
  // Some pages replace their address at each scroll step.
  navigation?.addEventListener('navigatesuccess', () => {
    waiting ||= setTimeout(() => {
      waiting = 0;
      checkContainers();
    }, CHECK_MS) as unknown as number;
  });
  setInterval(checkContainers, 1000);
}

async function showPreview(key: string): Promise<void> {
  const load = (name: string) => import(/* @vite-ignore */ `${base}/f/r/${name}.js`);
  const response = await fetch(`${base}/f/p/${key}.json`, { credentials: 'omit' });
  if (!response.ok) return;
  const { snapshot, prize } = (await response.json()) as {
    snapshot: Snapshot;
    prize?: ShowOptions['samplePrize'];
  };
  const { type, id } = snapshot;
  const [{ showForm }, wheel] = await Promise.all([
    load('form') as Promise<FormPiece>,
    type === 'spinToWin' ? (load('wheel') as Promise<ShowOptions['wheel']>) : undefined,
  ]);
  const target =
    type === 'embed'
      ? (document.querySelector(`[data-sender-form-id="${id}"]`) ?? addPlace())
      : undefined;
  const nonce = script?.nonce || undefined;
  showForm({ base, snapshot, wheel, place: target, nonce, samplePrize: prize, isPreview: true });
}

/**
 * Adds a container at the start of the page for the preview of an embedded form if its container is
 * missing.
 */
function addPlace(): Element {
  const target = document.createElement('div');
  document.body.prepend(target);
  return target;
}

let isWatching = false;

function startForms(index: Index): void {
  // A second tag of the same account has no effect.
  if (registry().accounts[index.account]) return;
  registry().accounts[index.account] = true;
  for (const entry of index.forms) {
    forms.set(entry.id, entry);
    numbers.set(entry.number, entry.id);
  }
  shareApi();
  page.senderFormsLoaded = true;
  announce('onSenderFormsLoaded');
  if (!isExplicit) render(listForms());
  if (isWatching) return;
  isWatching = true;
  if (previewKey) void showPreview(previewKey).catch(ignoreError);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') reportCounts();
  });
  addEventListener('pagehide', reportCounts);
  watchAddress();
}

async function load(account: unknown): Promise<void> {
  if (typeof account !== 'string' || !/^[\w-]{4,64}$/.test(account)) return;
  const response = await fetch(`${base}/f/${account}.json`, { credentials: 'omit' });
  if (response.ok) startForms((await response.json()) as Index);
}

const SHOP_COMMANDS =
  /^(track(Visitors|Cart)|subscribeNewsletter|(update|convert)Cart|statusCartUpdate)$/;
/** The registry's key of the universal script, which belongs to no account. */
const UNIVERSAL = '*';
let account = '';

/**
 * `sender(account)` starts the forms; `SHOP_COMMANDS` report a store's visitors, carts, orders and
 * newsletter sign-ups.
 */
async function handleCall([first, payload]: readonly unknown[]): Promise<void> {
  if (typeof first !== 'string' || !SHOP_COMMANDS.test(first)) {
    if (typeof first === 'string') account ||= first;
    await load(first);
    return;
  }
  const shop = (await import(/* @vite-ignore */ `${base}/f/r/shop.js`)) as ShopPiece;
  await shop.reportToServer(first, payload, { base, key: account, canStore: consent === 'act' });
}

let hasStarted = false;

function start(): void {
  if (hasStarted) return;
  hasStarted = true;
  if (typeof __INDEX__ !== 'undefined' && __INDEX__) {
    startForms(__INDEX__);
    return;
  }
  if (registry().accounts[UNIVERSAL]) return;
  registry().accounts[UNIVERSAL] = true;
  const waiting = page.sender?.q ?? [];
  const queue: Queue = (...of: unknown[]) => void handleCall(of).catch(ignoreError);
  page.sender = Object.assign(queue, page.sender);
  const listeners = (page.sender.listeners ??= {});
  page.sender.on ??= (event, listener) => void (listeners[event] ??= []).push(listener);
  for (const call of waiting) void handleCall(call).catch(ignoreError);
}

const MAX_WAIT_MS = 2_000;

/** Starts once the page is idle, at the latest after `MAX_WAIT_MS`: some pages are never idle. */
function startSoon(): void {
  setTimeout(start, MAX_WAIT_MS);
  if (page.requestIdleCallback) page.requestIdleCallback(start);
  else setTimeout(start, 1);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', startSoon);
else startSoon();
