// The campaign or workflow that the setup of a sender returns to, and the sender to choose there.
// Both are in the tab's session storage so that they survive a reload.

export type ReturnTarget = {
  to: string;
  kind: 'campaign' | 'workflow';
  /** Whether the target is an editor that can use the new sender. */
  takesSender: boolean;
};

const TARGET_KEY = 'sendloom.sms.return';
const SENDER_KEY = 'sendloom.sms.sender';

export function rememberReturn(target: ReturnTarget): void {
  store(TARGET_KEY, JSON.stringify(target));
}

export function readReturn(): ReturnTarget | undefined {
  const storedTarget = readItem(TARGET_KEY);
  return storedTarget === null ? undefined : (JSON.parse(storedTarget) as ReturnTarget);
}

/** Remembers a new sender so that the next editor selects it. */
export function returnWithSender(phone: string): void {
  store(SENDER_KEY, phone);
}

/** Clears the stored target and sender and returns the sender to choose. */
export function finishReturn(): string | undefined {
  const phone = readItem(SENDER_KEY) ?? undefined;
  try {
    sessionStorage.removeItem(TARGET_KEY);
    sessionStorage.removeItem(SENDER_KEY);
  } catch {
    // No storage available.
  }
  return phone;
}

function store(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // Without storage, the page shows no link back.
  }
}

function readItem(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
