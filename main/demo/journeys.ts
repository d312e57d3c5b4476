// Each subscriber's path through a demo workflow: a walk along the tree. Chances are derived from
// ids, so the same ids lead to the same history.

/** Step properties that determine a path. */
export type WalkStep = {
  id: number;
  /** The id that conditions use. */
  key: string;
  type: string;
  /** The message of an EMAIL step. */
  messageId: number | undefined;
  data: Record<string, unknown>;
  next: ReadonlyMap<string, WalkStep>;
};

export type Entrant = { id: number; subject: number; enteredAt: Date };

export type Journey = {
  entrant: Entrant;
  stepId: number;
  wakeAt: Date | null;
  endedAt: Date | null;
  trail: [step: number, at: number, note: string][];
};

/** An email that a step sent; `openedAfterSeconds`: null if it was not opened. */
export type StepEmail = {
  stepId: number;
  entrant: Entrant;
  sentAt: Date;
  openedAfterSeconds: number | null;
};

export type JourneyCount = { stepId: number; outcome: string; count: number };

const UNIT_MS: Record<string, number> = {
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
  WEEKS: 7 * 86_400_000,
};
const OPEN_SHARE = 0.46;
const BOUGHT_SHARE = 0.3;
const DAY_SECONDS = 86_400;

/** Returns a number from 0 to 1, derived from two numbers by an integer hash. */
export function seededChance(id: number, salt: number): number {
  let hash = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(salt + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

export function walkJourneys(trigger: WalkStep, entrants: readonly Entrant[], now: Date) {
  const emails: StepEmail[] = [];
  const counts = new Map<string, JourneyCount>();
  const count = (stepId: number, outcome: string) => {
    const key = `${stepId} ${outcome}`;
    const existingCount = counts.get(key);
    if (existingCount) existingCount.count += 1;
    else counts.set(key, { stepId, outcome, count: 1 });
  };
  const journeys = entrants.map((entrant) => walk(trigger, entrant, now, emails, count));
  return { journeys, emails, counts: [...counts.values()] };
}

function walk(
  trigger: WalkStep,
  entrant: Entrant,
  now: Date,
  emails: StepEmail[],
  count: (stepId: number, outcome: string) => void,
): Journey {
  const trail: Journey['trail'] = [];
  const openedByMessage = new Map<string, boolean>();
  let step = trigger;
  let instant = entrant.enteredAt.getTime();
  for (;;) {
    if (step !== trigger) count(step.id, 'entered');
    let path = 'TRUE';
    let detail = '';
    let outcome = 'passed';
    if (step.type === 'delay') {
      const end = instant + Number(step.data.amount) * (UNIT_MS[String(step.data.delay_type)] ?? 0);
      if (end > now.getTime())
        return { entrant, stepId: step.id, wakeAt: new Date(end), endedAt: null, trail };
      instant = end;
    } else if (step.type === 'EMAIL') {
      const isOpened = seededChance(entrant.id, step.id) < OPEN_SHARE;
      const openedAfterSeconds = isOpened
        ? 120 + seededChance(entrant.id, step.id + 7) * DAY_SECONDS
        : null;
      openedByMessage.set(step.key, isOpened);
      emails.push({ stepId: step.id, entrant, sentAt: new Date(instant), openedAfterSeconds });
      detail = `message:${step.messageId}`;
      outcome = 'sent';
    } else if (step.type === 'CONDITION') {
      const isYes =
        step.data.kind === 'activity'
          ? openedByMessage.get(String(step.data.step_id)) === true
          : seededChance(entrant.id, step.id) < BOUGHT_SHARE;
      path = isYes ? 'TRUE' : 'FALSE';
      detail = path;
      outcome = path;
    }
    trail.push([step.id, instant, detail]);
    count(step.id, outcome);
    const next = step.next.get(path);
    if (!next) return { entrant, stepId: step.id, wakeAt: null, endedAt: new Date(instant), trail };
    step = next;
  }
}
