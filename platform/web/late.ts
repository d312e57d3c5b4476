// A component that is loaded when it is first needed. Where the network was away it is fetched again once it is
// back; if it still does not come (a newer version is on the server), the app says so and reloads itself: the
// page around it never breaks.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isModuleFailure, moduleFailed } from './new-version.tsx';
import { isOnline, onConnection } from './online.ts';

/** Waits before the next tries, where there is a network. */
const PAUSES_MS = [300, 1500, 4000];

export function late<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return await loadAgain(load);
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      moduleFailed();
      return { default: () => null };
    }
  });
}

async function loadAgain<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let tries = 0; ; ) {
    try {
      return await load();
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      if (!isOnline()) {
        await untilOnline();
        continue;
      }
      const pause = PAUSES_MS[tries++];
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    const end = onConnection((online) => {
      if (!online) return;
      end();
      resolve();
    });
  });
}
