// The form of the postal address, loaded when its dialog opens.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  AddressFields,
  toAddressValues,
  createAddressRules,
  type AddressValues,
  saveAddress,
} from '#areas/accounts/web/index.ts';
import { client } from '#platform/web/api/api.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Account, calls } from '../../accounts/contract.ts';

const api = client<typeof calls>();

interface AddressFormProps {
  close: () => void;
  onSaved: () => void;
}

export default function AddressForm(props: AddressFormProps) {
  // The whole account: the session has only the fields that every screen needs.
  const account = useQuery({
    queryKey: ['client-api', 'api', 'users', 'account'],
    queryFn: async ({ signal }) =>
      (await api('GET /client-api/api/users', { signal })).data.account,
  });
  if (account.data) return <LoadedForm account={account.data} {...props} />;
  if (account.isError) return <FailedState error={account.error} retry={account.refetch} />;
  return <LoadingState rows={5} />;
}

function LoadedForm({ account, close, onSaved }: AddressFormProps & { account: Account }) {
  const t = useTexts('campaigns');
  const accounts = useTexts('accounts');
  const { form, isBusy, submit, discard } = useKeptForm<AddressValues>('postal-address', {
    initialValues: toAddressValues(account),
    validate: createAddressRules(accounts),
    send: async (values) => {
      await saveAddress(values);
      await invalidate('/client-api/api/users');
      onSaved();
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('address.why')}
        </Text>
        <AddressFields form={form} />
        <Group justify="flex-end" gap="xs" mt="sm">
          <Button variant="default" onClick={() => discard(close)}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('address.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
