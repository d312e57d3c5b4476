// Rights of the signed-in user. Screens disable or hide what the server would refuse.
import { type Right, RIGHTS } from '../../rights.ts';
import { useTexts } from '../texts/texts.ts';
import { useOptionalSession } from './session.ts';

/** Returns the user's rights; all of them if the session has no list. */
export function useRights(): ReadonlySet<Right> {
  return new Set(useOptionalSession()?.rights ?? RIGHTS);
}

/**
 * Returns why the user may not use a button, to show as its title; undefined if the user has the
 * right.
 */
export function useMissingRight(right: Right): string | undefined {
  const t = useTexts('platform');
  return useRights().has(right) ? undefined : t('rights.missing');
}
