// The accounts of a user who has several, in the user menu: choosing one switches to it.
import { useQuery } from '@tanstack/react-query';
import { http } from '../api/http.ts';
import { switchAccount, USERS_PATH } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import { MenuChoices } from '../ui/menu-or-sheet.tsx';

interface OwnAccount {
  id: string;
  title: string;
  owner: string;
  is_current: boolean;
}

const path = `${USERS_PATH}/accounts`;

export function AccountItems() {
  const t = useTexts('platform');
  const { data: accounts = [] } = useQuery({
    queryKey: path.split('/').filter(Boolean),
    queryFn: async ({ signal }) =>
      (await http<{ data: OwnAccount[] }>('GET', path, { signal })).data,
  });
  if (accounts.length < 2) return null;
  return (
    <MenuChoices
      title={t('shell.accounts')}
      value={accounts.find((account) => account.is_current)?.id ?? ''}
      choices={accounts.map(({ id, title, owner }) => ({
        value: id,
        label: <bdi>{title || t('shell.accountOf', { email: owner })}</bdi>,
      }))}
      choose={(id) => void switchAccount(id)}
    />
  );
}
