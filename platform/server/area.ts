// What an area brings to the product. Each `server/index.ts` exports its manifest under the name `area`:
// an `Area`, or a function that makes one of the configuration and of what only main/ knows (which
// provider runs). main/wiring.ts lists them.
import type { FastifyPluginAsync } from 'fastify';
import type { Answerer, DomainEvent, Handler, Question } from './events.ts';
import type { Route } from './http/serve.ts';
import type { Job } from './jobs.ts';
import type { Poller } from './pollers.ts';

export type Area = {
  /** As its folder is named. */
  name: string;
  /** All its JSON calls. */
  routes?: readonly Route[];
  /** Public pages and other surfaces that are no JSON calls. */
  plugins?: readonly FastifyPluginAsync[];
  jobs?: readonly Job[];
  /** What is due by the clock; run by one elected worker. */
  pollers?: readonly Poller[];
  /** What it hears of lower floors, each in the transaction of what it tells: `on(event, handler)`. */
  listens?: readonly Connection[];
  /** What it answers lower floors: `answer(question, answerer)`. */
  answers?: readonly Connection[];
  /** What it has to know of the installation; in each process, before anything else of the area runs. */
  setUp?: () => void;
};

/** Connects, and returns what takes the connection back. */
type Connection = () => () => void;

export function on<Facts>(event: DomainEvent<Facts>, handler: Handler<Facts>): Connection {
  return () => event.on(handler);
}

export function answer<In, Out>(
  question: Question<In, Out>,
  answerer: Answerer<In, Out>,
): Connection {
  return () => question.answer(answerer);
}

let connected: (() => void)[] = [];

/**
 * Sets the areas up and connects them in their order, which is also the order in which handlers of one
 * event run. A second call in the same process (tests) takes the place of the first.
 */
export function connectAreas(areas: readonly Area[]): void {
  for (const disconnect of connected) disconnect();
  for (const area of areas) area.setUp?.();
  connected = areas.flatMap(({ listens = [], answers = [] }) =>
    [...listens, ...answers].map((connect) => connect()),
  );
}
