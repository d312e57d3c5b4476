// A component loaded on first use. If the network was down, it is loaded again once it returns; if
// it still fails (the server has a newer version), the app shows a message and reloads. The page
// around it never breaks.
// oxlint-disable-next-line no-restricted-imports -- the place that adds the retries
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isModuleFailure, moduleFailed } from '../errors/new-version.tsx';
import { isOnline, onConnection } from '../online.ts';

/** Pauses before further attempts while the network is up. */
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
