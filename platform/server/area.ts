// The manifest of an area. Each `server/index.ts` exports it under the name `area`: an `Area`, or a
// function that builds one from the configuration and from choices made in main/ (such as the
// provider in use). main/wiring.ts lists them.
import type { FastifyPluginAsync } from 'fastify';
import type { QuestionHandler, DomainEvent, EventHandler, Question } from './events.ts';
import type { Route } from './http/serve.ts';
import type { Job } from './jobs/jobs.ts';
import type { Poller } from './jobs/pollers.ts';

export type Area = {
  /** Same as the folder's name. */
  name: string;
  /** What the area's calls are about: full sentences for the tags of the API documents. */
  description: string;
  routes?: readonly Route[];
  /** Public pages and other surfaces that are not JSON calls. */
  plugins?: readonly FastifyPluginAsync[];
  jobs?: readonly Job[];
  /** Periodic work, run by one elected worker. */
  pollers?: readonly Poller[];
  /**
   * `on(event, handler)`: handlers of events of lower layers. Each runs in the announcing
   * transaction.
   */
  eventHandlers?: readonly Connection[];
  /** `handleQuestion(question, handler)`: handlers of questions of lower layers. */
  questionHandlers?: readonly Connection[];
  /**
   * Prepares the area for this installation. Runs in each process before any other code of the
   * area.
   */
  setUp?: () => void;
};

/** Connects and returns the function that disconnects. */
type Connection = () => () => void;

export function on<Payload>(
  event: DomainEvent<Payload>,
  handler: EventHandler<Payload>,
): Connection {
  return () => event.on(handler);
}

export function handleQuestion<In, Out>(
  question: Question<In, Out>,
  handler: QuestionHandler<In, Out>,
): Connection {
  return () => question.handle(handler);
}

let disconnectors: (() => void)[] = [];

/**
 * Sets up the areas and connects them in the given order. Handlers of an event run in the same
 * order. A second call in the same process (tests) replaces the first.
 */
export function connectAreas(areas: readonly Area[]): void {
  for (const disconnect of disconnectors) disconnect();
  for (const area of areas) area.setUp?.();
  disconnectors = areas.flatMap(({ eventHandlers = [], questionHandlers = [] }) =>
    [...eventHandlers, ...questionHandlers].map((connect) => connect()),
  );
}
