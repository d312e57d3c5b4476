// The name of a user and the removal of a user, for the list of users and the page of one user.
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { AccountUser } from '../../settings-contract.ts';
import { api, USERS } from './queries.ts';

/** Returns the display name of a user, or the address if no name is known. */
export function getUserName(user: AccountUser): string {
  return [user.name, user.surname].filter(Boolean).join(' ') || toUnicodeDomain(user.email);
}

export function useUserActions() {
  const t = useTexts('accounts');
  /**
   * `leave` navigates away from the user's page before the queries are invalidated, because that
   * page could not load a removed user.
   */
  const remove = async (user: AccountUser, leave?: () => Promise<void>): Promise<void> => {
    const name = getUserName(user);
    const isDone = await confirm({
      title: t('users.removeTitle', { name }),
      message: t('users.removeText', { email: user.email }),
      confirm: t('users.remove'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/account_users/{id}', { params: { id: user.id } }),
    });
    if (!isDone) return;
    toast(t('users.removed', { name }));
    await leave?.();
    await invalidate(USERS);
  };
  return { remove };
}
