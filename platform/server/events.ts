// Upward communication between areas: events (announced for sets of objects in the caller's
// transaction) and questions (answered by the areas that have the data). Areas declare them; main/
// connects them.
import type { Tx } from './database/database.ts';

export type EventHandler<Payload> = (tx: Tx, payload: Payload) => Promise<void>;

export type DomainEvent<Payload> = {
  readonly name: string;
  /** Handlers run in the caller's transaction, in the order they were connected. */
  announce(tx: Tx, payload: Payload): Promise<void>;
  /** Connects a handler; returns the function that disconnects it. */
  on(handler: EventHandler<Payload>): () => void;
};

export function defineEvent<Payload>(name: string): DomainEvent<Payload> {
  const handlers = new Set<EventHandler<Payload>>();
  return {
    name,
    async announce(tx, payload) {
      for (const handler of handlers) await handler(tx, payload);
    },
    on(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
}

export type QuestionHandler<In, Out> = (tx: Tx, input: In) => Promise<Out[]>;

export type Question<In, Out> = {
  readonly name: string;
  /** Collects the answers of all registered areas in one list. */
  collect(tx: Tx, input: In): Promise<Out[]>;
  handle(handler: QuestionHandler<In, Out>): () => void;
};

export function defineQuestion<In, Out>(name: string): Question<In, Out> {
  const handlers = new Set<QuestionHandler<In, Out>>();
  return {
    name,
    async collect(tx, input) {
      const results: Out[] = [];
      for (const handler of handlers) results.push(...(await handler(tx, input)));
      return results;
    },
    handle(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
}
