// A component loaded on first use. If the network is down, loading continues once it is up again.
// If loading fails while the network is up (the server has a newer version), the app shows a
// message and reloads. The page around the component never breaks.
import {
  type ComponentType,
  type LazyExoticComponent,
  // oxlint-disable-next-line no-restricted-imports -- this module adds the retries
  lazy,
  useCallback,
  useEffect,
  useState,
} from 'react';
import { isModuleFailure, moduleFailed } from '../errors/new-version.tsx';
import { isOnline, onConnection } from '../online.ts';
import { whenSettled } from './when-settled.ts';

/** Pauses before further attempts while the network is up. */
const PAUSES_MS = [300, 1500, 4000];

export function lazyWithRetry<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return await loadWithRetry(load);
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      moduleFailed();
      return { default: () => null };
    }
  });
}

/**
 * Declares a module with parts that the user opens. It is loaded once the screen is completely
 * shown, or earlier on request. The hook returns the module (undefined until it is loaded) and a
 * function to request it.
 */
export function lazyModuleWithRetry<Module extends object>(
  load: () => Promise<Module>,
): () => [Module | undefined, () => void] {
  let loadedModule: Module | undefined;
  const fetch = async () => {
    loadedModule ??= await loadWithRetry(load);
    return loadedModule;
  };
  return function useLateModule() {
    const [module, setModule] = useState(loadedModule);
    const request = useCallback(() => {
      void fetch().then(setModule, moduleFailed);
    }, []);
    useEffect(() => {
      // A failure here is not reported; the user's request loads the module again and reports one.
      if (!module) return whenSettled(() => void fetch().then(setModule, () => undefined));
    }, [module]);
    return [module, request];
  };
}

async function loadWithRetry<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempts = 0; ; ) {
    try {
      return await load();
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      if (!isOnline()) {
        await untilOnline();
        continue;
      }
      const pause = PAUSES_MS[attempts++];
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
