// A store holds a value that components observe and that any code can set. Signing out resets it.
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get: () => Value;
  set: (next: Value | ((before: Value) => Value)) => void;
  subscribe: (listener: () => void) => () => void;
}

const resets = new Set<() => void>();

export function createStore<Value>(
  first: Value,
  options: { survivesReset?: boolean } = {},
): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  const store: Store<Value> = {
    get: () => value,
    set: (next) => {
      const after = next instanceof Function ? next(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  // Stores that survive a reset hold the state of the page, such as a countdown to its reload. The
  // values of all other stores belong to the user.
  if (!options.survivesReset) resets.add(() => store.set(first));
  return store;
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Registers other state that must end with the session (a cache, a stream). */
export function onReset(reset: () => void): void {
  resets.add(reset);
}

export function resetStores(): void {
  for (const reset of resets) reset();
}
