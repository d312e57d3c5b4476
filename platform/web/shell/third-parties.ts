// Slots for third-party scripts: live chat, feedback, analytics, error reports. Each is off unless
// the installation configures it and a user of this browser has consented. The browser's users
// share the stored decision.
import { http } from '../api/http.ts';
import { createStore } from '../store.ts';

export const SLOTS = ['live_chat', 'feedback', 'analytics', 'error_reporting'] as const;
export type Slot = (typeof SLOTS)[number];

type ConfiguredSlots = Record<Slot, string | null>;
export type Consents = Partial<Record<Slot, boolean>>;

const STORAGE_KEY = 'sendloom.consents';

/** Slots configured by the installation; undefined until loaded. */
export const configuredSlots = createStore<ConfiguredSlots | undefined>(undefined);
export const consents = createStore<Consents>({});
const loadedSlots = new Set<Slot>();

declare global {
  interface Window {
    /** Object that analytics scripts read events from (the data layer of tag managers). */
    dataLayer?: Record<string, unknown>[];
  }
}

/**
 * Loads the configuration, then the scripts with earlier consent. Rejects if the configuration
 * cannot be loaded; all slots then remain empty.
 */
export async function loadThirdPartySlots(): Promise<void> {
  if (configuredSlots.get()) return;
  consents.set(readConsents());
  const response = await http<{ data: ConfiguredSlots }>('GET', '/client-api/api/third_parties');
  configuredSlots.set(response.data);
  load();
}

export function offeredSlots(configured: ConfiguredSlots | undefined): Slot[] {
  return configured ? SLOTS.filter((slot) => configured[slot] !== null) : [];
}

/**
 * Stores the decisions on this device and loads the allowed scripts. Scripts without consent that
 * are already loaded remain until the next page load.
 */
export function saveConsent(decisions: Consents): void {
  const all = { ...consents.get(), ...decisions };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(all));
  consents.set(all);
  load();
}

/** Reports an account to analytics, if it is configured and allowed. */
export async function recordAccount(accountId: string): Promise<void> {
  // After a reload the slots may not be loaded yet.
  await loadThirdPartySlots().catch(() => undefined);
  if (!isOpen('analytics')) return;
  window.dataLayer ??= [];
  window.dataLayer.push({ event: 'account', account_id: accountId });
}

function isOpen(slot: Slot): boolean {
  return Boolean(configuredSlots.get()?.[slot]) && consents.get()[slot] === true;
}

function load(): void {
  for (const slot of SLOTS) {
    const address = configuredSlots.get()?.[slot];
    if (!address || !isOpen(slot) || loadedSlots.has(slot)) continue;
    loadedSlots.add(slot);
    if (slot === 'error_reporting') {
      void import('../errors/error-reporting.ts').then((it) => it.startErrorReporting(address));
      continue;
    }
    const script = document.createElement('script');
    script.src = address;
    script.async = true;
    script.dataset.slot = slot;
    document.head.append(script);
  }
}

function readConsents(): Consents {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      SLOTS.flatMap((slot) => {
        const decision = (stored as Record<string, unknown>)[slot];
        return typeof decision === 'boolean' ? [[slot, decision]] : [];
      }),
    );
  } catch {
    return {};
  }
}
