// A component that is loaded when it is first needed. If it does not come (a newer version is on the
// server), the app says so and reloads itself: the page around it never breaks.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isModuleFailure, moduleFailed } from './new-version.tsx';

export function late<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return await load();
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      moduleFailed();
      return { default: () => null };
    }
  });
}
