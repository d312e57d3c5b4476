// A reference implementation of workflows, which moves one subscriber after the other and searches
// local times by quarters of an hour. It is slow and shares no code with the engine.
import { createHash } from 'node:crypto';

export type SimStep = {
  id: number;
  type: 'trigger' | 'delay' | 'EMAIL' | 'ACTION' | 'CONDITION';
  parent: number | null;
  path: string;
  data: Record<string, unknown>;
  /** Set when the step is removed. */
  removed?: { successor: number | null };
};

export type SimSubscriber = {
  id: number;
  zone: string;
  groups: Set<number>;
  isSubscribed: boolean;
};

/** An event of the simulation; `at` is in milliseconds. A turn is one run of the engine. */
export type SimEvent =
  | { at: number; kind: 'joined' | 'joined by hand' | 'left'; subscriberId: number; group: number }
  | { at: number; kind: 'opened'; subscriberId: number }
  | { at: number; kind: 'removed'; step: number }
  | { at: number; kind: 'activated' | 'deactivated' }
  | { at: number; kind: 'turn' };

export type SimPass = {
  subscriberId: number;
  pass: number;
  /** [step, time, result]. */
  trail: [number, number, string][];
  step: number;
  outcome: string | null;
  heldFor: string | null;
};

type Run = SimPass & {
  enteredAt: number;
  arrivedAt: number;
  wakeAt: number | null;
  isStarted: boolean;
  depth: number;
  opens: Set<number>;
};

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

export class Simulator {
  private readonly steps: Map<number, SimStep>;
  private readonly subscribers: Map<number, SimSubscriber>;
  private readonly start: number;
  private readonly reentry: 'never' | 'ended';
  private isActive = true;
  private activatedAt: number;
  private readonly runs: Run[] = [];
  private readonly wokenRuns = new Set<Run>();
  private inbox: { subscriberId: number; at: number; depth: number }[] = [];

  constructor(setup: {
    steps: readonly SimStep[];
    subscribers: readonly SimSubscriber[];
    /** The group that starts the workflow. */
    start: number;
    reentry: 'never' | 'ended';
    activatedAt: number;
  }) {
    this.steps = new Map(setup.steps.map((step) => [step.id, { ...step }]));
    this.subscribers = new Map(
      setup.subscribers.map((subscriber) => [
        subscriber.id,
        { ...subscriber, groups: new Set(subscriber.groups) },
      ]),
    );
    this.start = setup.start;
    this.reentry = setup.reentry;
    this.activatedAt = setup.activatedAt;
  }

  play(events: readonly SimEvent[]): SimPass[] {
    for (const event of events) this.applyEvent(event);
    return this.runs;
  }

  private applyEvent(event: SimEvent): void {
    switch (event.kind) {
      case 'joined':
        return this.joinGroup(this.getSubscriber(event.subscriberId), event.group, event.at, 0);
      case 'joined by hand':
        this.getSubscriber(event.subscriberId).groups.add(event.group);
        return;
      case 'left':
        this.getSubscriber(event.subscriberId).groups.delete(event.group);
        return;
      case 'opened':
        for (const run of this.runs) {
          if (run.subscriberId !== event.subscriberId) continue;
          for (const [step, , note] of run.trail) if (note === 'sent') run.opens.add(step);
          this.wakeOnOpen(run);
        }
        return;
      case 'removed':
        return this.remove(event.step, event.at);
      case 'activated':
        this.isActive = true;
        this.activatedAt = event.at;
        return;
      case 'deactivated':
        this.isActive = false;
        return;
      default:
        return this.runTurn(event.at);
    }
  }

  private getSubscriber(id: number): SimSubscriber {
    return this.subscribers.get(id) as SimSubscriber;
  }

  private joinGroup(
    subscriber: SimSubscriber,
    group: number,
    instant: number,
    depth: number,
  ): void {
    if (subscriber.groups.has(group)) return;
    subscriber.groups.add(group);
    if (group === this.start && this.isActive)
      this.inbox.push({ subscriberId: subscriber.id, at: instant, depth });
  }

  /** Lets the next turn evaluate a run that waits for an open. */
  private wakeOnOpen(run: Run): void {
    const step = this.steps.get(run.step);
    if (!this.isActive || run.outcome !== null || step?.data.delay_type !== 'UNTIL') return;
    if (!run.isStarted && run.wakeAt !== null) this.wokenRuns.add(run);
  }

  private remove(id: number, instant: number): void {
    const step = this.steps.get(id) as SimStep;
    if (step.removed) return;
    const firstPath = step.type === 'CONDITION' ? this.listPaths(step)[0] : 'TRUE';
    const successor = this.findChild(id, firstPath as string);
    const otherSteps = this.listDescendants(id).filter(
      (simStep) =>
        !successor ||
        (simStep.id !== successor.id && !this.listDescendants(successor.id).includes(simStep)),
    );
    if (successor) Object.assign(successor, { parent: step.parent, path: step.path });
    step.removed = { successor: successor?.id ?? null };
    for (const otherStep of otherSteps) otherStep.removed = { successor: null };
    for (const run of this.runs) {
      const currentStep = this.steps.get(run.step) as SimStep;
      if (
        run.outcome === null &&
        currentStep.removed?.successor === null &&
        (currentStep === step || otherSteps.includes(currentStep))
      )
        run.wakeAt = instant;
    }
  }

  private listPaths(step: SimStep): string[] {
    if (step.data.kind !== 'split') return ['TRUE', 'FALSE'];
    return (step.data.shares as { path: string }[]).map((share) => share.path);
  }

  private findChild(id: number, path: string): SimStep | undefined {
    return [...this.steps.values()].find(
      (step) => step.parent === id && step.path === path && !step.removed,
    );
  }

  private listDescendants(id: number): SimStep[] {
    const children = [...this.steps.values()].filter(
      (simStep) => simStep.parent === id && !simStep.removed,
    );
    return children.flatMap((child) => [child, ...this.listDescendants(child.id)]);
  }

  /** Runs the engine once: first the events, then every due run, until nothing changes. */
  private runTurn(now: number): void {
    const woken = [...this.wokenRuns];
    this.wokenRuns.clear();
    if (!this.isActive) {
      this.inbox = [];
      return;
    }
    for (const run of woken) if (run.wakeAt !== null) run.wakeAt = Math.min(run.wakeAt, now);
    for (let hasMoved = true; hasMoved; ) {
      const inboxFacts = this.inbox;
      this.inbox = [];
      for (const fact of inboxFacts) this.startRun(fact, now);
      const dueRuns = this.runs.filter(
        (run) => run.outcome === null && run.wakeAt !== null && run.wakeAt <= now,
      );
      for (const run of dueRuns) this.advance(run, now);
      hasMoved = inboxFacts.length > 0 || dueRuns.length > 0;
    }
  }

  private startRun(fact: { subscriberId: number; at: number; depth: number }, now: number): void {
    if (fact.at < this.activatedAt || fact.depth > 5) return;
    const earlierRuns = this.runs.filter((run) => run.subscriberId === fact.subscriberId);
    const lastRun = earlierRuns.at(-1);
    if (
      lastRun &&
      (lastRun.outcome === null || this.reentry === 'never' || lastRun.enteredAt >= now)
    )
      return;
    const trigger = [...this.steps.values()].find((step) => step.type === 'trigger') as SimStep;
    this.runs.push({
      ...{
        subscriberId: fact.subscriberId,
        pass: earlierRuns.length + 1,
        trail: [],
        step: trigger.id,
        outcome: null,
      },
      ...{ enteredAt: now, arrivedAt: now, wakeAt: now, isStarted: true, depth: fact.depth },
      ...{ heldFor: null, opens: new Set() },
    });
  }

  private advance(run: Run, now: number): void {
    const dueAt = run.wakeAt as number;
    while (run.outcome === null) {
      const step = this.steps.get(run.step) as SimStep;
      if (step.removed) {
        let successor: SimStep | undefined = step;
        while (successor?.removed)
          successor =
            successor.removed.successor === null
              ? undefined
              : this.steps.get(successor.removed.successor);
        if (!successor) {
          Object.assign(run, { outcome: 'step_removed', wakeAt: null, heldFor: null });
          return;
        }
        Object.assign(run, { step: successor.id, isStarted: false, heldFor: null, arrivedAt: now });
        continue;
      }
      const result = run.isStarted
        ? { note: '', path: 'TRUE' }
        : this.executeStep(run, step, now, dueAt);
      if (!result) return;
      run.trail.push([step.id, now, result.note]);
      const child = result.note === 'action_end' ? undefined : this.findChild(step.id, result.path);
      if (!child) {
        const outcome = result.note === 'action_end' ? 'action_end' : 'completed';
        Object.assign(run, { outcome, wakeAt: null, heldFor: null });
        return;
      }
      Object.assign(run, { step: child.id, isStarted: false, heldFor: null, arrivedAt: now });
    }
  }

  /** Takes the step; undefined if the subscriber waits at it. */
  private executeStep(
    run: Run,
    step: SimStep,
    now: number,
    dueAt: number,
  ): { note: string; path: string } | undefined {
    const isOnce = step.type === 'EMAIL' || step.type === 'ACTION';
    if (isOnce && run.trail.some(([id]) => id === step.id))
      return { note: 'already_done', path: 'TRUE' };
    if (step.type === 'delay') return this.delay(run, step, now);
    if (step.type === 'EMAIL') return this.email(run, now, dueAt);
    if (step.type === 'CONDITION') return this.condition(run, step, now);
    return this.executeAction(run, step, now);
  }

  private wait(
    run: Run,
    wakeAt: number | null,
    hasStarted: boolean,
    pausedFor: string | null = null,
  ) {
    Object.assign(run, { wakeAt, isStarted: hasStarted, heldFor: pausedFor });
    return undefined;
  }

  private delay(run: Run, step: SimStep, now: number) {
    const {
      delay_type: type,
      amount,
      unit,
      until,
    } = step.data as {
      delay_type: string;
      amount: number;
      unit: string;
      until: { step: number };
    };
    const { zone } = this.getSubscriber(run.subscriberId);
    if (type === 'UNTIL') {
      const stepId = until.step;
      if (run.opens.has(stepId)) return { note: 'happened', path: 'TRUE' };
      const limit = addDuration(run.arrivedAt, amount, unit, zone) + 15_000;
      if (limit <= now) return { note: 'timed_out', path: 'TRUE' };
      return this.wait(run, limit, false);
    }
    const end = resumeAt(addDuration(run.arrivedAt, amount, type, zone), step.data, zone);
    if (end <= now) return { note: '', path: 'TRUE' };
    return this.wait(run, end, true);
  }

  private email(run: Run, now: number, dueAt: number) {
    if (now - dueAt > DAY) return this.wait(run, null, false, 'late');
    const isSent = this.getSubscriber(run.subscriberId).isSubscribed;
    return { note: isSent ? 'sent' : 'skipped', path: 'TRUE' };
  }

  private condition(run: Run, step: SimStep, now: number) {
    const {
      kind,
      group,
      asked: targetStep,
      shares,
    } = step.data as {
      kind: string;
      group: number;
      asked: number;
      shares: { path: string; share: number }[];
    };
    if (kind === 'split') {
      const path = pathOf(shares, step.id, run.subscriberId);
      return { note: path, path };
    }
    if (kind === 'segment') {
      const path = this.getSubscriber(run.subscriberId).groups.has(group) ? 'TRUE' : 'FALSE';
      return { note: path, path };
    }
    const isSent = run.trail.some(([id, , note]) => id === targetStep && note === 'sent');
    if (isSent && !run.opens.has(targetStep)) {
      // The simulation sends nothing, so the condition is evaluated again each hour.
      return this.wait(run, now + 60 * MINUTE, false, 'not_sent_yet');
    }
    const path = isSent ? 'TRUE' : 'FALSE';
    return { note: path, path };
  }

  private executeAction(run: Run, step: SimStep, now: number) {
    const subscriber = this.getSubscriber(run.subscriberId);
    const { action, group, from } = step.data as { action: string; group: number; from: number };
    if (action === 'END') return { note: 'action_end', path: 'TRUE' };
    if (action === 'COPY' || action === 'MOVE')
      this.joinGroup(subscriber, group, now, run.depth + 1);
    if (action === 'MOVE') subscriber.groups.delete(from);
    if (action === 'REMOVE') subscriber.groups.delete(group);
    if (action === 'UNSUBSCRIBE') subscriber.isSubscribed = false;
    return { note: 'done', path: 'TRUE' };
  }
}

function pathOf(
  shares: readonly { path: string; share: number }[],
  step: number,
  subscriber: number,
): string {
  const digest = createHash('sha256').update(`split/${step}/${subscriber}`).digest('hex');
  const position = Number(BigInt(`0x${digest.slice(0, 8)}`) % 10_000n);
  let upperBound = 0;
  for (const { path, share } of shares) {
    upperBound += share * 100;
    if (position < upperBound) return path;
  }
  return shares.at(-1)?.path as string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time as if it were UTC, and the day of the week. */
function localTimeOf(instant: number, zone: string): { localTime: number; weekday: number } {
  let format = formats.get(zone);
  if (!format) {
    const twoDigits = '2-digit' as const;
    const formatOptions = {
      year: 'numeric',
      month: twoDigits,
      day: twoDigits,
      hour: twoDigits,
      minute: twoDigits,
      second: twoDigits,
    } as const;
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      ...formatOptions,
    });
    formats.set(zone, format);
  }
  const dateParts = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = dateParts;
  const localTime = Date.UTC(year, month - 1, day, hour, minute, second);
  return { localTime, weekday: new Date(localTime).getUTCDay() };
}

/** Returns the first instant with this local time, or an hour later if the clock skips it. */
function instantOf(localTime: number, zone: string): number {
  for (const target of [localTime, localTime + 60 * MINUTE]) {
    // Zone offsets are multiples of a quarter of an hour.
    for (
      let candidate = localTime - 15 * 60 * MINUTE;
      candidate <= localTime + 15 * 60 * MINUTE;
      candidate += 15 * MINUTE
    )
      if (localTimeOf(candidate, zone).localTime === target) return candidate;
  }
  throw new Error('This local time never occurs');
}

export function addDuration(start: number, amount: number, unit: string, zone: string): number {
  if (unit === 'MINUTES') return start + amount * MINUTE;
  if (unit === 'HOURS') return start + amount * 60 * MINUTE;
  const { localTime } = localTimeOf(start, zone);
  if (unit === 'DAYS') return instantOf(localTime + amount * DAY, zone);
  if (unit === 'WEEKS') return instantOf(localTime + amount * 7 * DAY, zone);
  const date = new Date(localTime);
  const target = new Date(localTime);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + amount);
  const lastDay = new Date(
    Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0),
  ).getUTCDate();
  target.setUTCDate(Math.min(date.getUTCDate(), lastDay));
  return instantOf(target.getTime(), zone);
}

/**
 * Returns the first quarter of an hour from `base` on that is on one of the days and at the time;
 * `base` itself if no time is set and its day fits.
 */
function resumeAt(base: number, data: Record<string, unknown>, zone: string): number {
  const days = (data.resume_days ?? []) as number[];
  const time = data.resume_time as string | undefined;
  if (days.length === 0 && time === undefined) return base;
  const fits = (instant: number) => {
    const { localTime, weekday } = localTimeOf(instant, zone);
    const timeOfDay = new Date(localTime).toISOString().slice(11, 16);
    return (
      (days.length === 0 || days.includes(weekday)) && (time === undefined || timeOfDay === time)
    );
  };
  if (time === undefined && fits(base)) return base;
  for (let rounded = Math.ceil(base / (15 * MINUTE)) * 15 * MINUTE; ; rounded += 15 * MINUTE)
    if (fits(rounded)) return rounded;
}
