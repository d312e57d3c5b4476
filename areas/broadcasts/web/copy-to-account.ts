// The action that copies a broadcast to another account of the user; hidden if the user has only
// one account.
import { useQuery } from '@tanstack/react-query';
import { http } from '#platform/web/api/http.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { Broadcast } from './ui.ts';

type TargetAccount = { id: string; title: string; owner: string; is_current: boolean };
type NamedBroadcast = Pick<Broadcast, 'id' | 'title'>;

const path = `${USERS_PATH}/accounts`;

export function useCopyToAccount(
  copy: (id: string, account: string) => Promise<unknown>,
): RowAction<NamedBroadcast> {
  const t = useTexts('broadcasts');
  const accounts = useQuery({
    queryKey: path.split('/').filter(Boolean),
    queryFn: async ({ signal }) =>
      (await http<{ data: TargetAccount[] }>('GET', path, { signal })).data,
    staleTime: 5 * 60_000,
    meta: { notFound: 'inline' },
  });
  const otherAccounts = (accounts.data ?? []).filter((account) => !account.is_current);
  const getName = ({ title, owner }: TargetAccount) => title || owner;
  return {
    label: t('copyTo.act'),
    isHidden: () => otherAccounts.length === 0,
    run: ({ id, title }) =>
      void promptInput({
        type: 'select',
        title: t('copyTo.act'),
        label: t('copyTo.account'),
        value: otherAccounts[0]?.id ?? '',
        options: otherAccounts.map((account) => ({ value: account.id, label: getName(account) })),
        confirm: t('copyTo.confirm'),
        send: async (account) => {
          await copy(id, account);
          const targetAccount = otherAccounts.find((otherAccount) => otherAccount.id === account);
          toast(t('copyTo.done', { title, account: targetAccount ? getName(targetAccount) : '' }));
        },
      }),
  };
}
