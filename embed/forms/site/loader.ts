// What customers' pages load: finds the account's forms, judges when each may be shown, and fetches the
// rest only then. Nothing is stored before somebody closes or sends a form; no id, no cookie.
import type { IndexEntry, ShowRules, Snapshot } from '../shared/document.ts';
import { matches } from '../shared/addresses.ts';
import type { Shown, ShowOptions } from './form.ts';

type Index = { account: string; forms: IndexEntry[] };
type Status = 'rendering' | 'enabled' | 'disabled';
type RenderOptions = { initialStatus?: 'enabled' | 'disabled'; onRender?: (id: string) => void };
type Listener = (detail: { is: string; form: string }) => void;
type Queue = {
  q?: unknown[][];
  listeners?: Record<string, Listener[]>;
  on?: (event: string, hear: Listener) => void;
  (...of: unknown[]): void;
};
type Page = Window &
  typeof globalThis & {
    sender?: Queue;
    senderForms?: unknown;
    senderFormsLoaded?: boolean;
    dataLayer?: unknown[];
    __sendloom?: true;
  };

declare const __INDEX__: Index | undefined;

const page = window as Page;
const script = document.currentScript as HTMLScriptElement | null;
const base = new URL(script?.src ?? location.href).origin;
const isExplicit = script?.src.includes('explicit=true') ?? false;
const STORE = 'sendloom';

/**
 * What the tag says of consent. `act`: closing or sending a form is remembered in one key of the page's own.
 * `ask`: nothing is kept, and nothing opens by itself, before `senderForms.consent(true)`. `never`: nothing
 * is ever kept.
 */
let consent = script?.dataset.consent ?? 'act';
/** Of this visit alone, where nothing may be kept. */
const visit: Memory = {};

type Memory = Record<string, { at: number; sent?: true }>;
const recall = (): Memory => {
  if (consent !== 'act') return visit;
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}') as Memory;
  } catch {
    return {};
  }
};
const remember = (id: string, sent?: true) => {
  const seen = recall();
  if (consent !== 'act') {
    visit[id] = { at: Date.now(), ...(sent || seen[id]?.sent ? { sent: true } : {}) };
    return;
  }
  try {
    const known = seen;
    known[id] = { at: Date.now(), ...(sent || known[id]?.sent ? { sent: true } : {}) };
    localStorage.setItem(STORE, JSON.stringify(known));
  } catch {
    // A page may forbid storing: it is shown again then.
  }
};

const forms = new Map<string, IndexEntry>();
const shown = new Map<string, Shown>();
const status = new Map<string, Status>();
const disarms = new Map<string, () => void>();
const counted: Record<string, Record<string, number>> = {};

function count(id: string, what: 'view' | 'start' | 'close'): void {
  const of = (counted[id] ??= {});
  of[what] = (of[what] ?? 0) + 1;
}

/** Told when the page is left: a few numbers, nobody's. */
function tellCounts(): void {
  const ids = Object.keys(counted);
  if (ids.length === 0) return;
  const body = JSON.stringify({
    device: device(),
    forms: { ...counted },
    url: location.origin + location.pathname,
  });
  for (const id of ids) delete counted[id];
  navigator.sendBeacon?.(`${base}/f/count`, body);
}

const device = () =>
  innerWidth < 640
    ? 'mobile'
    : innerWidth < 1024 && matchMedia('(pointer:coarse)').matches
      ? 'tablet'
      : 'desktop';

function mayShow({ id, show }: IndexEntry): boolean {
  if (consent === 'ask') return false;
  const now = Date.now();
  if (show.from && now < Date.parse(show.from)) return false;
  if (show.until && now > Date.parse(show.until)) return false;
  if (show.hidden.includes(device())) return false;
  const here = location.origin + location.pathname + location.search;
  const isNamed = show.visibility.pages.some((pattern) => matches(pattern, here));
  if (show.visibility.is === 'only' && !isNamed) return false;
  if (show.visibility.is === 'except' && isNamed) return false;
  const last = recall()[id];
  if (!last) return true;
  if (last.sent) return false;
  return show.every === null || now - last.at > show.every * 60_000;
}

async function show(entry: IndexEntry, place?: Element): Promise<void> {
  if (status.get(entry.id) === 'rendering' || shown.has(entry.id)) return;
  // One popup at a time.
  if (!place && [...shown.keys()].some((id) => forms.get(id)?.type !== 'embed')) return;
  status.set(entry.id, 'rendering');
  const [snapshot, { showForm }] = await Promise.all([
    fetch(`${base}/f/s/${entry.id}.${entry.version}.json`, { credentials: 'omit' }).then(
      (answer) => answer.json() as Promise<Snapshot>,
    ),
    import(/* @vite-ignore */ `${base}/f/r/form.js`) as Promise<{
      showForm(of: ShowOptions): Shown;
    }>,
  ]);
  if (place && !place.isConnected) return;
  place?.replaceChildren();
  const one = showForm({
    base,
    snapshot,
    place,
    nonce: script?.nonce || undefined,
    onStart: () => count(entry.id, 'start'),
    onClose() {
      shown.delete(entry.id);
      status.set(entry.id, 'disabled');
      count(entry.id, 'close');
      remember(entry.id);
      tell('close', entry.id);
    },
    onSent() {
      if (entry.type !== 'embed') remember(entry.id, true);
      tell('sent', entry.id);
    },
  });
  shown.set(entry.id, one);
  status.set(entry.id, 'enabled');
  count(entry.id, 'view');
  tell('show', entry.id);
}

/** To the page, to what it listens with, and to its analytics where it has a data layer: no word of anybody's. */
function tell(is: string, form: string): void {
  const detail = { is, form };
  window.dispatchEvent(new CustomEvent('sendloom', { detail }));
  for (const hear of page.sender?.listeners?.[is] ?? []) hear(detail);
  page.dataLayer?.push?.({ event: `sendloom_${is}`, form });
}
const quiet = (error: unknown) => void error;

/** Waits for its moments; returns what takes them back. */
function arm(entry: IndexEntry): () => void {
  const { show: rules } = entry;
  const ends: (() => void)[] = [];
  let waiting = 0;
  ends.push(() => clearTimeout(waiting));
  const now = () => {
    clearTimeout(waiting);
    // Somebody writes, or another dialog asks them something: a moment later, then.
    if (isBusy()) waiting = setTimeout(now, 1000) as unknown as number;
    else if (mayShow(entry)) show(entry).catch(quiet);
  };
  const listen = (target: EventTarget, type: string, hear: (event: never) => void) => {
    target.addEventListener(type, hear as EventListener, { passive: true });
    ends.push(() => target.removeEventListener(type, hear as EventListener));
  };
  if (rules.delay !== null) {
    const timer = setTimeout(now, rules.delay * 1000);
    ends.push(() => clearTimeout(timer));
  }
  if (rules.scroll !== null) {
    const wanted = rules.scroll / 100;
    listen(document, 'scroll', () => {
      const all = document.documentElement.scrollHeight - innerHeight;
      if (all <= 0 || scrollY / all >= wanted) now();
    });
  }
  if (rules.leave !== null) armLeaving(rules, now, listen);
  if (rules.click) {
    listen(document, 'click', (event: MouseEvent) => {
      if ((event.target as Element | null)?.closest?.(safeSelector(rules.click))) {
        show(entry).catch(quiet);
      }
    });
  }
  return () => {
    for (const end of ends) end();
  };
}

const isBusy = () =>
  document.activeElement?.matches('input,textarea,select,[contenteditable]') ||
  document.querySelector(
    'dialog[open],[role=dialog][aria-modal=true]:not([class^=sender-subs])',
  ) !== null;

function safeSelector(selector: string): string {
  try {
    document.createDocumentFragment().querySelector(selector);
    return selector;
  } catch {
    return 'sendloom-none';
  }
}

/** The pointer out through the top; on touch a quick way back up. Never a click on a link. */
function armLeaving(
  rules: ShowRules,
  now: () => void,
  listen: (target: EventTarget, type: string, hear: (event: never) => void) => void,
): void {
  let last = 0;
  const leave = () => {
    if (Date.now() - last < (rules.leave ?? 0) * 60_000) return;
    last = Date.now();
    now();
  };
  listen(document, 'mouseout', (event: MouseEvent) => {
    if (event.relatedTarget === null && event.clientY <= 0) leave();
  });
  let from = { y: scrollY, at: Date.now() };
  listen(document, 'scroll', () => {
    const at = Date.now();
    if (scrollY > from.y || at - from.at > 400) from = { y: scrollY, at };
    else if (from.y - scrollY > innerHeight * 0.6 && matchMedia('(pointer:coarse)').matches)
      leave();
  });
}

function places(id: string): Element[] {
  return [...document.querySelectorAll('.sender-form-field[data-sender-form-id]')].filter(
    (place) => (place as HTMLElement).dataset.senderFormId === id,
  );
}

function render(which?: string | string[], options: RenderOptions = {}): void {
  const ids = which === undefined || which === 'all' ? [...forms.keys()] : [which].flat();
  for (const id of ids) {
    const entry = forms.get(id);
    if (!entry || status.has(id)) continue;
    if (options.initialStatus === 'disabled') {
      status.set(id, 'disabled');
      continue;
    }
    if (entry.type === 'embed') {
      const [place] = places(id);
      if (place && withinDates(entry)) {
        show(entry, place)
          .then(() => options.onRender?.(id))
          .catch(quiet);
      }
    } else {
      disarms.set(id, arm(entry));
      options.onRender?.(id);
    }
  }
}

const withinDates = ({ show: { from, until, hidden } }: IndexEntry) =>
  (!from || Date.now() >= Date.parse(from)) &&
  (!until || Date.now() <= Date.parse(until)) &&
  !hidden.includes(device());

function destroy(ids: string | string[]): void {
  for (const id of [ids].flat()) {
    disarms.get(id)?.();
    shown.get(id)?.remove();
    for (const of of [disarms, shown, status]) of.delete(id);
  }
}

/** Pages that change their address without loading: places come and go, popups begin anew. */
function watchAddress(): void {
  let last = location.href;
  const look = () => {
    for (const [id, one] of shown) {
      const entry = forms.get(id);
      if (entry?.type === 'embed' && !one.isThere()) {
        one.remove();
        shown.delete(id);
        status.delete(id);
      }
    }
    if (location.href !== last) {
      last = location.href;
      for (const [id, entry] of forms) {
        if (entry.type === 'embed') continue;
        if (shown.has(id) && !mayShow(entry)) destroy(id);
        else if (!shown.has(id)) destroy(id);
      }
    }
    if (!isExplicit) render();
  };
  (window as { navigation?: EventTarget }).navigation?.addEventListener('navigatesuccess', look);
  setInterval(look, 1000);
}

function begin(index: Index): void {
  for (const entry of index.forms) forms.set(entry.id, entry);
  page.senderForms = {
    render,
    enable: (ids: string | string[]) => {
      for (const id of [ids].flat()) {
        const entry = forms.get(id);
        if (!entry) continue;
        status.delete(id);
        show(entry, entry.type === 'embed' ? places(id)[0] : undefined).catch(quiet);
      }
    },
    destroy,
    getStatus: (id: string) => ({ [id]: status.get(id) ?? 'disabled' }),
    consent(isGiven: boolean) {
      if (consent === 'never') return;
      consent = isGiven ? 'act' : 'ask';
      if (!isGiven || isExplicit) return;
      for (const [id, entry] of forms) if (entry.type !== 'embed' && !shown.has(id)) destroy(id);
      render();
    },
  };
  page.senderFormsLoaded = true;
  window.dispatchEvent(new Event('onSenderFormsLoaded'));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') tellCounts();
  });
  addEventListener('pagehide', tellCounts);
  if (!isExplicit) render();
  watchAddress();
}

async function load(account: unknown): Promise<void> {
  if (typeof account !== 'string' || !/^[\w-]{4,64}$/.test(account)) return;
  const answer = await fetch(`${base}/f/${account}.json`, { credentials: 'omit' });
  if (answer.ok) begin((await answer.json()) as Index);
}

function start(): void {
  // A second tag does nothing.
  if (page.__sendloom) return;
  page.__sendloom = true;
  if (typeof __INDEX__ !== 'undefined' && __INDEX__) {
    begin(__INDEX__);
    return;
  }
  const waiting = page.sender?.q ?? [];
  const queue: Queue = (...of: unknown[]) => void load(of[0]).catch(quiet);
  page.sender = Object.assign(queue, page.sender);
  const listeners = (page.sender.listeners ??= {});
  page.sender.on ??= (event, hear) => void (listeners[event] ??= []).push(hear);
  for (const call of waiting) void load(call[0]).catch(quiet);
}

const idle = page.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
if (document.readyState === 'loading')
  document.addEventListener('DOMContentLoaded', () => idle(start));
else idle(start);
